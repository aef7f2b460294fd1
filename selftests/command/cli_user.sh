#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The table ACCESS of the manual: what the command can do for an ordinary user, in the group
# of /dev/xroce or not, with which capabilities.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

nobody=65534
group=64000		# without a name; the udev rule gives the device to "xroce"

# as GROUP CAPABILITY... -- WORD...: replace the shell by the command, run as a user with
# these rights only. GROUP is "in" or "out"; $memlock is RLIMIT_MEMLOCK in KiB.
as() {
	local who=--clear-groups caps=

	[ "$1" = out ] || who=--groups=$group
	shift
	while [ "$1" != -- ]; do
		caps=$caps,+$1
		shift
	done
	shift
	[ -z "${memlock:-}" ] || ulimit -l "$memlock"
	exec nsenter --net=/run/netns/xr setpriv --reuid=$nobody --regid=$nobody "$who" --bounding-set="-all$caps" \
		--inh-caps="-all$caps" --ambient-caps="-all$caps" "$xroce" "$@"
}

# may ...: the same words as for as; the command works
may() {
	(as "$@") >"$work/out" 2>"$work/err" ||
		not_so "allowed: $* ($(cat "$work/err"))"
}

# may_not PATTERN ...: it fails with a message that matches, and prints nothing
may_not() {
	local pattern=$1 status=0

	shift
	(as "$@") >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = 1 ] || not_so "refused: $* (status $status, $(cat "$work/err"))"
	grep -qE "$pattern" "$work/err" || not_so "'$pattern' in '$(cat "$work/err")': $*"
	[ ! -s "$work/out" ] || not_so "no output: $*"
}

# needs CAPABILITY... -- WORD...: it is refused outside the group, and without the last
# capability; it works with all of them
needs() {
	local caps=()

	while [ "$1" != -- ]; do
		caps+=("$1")
		shift
	done
	may_not 'ermi' out "${caps[@]}" "$@"
	may_not 'ermi|CAP_' in "${caps[@]::${#caps[@]}-1}" "$@"
	may in "${caps[@]}" "$@"
}

# Do what the udev rule does; no udev runs here.
give_device() {
	local mode

	mode=$(sed -n 's/.*MODE="\([0-7]*\)".*/\1/p' "$top/kmod/60-xroce.rules")
	chgrp $group /dev/xroce
	chmod "$mode" /dev/xroce
}

probe() {
	(as out -- feature probe dev x0) >"$work/out" 2>"$work/err" || :
	grep -q '^usable no' "$work/out" &&
		grep -q 'name abi state unknown needed detail not permitted: /dev/xroce is for root and the group xroce$' \
			"$work/out" || not_so "a probe: $(cat "$work/out")"
}

links() {
	may_not 'not permitted: .*group xroce' out -- link show
	may in -- link show
	grep -q '^link 0 dev x0' "$work/out" || not_so "link 0: $(cat "$work/out")"
}

# Objects of other owners are neither shown nor changed.
objects() {
	local pd qpn

	pd=$(makes pd pd add)
	qpn=$(makes qpn qp add pd "$pd")
	xr mr add pd "$pd" name mine access local-write,mw-bind file "$work/file" >"$work/made"
	for noun in pd mr mw qp; do
		may_not 'not permitted: .*group xroce' out -- $noun show
		may in -- $noun show
		[ ! -s "$work/out" ] || not_so "no $noun is shown: $(cat "$work/out")"
	done
	may in net_admin -- mr show
	grep -q ' name mine ' "$work/out" || not_so "mine: $(cat "$work/out")"
	needs net_admin -- pd add
	needs net_admin -- qp add pd "$pd"
	needs net_admin -- mw add pd "$pd" type 1
	may_not 'no such queue pair' in -- qp modify qpn "$qpn" state init
	may in net_admin -- qp modify qpn "$qpn" state init
	may_not 'no such region' in -- mr change mr mine access local-write
	may in net_admin -- mr change mr mine access local-write
	needs net_admin -- mtt show
	may_not 'permi|no such' in -- pd del pd "$pd"
	may_not 'permi|no such' in -- qp del qpn "$qpn"
	may_not 'permi|no such' in -- mr del mr mine
	may_not 'ermi' out net_admin sys_admin -- mr show mine --mtt
	! (as in net_admin -- mr show mine --mtt) >"$work/out" 2>"$work/err" ||
		not_so '--mtt takes CAP_SYS_ADMIN'
	grep -q CAP_SYS_ADMIN "$work/err" || not_so "it says so: $(cat "$work/err")"
	may in net_admin sys_admin -- mr show mine --mtt
	may in net_admin -- mr del mr mine
}

# Who may set limits, who is limited, and who sees the counts.
limits() {
	local pd

	needs net_admin -- link limit user pd 0 pinned 64K
	may in -- link show -d -j
	holds '[l["user"] for l in links[0]["limits"] if l["of"] == "pd"] == [0] and
		links[0]["uses"] == []' links="$work/out"
	# CAP_NET_ADMIN exempts from limits of users, not from limits of the link.
	pd=$(makes pd pd add)
	may in net_admin -- link limit mr 0
	may_not "the link is limited to 0 regions: [0-9]+ in use, 1 more needed \('xroce link limit mr N'" \
		in net_admin ipc_lock -- \
		mr add pd "$pd" access none file "$work/file"
	may in net_admin -- link limit mr none
	as in -- serve --netdev x0 region disk size 64K >"$work/out" 2>"$work/err" &
	! wait $! || not_so 'serves without a domain'
	grep -q "user $nobody is limited to 0 protection domains: 0 in use, 1 more needed ('xroce link limit user pd N'" \
		"$work/err" || not_so "served: $(cat "$work/err")"
	may in net_admin -- link limit user pd 1 pinned 60K
	as in -- serve --netdev x0 region disk size 64K >"$work/out" 2>"$work/err" &
	! wait $! || not_so 'pins more than the limit'
	grep -q "region disk: 65536 bytes: user $nobody is limited to 60K bytes pinned: 0 in use, 64K more" \
		"$work/err" || not_so "pinned: $(cat "$work/err")"
	may in net_admin -- link limit user pinned 64K
	may in net_admin -- link limit user pd 1
	as in -- serve --netdev x0 region disk size 64K >"$work/out" 2>"$work/err" &
	wait_until 20 grep -q '^listening' "$work/out" || not_so "serves: $(cat "$work/err")"
	xr link show -d >"$work/out"
	grep -q "^    user uid $nobody pd 1 mr 1 .* pinned 64K" "$work/out" ||
		not_so "a user: $(cat "$work/out")"
	grep -qE '^    limit of pd used [0-9]+ user 1 refused [0-9]+$' "$work/out" ||
		not_so "a limit: $(cat "$work/out")"
	may in -- link show -d -j
	cp "$work/out" "$work/own"
	holds '[u["uid"] for u in links[0]["uses"]] == ['$nobody']' links="$work/own"
	kill $!
	wait $! || :
	xr link limit user pd none pinned none
	xr pd del pd "$pd"
}

# A user may have as many regions as remain free, but for the reserve of an eighth: 27 of 63. A limit
# of users takes the place of this share.
share() {
	local regions='' n

	start_anew
	for n in $(seq 28); do regions+=" region r$n size 4K"; done
	# shellcheck disable=SC2086 # words
	may_not "user $nobody has 27 regions, and may have only as many as remain free \\('xroce link limit user mr N' sets a limit instead\\)" \
		in -- serve --netdev x0 $regions
	xr -j link limit dev x0 >"$work/limits"
	holds '{m["of"]: m["refused"] for m in l[0]["limits"] if m["refused"]} == {"mr": 1}' \
		l="$work/limits"
	xr link limit user mr 28
	# shellcheck disable=SC2086 # words
	as in -- serve --netdev x0 $regions >"$work/out" 2>"$work/err" &
	wait_until 20 grep -q '^listening' "$work/out" || not_so "serves: $(cat "$work/err")"
	xr link limit | grep -q "^    user uid $nobody .* mr 28 " || not_so "in use: $(xr link limit)"
	kill $!
	wait $! || :
	xr link limit user mr none
}

memory() {
	local pd

	pd=$(makes pd pd add)
	chmod 666 "$work/file"
	needs ipc_lock net_admin -- mr add pd "$pd" access local-write file "$work/file"
	# The file has 64 KiB.
	memlock=60 may_not 'RLIMIT_MEMLOCK is 60K: 0 pinned, 64K more needed .*ulimit -l' \
		in net_admin -- \
		mr add pd "$pd" access local-write file "$work/file"
	memlock=64 may in net_admin -- mr add pd "$pd" access local-write file "$work/file"
	memlock=60 may in ipc_lock net_admin -- \
		mr add pd "$pd" access local-write file "$work/file"
	sleep 1000 &
	# A process of root: opening its /proc/PID/mem needs another capability, too.
	may_not '/proc/PID/mem' in net_admin sys_ptrace -- \
		mr add pd "$pd" access none pid $! all
	may_not '/proc/PID/mem' in net_admin dac_override -- \
		mr add pd "$pd" access none pid $! all
	may in net_admin dac_override sys_ptrace -- mr add pd "$pd" access none pid $! all
	kill $!
	# The capability is checked before the arguments.
	may_not 'CAP_SYS_RAWIO|permi' in net_admin -- mr add pd "$pd" access none phys 0x1000
	# Page 0 cannot be registered.
	may_not 'phys' in net_admin sys_rawio -- mr add pd "$pd" access none phys 0
	! grep -qi permi "$work/err" || not_so "the right is enough: $(cat "$work/err")"
}

# The pins belong to root.
pins() {
	local words

	for words in 'stat show' 'mpt show' 'monitor refused count 1'; do
		# shellcheck disable=SC2086 # words
		may_not "not permitted: the pins in .* belong to root\$" in -- $words
	done
}

serve() {
	may_not 'not permitted: .*group xroce' out -- serve --netdev x0 --timeout 1
	as in -- serve --netdev x0 --size 64K >"$work/out" 2>"$work/err" &
	wait_until 20 grep -q '^listening' "$work/out" ||
		not_so "serves: $(cat "$work/err")"
	kill $!
	wait $!
	may in -- link show
	grep -q ' users 0$' "$work/out" || not_so "served: $(cat "$work/out")"
}

# CAP_SYS_ADMIN is needed to find the module's functions; the pins are made in /sys/fs/bpf,
# which belongs to root.
link_add() {
	xr link del dev x0 force
	packets
	may_not 'permi|Permi' out net_admin sys_admin -- link add dev x0
	may_not 'permi' in -- link add dev x0
	may_not 'permi' in sys_admin -- link add dev x0
	may_not 'CAP_NET_ADMIN and CAP_SYS_ADMIN are needed' \
		in net_admin bpf perfmon dac_override -- link add dev x0
	may_not '/sys/fs/bpf/xroce: not permitted: it belongs to uid 0 ' in net_admin sys_admin -- link add dev x0
	in_xr setpriv --bounding-set=-all,+net_admin,+sys_admin \
		--inh-caps=-all "$xroce" link add dev x0 mpt 64 qp 16 >"$work/made" ||
		not_so 'root, with no more than these'
	in_xr setpriv --bounding-set=-all,+net_admin,+sys_admin \
		--inh-caps=-all "$xroce" link reload dev x0 >"$work/made" ||
		not_so 'root, with no more than these, again'
	may_not 'ermi' in -- link reload dev x0
	may_not 'ermi' in net_admin sys_admin -- link reload dev x0
	may_not 'permi' in -- link del dev x0
}

# A command of each verb that opens the module's device.
commands="link show
link show dev x0
link add dev x0
link reload dev x0
link del dev x0
link limit pd 1
link set dev x0 cc none
link set dev x0 moderation 16/50
pd show
pd add
pd del pd 1
mr show
mr add pd 1 access none file $work/file
mr add pd 1 access none pid 1 all
mr change mr 1 access none
mr advise mr 1
mr del mr 1
mw show
mw add pd 1 type 1
mw bind mw 1 qpn 0x800000 mr 1 access none
mw invalidate mw 1
mw del mw 1
qp show
qp add pd 1
qp modify qpn 0x800000 state init
qp del qpn 0x800000
qp set qpn 0x800000 cc none
cc show
cc del none
mpt show
mpt show dev x0
mtt show
stat show
stat show dev x0
stat show -o prometheus
top -n 1
monitor
serve --netdev x0 --timeout 1"

# The commands that always need CAP_NET_ADMIN.
admins='link (add|reload|del|limit)|(pd|mr|mw|qp) add|mtt'

# All nouns report common errors in the same words, with the cure.
one_wording() {
	local words nouns

	nouns=$("$xroce" help | sed -nE 's/^  ([a-z]+)  .*/\1/p' | grep -vx feature)
	[ "$(cut -d' ' -f1 <<<"$commands" | uniq)" = "$nouns" ] ||
		not_so "all nouns: $nouns"
	# shellcheck disable=SC2086 # words
	while read -r words; do
		may_not '^xroce: [^:]+: not permitted: /dev/xroce is for root and the group xroce$' \
			out -- $words
		! grep -qE "^($admins)" <<<"$words" ||
			may_not '^xroce: [^:]+(: pd 1|: pid 1 all|: file [^:]+)?: not permitted: CAP_NET_ADMIN is needed(, and for another process .*)?$' \
				in -- $words
	done <<<"$commands"
	xr link del dev x0 force
	module_down
	while read -r words; do
		# shellcheck disable=SC2086
		fails 1 "^xroce: [^:]+: the module is not loaded: 'modprobe xroce' loads it\$" \
			$words
	done <<<"$commands"
	module_up
	give_device
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

no_packets
command_up
for_any_user
truncate -s 64K "$work/file"
give_device

run probe U1
run links U1
run objects 'U1 R10'
run memory 'U1 R4'
run limits 'U1 R7 R10'
run share U1
run pins U1
run serve 'U1 U4'
run one_wording U1
run link_add U1
command_passed
