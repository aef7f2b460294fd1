#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# xroce link: devices with odd names, pins that cannot be made or are hidden, verbs devices.
# Each test is a function; TAP.
#
# Links have a program that loads quickly, but for tests of the program.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

no_packets

# Remove devices and links of other names that a failed test has left.
start_anew() {
	local dev

	! rmmod xroce_ib 2>"$work/err" || :
	for dev in c0.5 c0.6; do ! ip link del $dev 2>"$work/err" || :; done
	for dev in $(in_xr ip -o link | sed -nE "s/^[0-9]+: ([^:@]+).*/\1/p"); do
		xr link del dev "$dev" force 2>"$work/err" || :
		[ "$dev" = x0 ] || [ "$dev" = lo ] || in_xr ip link del "$dev"
	done
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# Print the name of the directory with a device's pins.
pins_of() { sed 's/%/%25/g; s/\./%2e/g' <<<"$1"; }

attached() { in_xr ip -d link show dev "$1" | grep -q prog/xdp; }

# All commands that look for pins find a device by this name, and by a later one.
one_name() {
	local name=$1 dir

	dir=/sys/fs/bpf/xroce/$(pins_of "$name")
	xr link add dev "$name" mpt 16 qp 16 >"$work/made"
	[ -e "$dir/link" ] || not_so "pins: $(ls /sys/fs/bpf/xroce)"
	xr -j link show dev "$name" >"$work/link"
	NAME=$name DIR=$dir holds 'len(l) == 1 and l[0]["dev"] == os.environ["NAME"] and
		l[0]["pins"] == os.environ["DIR"] and l[0]["prog_name"] == "xroce" and
		l[0]["maps"]' l="$work/link"
	xr -j stat show dev "$name" >"$work/stat"
	NAME=$name holds 's[0]["dev"] == os.environ["NAME"]' s="$work/stat"
	xr -j mpt show >"$work/out"
	xr -j stat show >"$work/stat"
	NAME=$name holds 'os.environ["NAME"] in [e["dev"] for e in s]' s="$work/stat"
	xr link reload dev "$name" | grep -qF " pins $dir" || not_so "reload: $name"
	fails 1 'it already has a link$' link add dev "$name"
	in_xr ip link set dev "$name" name now.so
	xr -j link show dev now.so >"$work/link"
	DIR=$dir holds 'l[0]["pins"] == os.environ["DIR"]' l="$work/link"
	xr -j stat show dev now.so >"$work/stat"
	xr link reload dev now.so >"$work/out"
	in_xr ip link set dev now.so name "$name"
}

odd_names() {
	local names name

	# Including the longest possible name. The kernel refuses device names with "%".
	names=('x0.5' '...' '.a' '...............' "q'\"\\*" $'\xc3\xa9')
	for name in "${names[@]}"; do
		in_xr ip link add name "$name" type dummy
		one_name "$name" || return 1
	done
	[ "$(find /sys/fs/bpf/xroce -mindepth 1 -maxdepth 1 | wc -l)" = $((${#names[@]} + 1)) ] ||
		not_so "a directory each: $(ls /sys/fs/bpf/xroce)"
	for name in "${names[@]}"; do
		xr link del dev "$name" 2>&1
		[ ! -e "/sys/fs/bpf/xroce/$(pins_of "$name")" ] || not_so "gone: $name"
		! attached "$name" || not_so "detached: $name"
		in_xr ip link del dev "$name"
	done
}

# The region is over a file; a peer's WRITE shows up there.
written() { [ "$(head -c 8 "$work/file")" = xxxxxxxx ]; }

vlan() {
	local pd qpn rkey

	modprobe 8021q
	ip link add link c0 name c0.5 type vlan id 5
	in_xr ip link add link x0 name x0.5 type vlan id 5
	ip link set c0.5 up
	in_xr ip link set x0.5 up
	ip addr add 10.78.0.1/24 dev c0.5
	in_xr ip addr add 10.78.0.2/24 dev x0.5
	# Without this, x0's program would take frames for a VLAN first.
	xr link del dev x0
	packets
	xr link add dev x0.5 mpt 16 qp 16 >"$work/made"
	grep -q 'dev x0.5 mode generic' "$work/made" || not_so "made: $(cat "$work/made")"
	pd=$(makes pd pd add)
	qpn=$(makes qpn qp add pd "$pd")
	truncate -s 0 "$work/file"
	truncate -s 8K "$work/file"
	rkey=$(makes rkey mr add pd "$pd" name v access local-write,remote-write \
		iova 0x1000 file "$work/file")
	xr qp modify qpn "$qpn" state init access remote-write
	xr qp modify qpn "$qpn" state rtr sgid 10.78.0.2 dgid 10.78.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0
	send_write c0.5 x0.5 10.78.0.1 10.78.0.2 "$qpn" "$rkey"
	wait_until 30 written || not_so "written: $(xr stat show)"
	xr -j stat show dev x0.5 >"$work/stat"
	holds 's[0]["dev"] == "x0.5" and s[0]["rx"] == s[0]["ack"] == s[0]["tx"] == 1' \
		s="$work/stat"
	xr link del dev x0.5 force
	[ ! -e '/sys/fs/bpf/xroce/x0%2e5' ] || not_so "pins of x0.5 are gone"
	ip link del c0.5
	in_xr ip link del x0.5
	no_packets
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# without_bpffs COMMAND...: run it in a mount namespace with no bpffs on /sys/fs/bpf
without_bpffs() {
	in_xr unshare --mount bash -c 'umount /sys/fs/bpf && exec "$@"' bash "$@"
}

# refused_add PATTERN COMMAND...: add fails with that message and makes nothing
refused_add() {
	local pattern=$1

	shift
	! "$@" "$xroce" link add dev x0 >"$work/out" 2>"$work/err" ||
		not_so "no link: $pattern"
	grep -q "$pattern" "$work/err" || not_so "'$pattern' in '$(cat "$work/err")'"
	! attached x0 || not_so "no program: $pattern"
	[ "$(xr -j link show)" = '[]' ] || not_so "no link: $(xr link show)"
}

# Each reason why pins cannot be made has a message of its own.
no_pins() {
	xr link del dev x0
	refused_add "no bpffs is mounted on /sys/fs/bpf: 'mount -t bpf bpf /sys/fs/bpf' mounts one$" \
		without_bpffs
	chown 65534 /sys/fs/bpf/xroce
	refused_add '/sys/fs/bpf/xroce: not permitted: it belongs to uid 65534 and .* must belong to uid 0' \
		in_xr
	chown 0 /sys/fs/bpf/xroce
	chmod 777 /sys/fs/bpf/xroce
	refused_add '/sys/fs/bpf/xroce: not permitted: .* mode 0777' in_xr
	chmod 700 /sys/fs/bpf/xroce
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# hidden COMMAND...: run it in a mount namespace where another bpffs hides the pins
hidden() {
	in_xr unshare --mount bash -c 'mount -t bpf bpf /sys/fs/bpf && exec "$@"' bash "$@"
}

# Kill del just after it has deleted the module's link.
del_half() {
	local n

	for ((n = 1; n < 20; n++)); do
		hidden "$top/build/selftests/killed_at" $n "$xroce" link del dev x0 ||
			not_so "killed at step $n"
		[ "$(xr -j link show)" != '[]' ] || return 0
	done
	not_so "the link is deleted"
}

# When del reports success, no program is left on the device.
hidden_pins() {
	local status=0

	xr link reload dev x0 >"$work/out"
	# Without the capability to find the program, del changes nothing.
	hidden setpriv --bounding-set=-all,+net_admin --inh-caps=-all "$xroce" link del dev x0 >"$work/out" 2>"$work/err" || status=$?
	[ $status = 1 ] || not_so "refused: $status"
	grep -q 'its program ([0-9]*) cannot be detached: .* CAP_SYS_ADMIN is needed' \
		"$work/err" || not_so "it says so: $(cat "$work/err")"
	attached x0 || not_so "it stays"
	xr -d link show dev x0 | grep -q 'pins /sys/fs/bpf/xroce/x0$' || not_so "as it was"
	# With it, del detaches the program and warns about the remaining pins.
	hidden "$xroce" link del dev x0 >"$work/out" 2>"$work/err" ||
		not_so "deleted: $(cat "$work/err")"
	! attached x0 || not_so "the program is off"
	grep -q '^xroce: link del dev x0: no pins in /sys/fs/bpf/xroce/x0: ' "$work/err" ||
		not_so "a warning: $(cat "$work/err")"
	[ -e /sys/fs/bpf/xroce/x0/prog ] || not_so "they are left"
	xr link add dev x0 mpt 64 qp 16 >"$work/made" ||
		not_so "a new one takes their place"
	# The module's link is already deleted, as by a del that was killed.
	del_half
	attached x0 || not_so "the program is left"
	hidden "$xroce" link del dev x0 2>"$work/err" || not_so "again: $(cat "$work/err")"
	! attached x0 || not_so "the program is off again"
	status=0
	hidden "$xroce" link del dev x0 2>"$work/err" || status=$?
	[ $status = 1 ] && grep -q 'it has no link' "$work/err" ||
		not_so "a third time: $status, $(cat "$work/err")"
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# The program for VLAN devices has another name.
hidden_vlan() {
	in_xr ip link add link x0 name x0.5 type vlan id 5
	xr link del dev x0
	xr link add dev x0 mode native mpt 64 qp 16 >"$work/made"
	hidden "$xroce" link del dev x0 >"$work/out" 2>"$work/err" ||
		not_so "deleted: $(cat "$work/err")"
	! attached x0 || not_so "the program is off"
	in_xr ip link del x0.5
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# del does not detach a program that is not xroce's.
foreign_program() {
	xr link del dev x0
	in_xr ip link set dev x0 xdpgeneric object "$top/build/selftests/lib/pass.bpf.o" \
		section xdp.frags
	fails 1 'it has no link' link del dev x0
	attached x0 || not_so "it stays"
	in_xr ip link set dev x0 xdpgeneric off
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# made_again WORDS: make the link of x0 anew, with these words
made_again() {
	xr link del dev x0
	# shellcheck disable=SC2086
	xr link add dev x0 $1 >"$work/made"
}

# The number of paths, from the command line, from the settings, and by default.
paths() {
	local words want

	printf 'mpt 64\nqp 16\npaths 3\n' >"$work/link.conf"
	while IFS=: read -r words want; do
		made_again "$words"
		xr -j link show dev x0 >"$work/link"
		holds "l[0]['paths'] == ${want:-1}" l="$work/link"
		xr link show dev x0 >"$work/text"
		[ "$(grep -o ' paths [0-9]*' "$work/text")" = "${want:+ paths $want}" ] ||
			not_so "$words: $(cat "$work/text")"
	done <<-END
		paths 16 mpt 64 qp 16:16
		conf $work/link.conf:3
		paths 2 conf $work/link.conf:2
		mpt 64 qp 16:
	END
}

# Moderation of completion events, from the command line, from the settings, and by default; changed.
moderation() {
	local words want

	printf 'mpt 64\nqp 16\nmoderation 8/100\n' >"$work/link.conf"
	while IFS=: read -r words want; do
		made_again "$words"
		moderated "$words" "$want"
	done <<-END
		moderation 16/50 mpt 64 qp 16:16/50
		conf $work/link.conf:8/100
		moderation off conf $work/link.conf:off
		moderation auto conf $work/link.conf:auto
		mpt 64 qp 16:auto
	END
	while IFS=: read -r words want; do
		# shellcheck disable=SC2086
		xr link set dev x0 $words
		moderated "set $words" "$want"
	done <<-END
		moderation 4096/20000:4096/20000
		cc none:4096/20000
		cc none moderation 2/1:2/1
		moderation off:off
		moderation auto:auto
	END
}

# moderated WHEN WORD: x0 shows this, in text only if it is not the default
moderated() {
	xr -j link show dev x0 >"$work/link"
	holds "l[0]['moderation'] == '$2'" l="$work/link"
	xr link show dev x0 >"$work/text"
	case $2 in
	auto)	! grep ' moderation ' "$work/text" || not_so "$1" ;;
	*)	grep -q " moderation $2 " "$work/text" || not_so "$1: $(cat "$work/text")" ;;
	esac
}

# same WORD... -- WORD...: both commands print the same
same() {
	local one=()

	while [ "$1" != -- ]; do
		one+=("$1")
		shift
	done
	shift
	xr "${one[@]}" >"$work/one"
	xr "$@" >"$work/two"
	[ -s "$work/one" ] && cmp -s "$work/one" "$work/two" || not_so "the same: ${one[*]}, $*"
}

# The word before an object's number or name may be omitted; numbers are decimal or
# hexadecimal.
bare_words() {
	local pd qpn mr mw

	pd=$(makes pd pd add)
	qpn=$(makes qpn qp add pd "$pd")
	truncate -s 8K "$work/file"
	mr=$(makes mr mr add pd "$pd" name bare access none file "$work/file")
	mw=$(makes mw mw add pd "$pd" type 2b)
	same link show dev x0 -- link show x0
	same link limit show dev x0 -- link limit x0
	same stat show dev x0 all -- stat show all x0
	same pd show pd "$pd" -- pd show "$(printf 0x%x "$pd")"
	same qp show qpn "$qpn" -- qp show $((qpn))
	same mr show mr "$mr" -- mr show bare
	same mr show "$mr" -- mr show dev x0 $((mr))
	same mw show mw "$mw" -- mw show $((mw)) dev x0
	same mpt show index "$mr" -- mpt show "$mr"
	fails 2 'y0: no such argument, and dev is already given' link show x0 y0
	fails 2 '^xroce: 2: no such argument, and pd is already given' pd show pd 1 2
	fails 2 '^xroce: x0: no such argument, and not a valid qpn, which must be' qp show x0
	fails 2 '^xroce: 0x1000000: no such argument, and not a valid qpn' qp del 0x1000000
	fails 2 '^xroce: qpn is missing' qp del
	fails 2 'nonsense: no such argument$' pd add nonsense
	fails 1 'dev nope' link del nope
	# A number alone does not tell which link is meant.
	xr link add lo mpt 16 qp 16 >"$work/made"
	fails 2 'several network devices have a link: name one with dev DEV' pd show "$pd"
	same pd show pd "$pd" dev x0 -- pd show "$pd" dev x0
	xr link del lo
	xr mw del "$mw"
	xr mr del bare
	xr qp del "$qpn"
	xr pd del "$pd"
}

# completed WORD...: print the completions of the last word, in one line
completed() {
	LC_ALL=C.UTF-8 PATH=$top/build/user:$PATH in_xr bash -c '
		. "$1/user/bash-completion/xroce"; shift
		COMP_WORDS=(xroce "$@") COMP_CWORD=$#; _xroce; echo "${COMPREPLY[@]}"' \
		bash "$top" "$@"
}

# is_completed WANTED WORD...: the completions are exactly these
is_completed() {
	local want=$1 is

	shift
	is=$(completed "$@")
	[ "$is" = "$want" ] || not_so "'$want' is '$is' after: xroce $*"
}

# Objects are completed by number and by name.
objects_completed() {
	local pd qpn mr mw name

	pd=$(makes pd pd add)
	qpn=$(makes qpn qp add pd "$pd")
	truncate -s 8K "$work/file"
	mr=$(makes mr mr add pd "$pd" name buf.1-x access none file "$work/file")
	mw=$(makes mw mw add pd "$pd" type 2b)
	is_completed "$pd" qp add pd ''
	is_completed "$pd" pd del pd ''
	is_completed "dev pd $pd" pd show ''
	is_completed "$qpn" qp modify qpn ''
	is_completed "$qpn" qp del "${qpn:0:4}"
	is_completed "$mr buf.1-x" mr advise mr ''
	is_completed "buf.1-x" mr show dev x0 b
	is_completed "$mr buf.1-x" mr add pd "$pd" share ''
	is_completed '' mr del dev lo mr ''
	is_completed "$mw" mw bind mw ''
	is_completed "dev mw $mw" mw invalidate ''
	is_completed "$mr $mw" mpt show index 0x ||
		is_completed "$mw $mr" mpt show index 0x
	is_completed x0 link del x
	is_completed 'none' link limit pd ''
	xr mr add pd "$pd" name größe/1+a access none file "$work/file" >"$work/made"
	xr mr add pd "$pd" name "\$(id) b" access none file "$work/file" >"$work/made"
	is_completed größe/1+a mr show dev x0 g
	is_completed '' mr show dev x0 '$'
	for name in größe/1+a "\$(id) b"; do xr mr del "$name"; done
	xr mw del "$mw"
	xr mr del "$mr"
	xr qp del "$qpn"
	xr pd del "$pd"
	is_completed '' qp del qpn ''
}

# refusal: x0 refuses a protection domain; set $lines to how many lines about that are in the log
refusal() {
	fails 1 'the link is limited to 0 protection domains' pd add
	lines=$(dmesg | grep -cF "xroce: x0: refused a protection domain: limit of the link ('xroce link limit' changes it)")
}

# The log has at most one line a minute of a link, however many refusals are counted.
refusals_logged() {
	local lines before i

	start_anew
	xr link limit pd 0
	refusal
	before=$lines
	for i in 1 2 3; do refusal; done
	[ "$lines" = "$before" ] || not_so "a minute: $before lines, $lines lines"
	xr link limit | grep -q '^    limit of pd used 0 link 0 refused 4$' ||
		not_so "refused: $(xr link limit)"
	# Another link has its own minute.
	start_anew
	xr link limit pd 0
	refusal
	[ "$lines" = $((before + 1)) ] || not_so "another link: $before lines, $lines lines"
	xr link limit pd none
}

# Limits are shown whether or not they are set.
limits_shown() {
	xr link limit >"$work/out"
	xr link limit show >"$work/two"
	cmp -s "$work/out" "$work/two" || not_so "the same, with show and without"
	[ "$(grep -cE '^    limit of (pd|mr|mw|qp|cq|srq|pinned|deferred) used 0' "$work/out")" = 8 ] ||
		not_so "all of them: $(cat "$work/out")"
	xr link limit qp 3 pinned 64K
	xr link limit user mr 2
	xr -j link limit dev x0 >"$work/limits"
	holds '(lambda m: len(l) == 1 and l[0]["dev"] == "x0" and len(m) == 12 and
		m["qp"]["link"] == 3 and m["pinned"]["link"] == 65536 and
		m["mr"]["user"] == 2 and m["mr"]["link"] is None and
		m["qp"]["used"] == 0)({m["of"]: m for m in l[0]["limits"]})' l="$work/limits"
	xr link limit qp none pinned none
	xr link limit user mr none
	xr link limit pd 0
	fails 1 'the link is limited to 0 protection domains' pd add
	xr link limit pd none
	xr -j link limit dev x0 >"$work/limits"
	holds '{m["of"]: m["refused"] for m in l[0]["limits"]} == dict(pd=1, mr=0, mw=0, qp=0, cq=0,
			srq=0, pinned=0, deferred=0, table=0, ah=0, mcast=0, memlock=0)' \
		l="$work/limits"
	xr link limit | grep -q '^    limit of pd used 0 refused 1$' ||
		not_so "refused: $(xr link limit)"
	xr -o prometheus stat show | grep -q '^xroce_link_refused_total{dev="x0",of="pd"} 1$' ||
		not_so "refused, for Prometheus"
	fails 2 'link limit show: accepts only a device' link limit show pd 1
	fails 2 'link limit: no limit is given' link limit dev x0 user
	fails 1 'link limit dev lo: it has no link' link limit lo
}

# Values at both ends of the documented ranges, and one beyond.
ranges() {
	local pd qpn word taken most said n

	pd=$(makes pd pd add)
	qpn=$(makes qpn qp add pd "$pd")
	xr qp modify qpn "$qpn" state init
	while read -r word taken most; do
		for n in 0 "$taken"; do
			xr qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 10.77.0.1 \
				mtu 1024 dest-qpn 0x11 rq-psn 0 "$word" "$n" ||
				not_so "$word $n is taken"
			xr qp modify qpn "$qpn" state reset
			xr qp modify qpn "$qpn" state init
		done
		n=$((most + 1))
		fails 2 "^xroce: $word \"$n\": must be .* $most(, or 0 for a port made from the queue pair numbers)?\$" \
			qp modify qpn "$qpn" state rtr "$word" $n
		said=$(tr -s ' \n' ' ' <"$top/doc/man/xroce-qp.rst" |
			grep -oE "\*\*$word\*\* [^(]*\([^)]* to [0-9]+" | grep -oE '[0-9]+$')
		[ "$said" = "$most" ] || not_so "the manual says of $word: $said"
	done <<-END
		min-rnr-timer	31	31
		max-rd-atomic	128	128
		sport		65535	65535
		tos		254	255
		ttl		255	255
	END
	xr qp del "$qpn"
	xr pd del "$pd"
	for n in 15 8 17 33554432; do
		fails 2 "^xroce: mpt \"$n\": must be a power of two from 16 to 16777216\$" link add lo mpt $n
	done
	for n in 8 131072 1000; do
		fails 2 "^xroce: qp \"$n\": must be a power of two from 16 to 65536\$" link add lo qp $n
	done
	grep -q '(65536; 16 to 2^24)' "$top/doc/man/xroce-link.rst"
	xr link add lo mpt 16 qp 65536 >"$work/made"
	xr link del lo
	fails 2 'count "0"' monitor count 0
}

# A file that is not a BPF object, an object with another program, and a missing one.
wrong_objects() {
	local cure='; unset XROCE_BPF_OBJECT to load the installed object$'

	xr link del dev x0
	XROCE_BPF_OBJECT=/etc/passwd fails 1 \
		"BPF object /etc/passwd: cannot be read: .*[Ff]ormat.*$cure" link add x0
	XROCE_BPF_OBJECT=/etc fails 1 "BPF object /etc: Is a directory$cure" link add x0
	! grep -q 'nknown' "$work/err" || not_so "known: $(cat "$work/err")"
	XROCE_BPF_OBJECT=$top/build/selftests/lib/pass.bpf.o fails 1 \
		"pass.bpf.o: not an object of xroce: a map or the program is missing$cure" link add x0
	XROCE_BPF_OBJECT=/nowhere fails 1 "/nowhere: No such file.*$cure" link add x0
	[ "$(xr -j link show)" = '[]' ] || not_so "no link: $(xr link show)"
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# A file that cannot be memory of a region: the error says so, and does not claim that a
# link is gone.
wrong_files() {
	local pd

	pd=$(makes pd pd add)
	mkdir "$work/dir"
	for right in none local-write; do
		fails 1 "^xroce: mr: file $work/dir: it is a directory: name a file" \
			mr add pd "$pd" access $right file "$work/dir"
	done
	xr pd del "$pd"
}

verbs_begin() {
	[ -e "$verbs_module" ] || skip "no ${verbs_module#"$top/"}"
	modprobe ib_uverbs
	insmod "$verbs_module"
	xr link del dev x0
}

# No verbs device is left: the module is not in use.
verbs_end() {
	[ ! -e /sys/class/infiniband/xr0 ] || not_so 'no device is left'
	rmmod xroce_ib
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# has_verbs NAME: the link of x0 has this verbs device, which is there; empty: it has none
has_verbs() {
	xr -j link show dev x0 >"$work/link"
	NAME=$1 holds 'l[0].get("verbs", "") == os.environ["NAME"] and l[0]["users"] == 0' \
		l="$work/link"
	[ -z "$1" ] || rdma dev show "$1" >"$work/rdma" || not_so "rdma dev show $1"
}

# nothing_made PATTERN WORD...: add fails with that message, and x0 has no link
nothing_made() {
	local pattern=$1

	shift
	fails 1 "$pattern" link add dev x0 mpt 64 qp 16 "$@"
	grep -q 'link add dev x0: the settings failed, so the link is deleted again$' "$work/err" ||
		not_so "it says that: $(cat "$work/err")"
	! attached x0 || not_so "no program: $*"
	[ "$(xr -j link show)" = '[]' ] || not_so "no link: $(xr link show)"
	[ ! -e /sys/fs/bpf/xroce/x0 ] || not_so "no pins: $*"
}

# Without the module the link is deleted again. Needs no xroce_ib.
verbs_no_module() {
	local name

	! grep -q '^xroce_ib ' /proc/modules || rmmod xroce_ib
	! modprobe -n xroce_ib 2>"$work/err" || skip 'xroce_ib is installed: modprobe finds it'
	xr link del dev x0
	nothing_made '^xroce: verbs xr0: module xroce_ib is not loaded, and modprobe does not find it' \
		verbs xr0
	echo 'verbs xr0' >"$work/conf"
	nothing_made '^xroce: verbs xr0: module xroce_ib is not loaded' conf "$work/conf"
	in_xr setpriv --bounding-set=-all,+sys_admin,+net_admin --inh-caps=-all \
		"$xroce" link add dev x0 mpt 16 qp 16 verbs xr0 \
		>"$work/out" 2>"$work/err" || :
	grep -q '^xroce: verbs xr0: module' "$work/err" || not_so "capabilities: $(cat "$work/err")"
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
	fails 1 "it already has a link; 'rdma link add xr0 type xroce netdev x0' makes a verbs device on it$" \
		link add dev x0 verbs xr0
	for name in '' a/b a%d 1a . $'\xc3\xa9' "$(printf 'a%.0s' {1..64})"; do
		fails 2 '^xroce: verbs ".*": must be 1 to 63 letters' link add dev lo verbs "$name"
	done
	fails 2 '^xroce: verbs: a value must follow' link add dev lo verbs
	has_verbs ''
}

# Made, shown, renamed, and deleted with the link.
verbs_made() {
	verbs_begin
	xr link add dev x0 mpt 64 qp 16 verbs xr0 >"$work/made"
	grep -q '^link 0 dev x0 mode [a-z]* verbs xr0$' "$work/made" ||
		not_so "made: $(cat "$work/made")"
	has_verbs xr0
	xr link show dev x0 | grep -q ' verbs xr0 ' || not_so "shown: $(xr link show)"
	fails 1 'it already has a link, with the verbs device xr0$' link add dev x0 verbs xr1
	rdma dev set xr0 name xr1
	has_verbs xr1
	rdma link delete xr1
	has_verbs ''
	in_xr rdma link add xr0 type xroce netdev x0
	has_verbs xr0
	xr link reload dev x0 >"$work/out"
	has_verbs xr0
	xr link del dev x0
	verbs_end
}

# A name that is taken; a setting; what is on the command line takes precedence.
verbs_names() {
	verbs_begin
	modprobe rdma_rxe
	rdma link add taken type rxe netdev c0
	nothing_made "^xroce: verbs taken: on dev x0: another RDMA device has this name; 'rdma dev show'" \
		verbs taken
	rdma link delete taken
	printf 'mpt 64\nqp 16\nverbs xr1\n' >"$work/conf"
	xr link add dev x0 conf "$work/conf" >"$work/made"
	has_verbs xr1
	xr link del dev x0
	xr link add dev x0 conf "$work/conf" verbs xr0 >"$work/made"
	has_verbs xr0
	# A later failure takes the device with it.
	xr link del dev x0
	printf 'verbs xr0\nbatch %s\n' "$work/batch" >"$work/conf"
	printf 'pd add dev x0\npd del dev x0 7\n' >"$work/batch"
	! xr link add dev x0 mpt 64 qp 16 conf "$work/conf" \
		>"$work/made" 2>"$work/err" || not_so "the batch fails"
	[ "$(xr -j link show)" = '[]' ] || not_so "no link: $(xr link show)"
	verbs_end
	rmmod rdma_rxe
}

# In use: del says so and changes nothing; with force it takes the device from its user.
verbs_in_use() {
	local pd watcher

	verbs_begin
	xr link add dev x0 mpt 64 qp 16 verbs xr0 >"$work/made"
	stdbuf -oL ibv_asyncwatch -d xr0 >"$work/watch" 2>&1 &
	watcher=$!
	wait_until 30 grep -q 'async event FD' "$work/watch" || not_so "$(cat "$work/watch")"
	fails 1 "^xroce: link del dev x0: rdma device xr0 is in use \('rdma resource show ctx' lists its programs\); force takes it from them$" \
		link del dev x0
	has_verbs xr0
	attached x0 || not_so 'the program stays'
	rdma resource show ctx | grep -q "dev xr0 .* pid $watcher " ||
		not_so "its program: $(rdma resource show ctx)"
	pd=$(makes pd pd add)
	fails 1 'link del dev x0: it has persistent objects \(pd 1, mr 0, qp 0\); force deletes them$' \
		link del dev x0
	xr pd del "$pd"
	xr link del dev x0 force
	! attached x0 || not_so 'the program is off'
	[ "$(xr -j link show)" = '[]' ] || not_so "no link: $(xr link show)"
	kill $watcher
	wait $watcher 2>"$work/err" || :
	# Not in use, but the link has persistent objects: the device stays as well.
	xr link add dev x0 mpt 64 qp 16 verbs xr0 >"$work/made"
	pd=$(makes pd pd add)
	fails 1 'it has persistent objects \(pd 1, mr 0, qp 0\)' link del dev x0
	has_verbs xr0
	xr pd del "$pd"
	xr link del dev x0
	verbs_end
}

# "make uninstall": a link would serve on without a command that stops it.
uninstall_first() {
	[ -z "${XROCE_KEEP_MODULE:-}" ] || skip 'the module stays'
	! env -u MAKEFLAGS make -s -C "$top" uninstall-check PREFIX="$work" >"$work/out" 2>&1 ||
		not_so 'with a link it is refused'
	grep -q 'there are links, on x0. First, in this order' "$work/out" &&
		grep -q '^  xroce link del dev DEV ' "$work/out" || not_so "$(cat "$work/out")"
	attached x0 || not_so 'the link stays'
	xr link del dev x0
	env -u MAKEFLAGS make -s -C "$top" uninstall-check PREFIX="$work" >"$work/out" 2>&1 ||
		not_so "without a link: $(cat "$work/out")"
	[ ! -e /sys/module/xroce ] || not_so 'the module is unloaded'
	insmod "$core_module"
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

# A link with a verbs device at boot: the kernel has protection domain 1.
verbs_batch() {
	verbs_begin
	truncate -s 8K "$work/file"
	printf 'verbs xr0\nmpt 64\nqp 16\nbatch %s\n' "$work/batch" >"$work/conf"
	printf 'pd add\nmr add pd last name m access none file %s\nqp add pd last\n' \
		"$work/file" >"$work/batch"
	xr link add dev x0 conf "$work/conf" >"$work/made"
	xr -j pd show >"$work/pds"
	holds '[p["kernel"] for p in pds] == [True, False] and pds[1]["mrs"] == 1 and
		pds[1]["qps"] == 1' pds
	for words in 'qp add' 'mw add type 1' "mr add access none file $work/file" \
		'mr add access none share m' 'mr change mr m'; do
		# shellcheck disable=SC2086 # words
		fails 1 "^xroce: ${words:0:2}: pd 1: it belongs to the kernel, .*; 'pd add' makes one" \
			$words pd 1
	done
	fails 1 '^xroce: pd del: pd 1: it belongs to the kernel' pd del 1
	# The regions of the kernel: with -d, or if something is named that they have.
	xr -j mr show >"$work/mrs"
	xr -j -d mr show >"$work/all"
	xr -j mr show pd 1 >"$work/of_1"
	xr -j mr show owner kernel >"$work/of_kernel"
	holds '[m["name"] for m in mrs] == ["m"] and len(all_) == 2 and of_1 == of_kernel and
		len(of_1) == 1 and of_1[0]["kernel"]' mrs all_="$work/all" of_1 of_kernel
	xr link show >"$work/text"
	[ "$(wc -l <"$work/text")" = 1 ] && [ "$(wc -L <"$work/text")" -le 100 ] ||
		not_so "one line of 100 columns: $(cat "$work/text")"
	xr link del dev x0 force
	verbs_end
}

# "rmmod rdma_rxe" removes all RDMA devices with its driver number.
verbs_after_rxe() {
	verbs_begin
	xr link add dev x0 mpt 64 qp 16 verbs xr0 >"$work/made"
	modprobe rdma_rxe
	has_verbs xr0
	rmmod rdma_rxe
	has_verbs ''
	in_xr rdma link add xr0 type xroce netdev x0
	has_verbs xr0
	xr link del dev x0
	verbs_end
}

# has_provider NAME [TEXT]: of xr0, in JSON and, if it is TEXT, in text
has_provider() {
	xr -j link show dev x0 >"$work/link"
	NAME=$1 holds 'l[0].get("provider") == os.environ["NAME"]' l="$work/link"
	xr link show dev x0 >"$work/text"
	[ "$(grep -o ' provider [a-z]*' "$work/text")" = "${2:+ provider $2}" ] ||
		not_so "provider $1: $(cat "$work/text")"
}

# Whose provider programs need, by word, setting and rdma(8); and it is not installed here.
verbs_provider() {
	local installed=/etc/libibverbs.d/xroce.driver

	verbs_begin
	[ ! -e "$installed" ] || skip "$installed is there"
	xr link add dev x0 mpt 64 qp 16 verbs xr0 provider xroce >"$work/made" 2>"$work/err"
	grep -q ' verbs xr0 provider xroce$' "$work/made" || not_so "made: $(cat "$work/made")"
	grep -q "^xroce: verbs xr0: its provider is not installed (no $installed): " "$work/err" ||
		not_so "it says so: $(cat "$work/err")"
	has_provider xroce xroce
	modprobe rdma_rxe
	rmmod rdma_rxe
	has_verbs xr0
	rdma link delete xr0
	in_xr rdma link add xr0 type xroce netdev x0
	has_provider rxe
	rdma link delete xr0
	in_xr rdma link add xr0 type xroce_own netdev x0
	has_provider xroce xroce
	xr link del dev x0
	printf 'mpt 64\nqp 16\nverbs xr0\nprovider xroce\n' >"$work/conf"
	xr link add dev x0 conf "$work/conf" >"$work/made" 2>"$work/err"
	has_provider xroce xroce
	xr link del dev x0
	xr link add dev x0 conf "$work/conf" provider rxe >"$work/made" 2>"$work/err"
	[ ! -s "$work/err" ] || not_so "no warning: $(cat "$work/err")"
	has_provider rxe
	xr link del dev x0
	fails 2 '^xroce: provider "mlx5": must be rxe or xroce' link add dev x0 verbs xr0 provider mlx5
	fails 2 '^xroce: provider: of which verbs device' link add dev x0 provider xroce
	verbs_end
}

command_up

run odd_names 'U1 D1'
run vlan 'U1 D1'
run no_pins 'U1 D1'
run hidden_pins 'U1 D1'
run hidden_vlan 'U1 D1'
run foreign_program 'U1 D1'
run paths 'U1 U6'
run moderation 'U1 U6'
run bare_words U1
run objects_completed U1
run limits_shown 'U1 R7'
run refusals_logged U1
run ranges 'U1 D5'
run wrong_objects 'U1 D1'
run wrong_files 'U1 R1'
run verbs_no_module U1
run verbs_made U1
run verbs_names U1
run verbs_in_use U1
run verbs_batch U1
run uninstall_first U6
run verbs_after_rxe U1
run verbs_provider 'U1 U6'
command_passed
