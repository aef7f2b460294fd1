#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Break a connection in each way that xroce-debug(8) has a row for, collect what the
# commands of the page show, and look it up in the page: the row that fits first must be
# that of the breakage. Then repair it, as the row says, and the client must succeed. Of wrong values
# of one end nothing remains in the next attempt, which gives both ends all values: there the client
# must succeed once behind several.
#
# The client is memory_client on rxe0; the server is a queue pair made by hand on x0. Programs on a
# verbs device are two_ends.py and perftest.
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

page=$top/doc/man/xroce-debug.rst
client=$top/build/examples/memory_client
work=$(mktemp -d /dev/shm/debugging-XXXXXX)
bytes=2000
rows=("$@")
reached=$work/reached

xr() { in_xr "$top/build/user/xroce" "$@"; }
work_down() { rm -rf "$work"; }
link_down() { [ ! -e /sys/fs/bpf/xroce/x0 ] || xr link del dev x0 force; }
key_of() { sed -nE 's/.* rkey (0x[0-9a-f]+) .*/\1/p'; }

# --- A connection.

# Two regions, with and without rights, and one in a second protection domain.
serve() {
	xr link add dev x0 >/dev/null
	pd=$(xr pd add | cut -d ' ' -f 2)
	other_pd=$(xr pd add | cut -d ' ' -f 2)
	rkey=$(region "$pd" good local-write,remote-write,remote-read | key_of)
	no_right=$(region "$pd" no-right local-write,remote-read | key_of)
	other=$(region "$other_pd" other local-write,remote-write,remote-read | key_of)
	qpn=$(xr qp add pd "$pd" | cut -d ' ' -f 2)
	head -c $bytes /dev/urandom >"$work/file"
	mkfifo "$work/go"
	exec {go}<>"$work/go"
}

region() {
	truncate -s 64K "$work/$2"
	xr mr add pd "$1" name "$2" file "$work/$2" access "$3"
}

# The client's own number and PSN, which it prints. It begins when it reads a line of $go.
client_said() { grep -q '^qpn' "$work/client"; }

# A client that is to give up does so in a second, after as many attempts as others.
short=15

# attempt [NAME=VALUE]...: connect both ends, with these in place of what is right, and
# transfer; leaves what the client says in $work/client. Return: the client's status.
attempt() {
	local QPN=$qpn RKEY=$rkey RTR=yes AHEAD=0 DEST= HOST=10.77.0.2 GID=::ffff:10.77.0.2
	local ACCESS=remote-write,remote-read PKEY=65535 MTU=1024
	local SGID=10.77.0.2 DGID=10.77.0.1 LENGTH=65536 OFFSET=0 TIMEOUT=18
	local set pid psn dest

	for set; do
		local "$set"
	done
	xr qp modify qpn "$qpn" state reset
	xr qp modify qpn "$qpn" state init access "$ACCESS" pkey "$PKEY"
	"$client" -w -s "$QPN 0 $GID $RKEY 0 $LENGTH" -o "$OFFSET" -t "$TIMEOUT" rxe0 "$HOST" "$work/file" \
		<&"$go" >"$work/client" 2>&1 &
	pid=$!
	if wait_until 10 client_said 2>/dev/null; then
		read -r _ dest _ psn <"$work/client"
		psn=$(((psn + AHEAD) & 0xffffff))
		[ $RTR = no ] ||
			xr qp modify qpn "$qpn" state rtr sgid "$SGID" dgid "$DGID" mtu "$MTU" \
				dest-qpn "${DEST:-$dest}" rq-psn $psn force
		echo >&"$go"
	fi
	wait $pid
}

# --- What the commands of the page show.

# Counters of a link, but not those of its queue pairs; of its device; and of the kernel.
measure() {
	xr stat show dev x0 all | awk 'NF > 1 && $2 ~ /^[0-9]+$/ { print $1, $2 }'
	in_xr ethtool -S x0 2>/dev/null | sed -nE 's/^ *(rx_queue_[0-9]+_)?(.*): ([0-9]+)$/\2 \3/p'
	in_xr ip -s link show dev x0 | awk '/RX:/ { getline; print "dropped", $4 }'
}

# What the devices are, which only few breakages change.
surroundings() {
	in_xr rdma link show
	in_xr ip -d link show type vlan
	xr -d link show dev x0 | grep -o "prog_name [^ ]*"
}

# Forget what was measured and what the devices were: something changes them.
forget() { rm -f "$work/after" "$work/around"; }

# Drops are reported only while somebody reads.
before() {
	nsenter --net=/run/netns/xr "$top/build/user/xroce" monitor refused dropped \
		>"$work/events" 2>&1 &
	monitor=$!
	[ -e "$work/after" ] || measure >"$work/after"
	mv "$work/after" "$work/before"
	wait_until 10 monitor_reads
}

# It has the two rings and the map in which it says so: see user/lib/monitor.c.
monitor_reads() {
	[ "$(find "/proc/$monitor/fd" -lname '*bpf-map' | wc -l)" -ge 3 ] || [ ! -e "/proc/$monitor" ]
}

neighbour_known() { ! ip neigh show 10.77.0.2 | grep -q INCOMPLETE; }

# Names of counters that rose, what did not, the events, the client's words, and the rest.
evidence() {
	kill "$monitor"
	wait "$monitor" || :
	measure >"$work/after"
	awk 'NR == FNR { was[$1] = $2; next }
	     $2 > was[$1] { print $1; rose[$1] }
	     END {
		if (!("rx" in rose)) print "rx unchanged"
	     }' "$work/before" "$work/after"
	cat "$work/events" "$work/client"
	wait_until 10 neighbour_known
	ip neigh show 10.77.0.2
	[ -e "$work/around" ] || surroundings >"$work/around"
	cat "$work/around"
}

# --- Breakages.

# symptoms STATUS [EVIDENCE]: see symptoms.py
symptoms() { python3 -SI "$top/selftests/doc/symptoms.py" "$work/page.json" "$@"; }

# leads STATUS CAUSE: the page leads from $work/evidence to CAUSE
leads() {
	local found

	found=$(symptoms "$1" "$work/evidence") || found=
	echo "$found" >>"$reached"
	[ -n "$found" ] && [ "${found#"$2"}" != "$found" ] || {
		echo "# $1: the page says \"$found\", not \"$2\""
		sed 's/^/#   /' "$work/evidence"
		return 1
	}
}

# fails STATUS [NAME=VALUE]...: the client does, with that status; collect the evidence
fails() {
	local status=$1 failed=yes
	shift

	[ "$status" != "$retry" ] || set -- TIMEOUT=$short "$@"
	before
	! attempt "$@" || failed=
	evidence >"$work/evidence"
	[ -n "$failed" ] && grep -q "$status" "$work/client" || {
		echo "# not \"$status\":"
		sed 's/^/#   /' "$work/client"
		return 1
	}
}

succeeds() {
	rm -f "$work/after"
	attempt || {
		echo '# repaired, and yet:'
		sed 's/^/#   /' "$work/client"
		return 1
	}
}

# wrong STATUS CAUSE NAME=VALUE...: values that one end is given
wrong() {
	local status=$1 cause=$2
	shift 2

	fails "$status" "$@" && leads "$status" "$cause"
}

# around BREAK REPAIR STATUS CAUSE [NAME=VALUE]...: something beside the two ends
around() {
	local break=$1 repair=$2 status=$3 cause=$4 ok=1
	shift 4

	forget
	$break
	fails "$status" "$@" && leads "$status" "$cause" || ok=0
	$repair || ok=0
	forget
	[ $ok = 1 ] && succeeds
}

mtu_small() { in_xr ip link set x0 mtu 1000; }
mtu_back() { in_xr ip link set x0 mtu 4300; }

# What the hardware does is done by a queue that loses all; a device in sysfs is rxe's.
hardware() {
	ip neigh replace 10.77.0.2 dev c0 nud permanent lladdr "$(xr_mac)"
	in_xr rdma link add rxe1 type rxe netdev x0
	tc qdisc replace dev c0 root netem loss 100% limit 20000
}

no_hardware() {
	tc qdisc replace dev c0 root pfifo limit 20000
	rdma link delete rxe1
	ip neigh del 10.77.0.2 dev c0
}

other_mac() { ip neigh replace 10.77.0.2 dev c0 nud permanent lladdr 02:00:00:00:00:77; }
right_mac() { ip neigh del 10.77.0.2 dev c0; }

port_active() { grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state; }

# All packets have a wrong bit somewhere.
corrupt() {
	ip neigh replace 10.77.0.2 dev c0 nud permanent lladdr "$(xr_mac)"
	tc qdisc replace dev c0 root netem corrupt 100% limit 20000
}

sound() {
	tc qdisc replace dev c0 root pfifo limit 20000
	ip neigh del 10.77.0.2 dev c0
}

# What is between the machines loses all. The client's own firewall would be an error to rxe.
firewall() {
	ip neigh replace 10.77.0.2 dev c0 nud permanent lladdr "$(xr_mac)"
	tc qdisc replace dev c0 root netem loss 100% limit 20000
}

# A process with memory that it unmaps when it reads a line.
mapped='
import ctypes, sys
c = ctypes.CDLL(None)
c.mmap.restype = ctypes.c_void_p
c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
at = c.mmap(None, 65536, 3, 0x22, -1, 0)
print(at, flush=True)
sys.stdin.readline()
c.munmap(ctypes.c_void_p(at), 65536)
print("unmapped", flush=True)
sys.stdin.readline()'

unmapped() {
	local pid at key line status=0

	coproc python3 -SI -c "$mapped"
	pid=$COPROC_PID
	read -r -u "${COPROC[0]}" at
	key=$(xr mr add pd "$pd" name gone pid "$pid" addr "$at" size 64K iova 0 access \
		local-write,remote-write,remote-read odp | key_of)
	echo >&"${COPROC[1]}"
	read -r -u "${COPROC[0]}" line
	[ "$line" = unmapped ] &&
		wrong "$access" 'On-demand memory is not mapped' RKEY="$key" && succeeds ||
		status=1
	xr mr del gone || status=1
	kill "$pid"
	wait "$pid" || :
	return $status
}

# --- Breakages of programs on the verbs device.

# verbs_fails CASE STATUS CAUSE: see two_ends.py
verbs_fails() {
	before
	/usr/bin/python3 "$top/selftests/doc/two_ends.py" "$1" >"$work/client" 2>&1 || :
	evidence >"$work/evidence"
	grep -q "$2" "$work/client" || { sed 's/^/# /' "$work/client"; return 1; }
	leads "$2" "$3"
}

# Somebody else is connected with the peer.
occupied() {
	before
	/usr/bin/python3 "$top/selftests/doc/two_ends.py" occupied >"$work/client" 2>&1 || :
	evidence >"$work/evidence"
	grep -q 'Address already in use' "$work/client" || { sed 's/^/# /' "$work/client"; return 1; }
	leads "$retry" 'A queue pair of another program is connected with the same peer'
}

# The log names a refusal on a link at most once a minute, so each of these cases has its own link.
# Its program is verified quickly: no packet comes.
refusing_link() {
	link_down
	XROCE_BPF_OBJECT=$top/build/selftests/lib/small.bpf.o xr link add dev x0 qp 16 >/dev/null &&
		verbs_add xr0 x0 10.77.0.2
}

# no_qp CAUSE [COMMAND [ARG]...]: the server of perftest, started by COMMAND, gets no queue pair
# when a client comes
no_qp() {
	local cause=$1 server
	shift

	in_xr "$@" timeout 60 ib_write_bw -d xr0 -x 1 -s 64 -q 8 >"$work/client" 2>&1 &
	server=$!
	wait_until 20 server_listens
	timeout 60 ib_write_bw -d rxe0 -x 1 -s 64 -q 8 10.77.0.2 >/dev/null 2>&1 || :
	wait $server || :
	grep -q "$create" "$work/client" || { sed 's/^/# /' "$work/client"; return 1; }
	xr link limit show dev x0 | grep 'limit of qp ' | grep -q ' refused [1-9]' &&
		in_xr rdma statistic show link xr0/1 | grep -q ' refused [1-9]' &&
		xr -o prometheus stat show |
			grep -q '^xroce_link_refused_total{dev="x0",of="qp"} [1-9]' || {
		echo '# not counted'
		return 1
	}
	dmesg | grep -E 'xroce: x0: .*refused a queue pair: ' | tail -n 1 >"$work/evidence"
	leads "$create" "$cause"
}

nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all)

link_limited() { refusing_link && xr link limit dev x0 qp 0 && no_qp 'The link is limited'; }

user_limited() {
	refusing_link && xr link limit dev x0 user qp 0 &&
		no_qp 'Each user is limited' "${nobody[@]}"
}

# Of 14 places one user has at most as many as remain free, and asks for eight.
user_share() { refusing_link && no_qp 'The user has as many as remain free' "${nobody[@]}"; }

# Queue pairs are made until there is no room.
table_full() {
	refusing_link || return
	yes "qp add pd $(xr pd add dev x0 | cut -d ' ' -f 2)" | head -n 20 >"$work/batch"
	xr -b "$work/batch" >/dev/null 2>&1 || :
	no_qp "The link's table is full"
}

# The verbs device goes while a program has it open.
device_gone() {
	local pid line

	coproc /usr/bin/python3 "$top/selftests/doc/two_ends.py" gone 2>"$work/client"
	pid=$COPROC_PID
	read -r -u "${COPROC[0]}" line
	[ "$line" = ready ] && rdma link delete xr0 || { echo "# $line"; return 1; }
	echo >&"${COPROC[1]}"
	cat <&"${COPROC[0]}" >"$work/evidence"
	wait "$pid" || :
	leads 'A verbs device does not work' 'The device has gone'
}

is_down() { in_xr ip link set x0 down; }
is_up() {
	in_xr bash -euc 'ip link set x0 up; ip addr add fd77::2/64 dev x0 nodad 2>/dev/null || :'
	wait_until 10 port_active
}

vlan_there() { grep -qx 0000:0000:0000:0000:0000:ffff:0a4e:0001 /sys/class/infiniband/rxe0/ports/1/gids/*; }

vlan() {
	vlan_end c0 1
	export -f vlan_end
	in_xr bash -euc 'vlan_end x0 2'
	wait_until 10 vlan_there
}

vlan_and() {
	local status=0

	forget
	vlan
	fails "$retry" "$@" && leads "$retry" "$vlan_cause" || status=1
	xr link reload dev x0 >/dev/null
	[ $status = 0 ] && attempt "$@" || status=1
	ip link del c0.5
	in_xr ip link del x0.5
	forget
	return $status
}

# A function that the program calls is not in the module.
other_version() {
	local status=0

	forget
	link_down
	sed 's/xroce_defer/xroce_other/g' "$top/build/bpf/xroce.bpf.o" >"$work/other.o"
	! XROCE_BPF_OBJECT=$work/other.o xr link add dev x0 >"$work/evidence" 2>&1 || {
		xr link del dev x0
		echo '# it is not refused'
		return 1
	}
	leads 'link add fails' 'Program and module are of different versions' || status=1
	xr link add dev x0 >/dev/null && return $status
}

# Each row of each table has been reached.
all_reached() {
	local title missing

	missing=$(for title in "$access" "$invalid" "$rnr" "$operation" "$retry" \
		"$unreachable" "$create" 'link add fails'; do
		symptoms "$title"
	done | grep -vxFf "$reached") || return 0
	echo "# nothing here is broken so: $missing"
	return 1
}

access='remote access error'
invalid='remote invalid request error'
retry='transport retry counter exceeded'
unreachable='Connection timed out'
rnr='RNR retry counter exceeded'
operation='remote operation error'
create='Unable to create QP'
vlan_cause='The VLAN device is newer than the link'
addresses='The addresses of the packet are not those'

# Needs the module xroce_ib, and a new link.
verbs_rows() {
	verbs_module_up
	pd=$(xr pd add | cut -d ' ' -f 2)
	verbs_add xr0 x0 10.77.0.2
	forget
	broken unposted verbs_fails unposted "$rnr" 'A SEND found no receive work request'
	broken element verbs_fails element "$operation" 'An element of a receive work request'
	broken full verbs_fails full "$operation" 'The completion queue of the receiver is full'
	broken stranger verbs_fails stranger "$retry" 'A queue pair of the same link sends'
	broken occupied occupied
	broken gone device_gone
	broken link_limited link_limited
	broken user_limited user_limited
	broken user_share user_share
	broken table_full table_full
}

broken() {
	local name=$1
	shift

	run "debugging_$name" 'U1 U5' "$@"
}

net_up
undo+=(work_down)
"$top/selftests/doc/symptoms.py" "$page" >"$work/page.json"
module_up
rxe_up
undo+=(link_down)
serve
broken nothing succeeds
broken key wrong "$access" 'The R_Key is not valid' RKEY=0x00000001
broken pd wrong "$access" 'The region is in another protection domain' RKEY="$other"
broken right wrong "$access" 'The region lacks the right' RKEY="$no_right"
broken bounds wrong "$access" 'The access is not within the region' OFFSET=65000 LENGTH=131072
broken qp_right wrong "$invalid" 'The queue pair lacks the right' ACCESS=remote-read
broken path_mtu wrong "$invalid" 'The path MTU of the client is larger' MTU=512
broken repaired succeeds
broken psn_ahead wrong "$retry" 'The client begins with a later PSN' AHEAD=-10
broken psn_behind wrong "$retry" 'The client begins with an earlier PSN' AHEAD=10
broken dgid wrong "$retry" "$addresses" DGID=10.77.0.9
broken sgid wrong "$retry" "$addresses" SGID=10.77.0.3
broken gid_index wrong "$retry" "$addresses" GID=fd77::2 HOST=fd77::2
broken pkey wrong "$retry" 'The partition keys differ' PKEY=0x1234
broken qpn wrong "$retry" 'The link has no such queue pair' QPN=0x900001
broken dest_qpn wrong "$retry" 'The responses go to another queue pair' DEST=0x000001
broken state wrong "$retry" 'The queue pair is not ready to receive' RTR=no
broken repaired_too succeeds
broken vlan vlan_and HOST=10.78.0.2 GID=::ffff:10.78.0.2 SGID=10.78.0.2 DGID=10.78.0.1
broken mac around other_mac right_mac "$retry" 'The frames are for another Ethernet address'
broken mtu around mtu_small mtu_back "$retry" 'The MTU of the server'
broken corrupt around corrupt sound "$retry" 'Packets are damaged on the way'
broken firewall around firewall sound "$retry" 'Something on the way discards UDP packets'
broken unmapped unmapped
broken hardware around hardware no_hardware "$retry" 'The NIC handles RoCEv2 itself'
broken down around is_down is_up "$unreachable" 'There is no path'
broken version other_version
[ ! -e "$verbs_module" ] || verbs_rows
broken all all_reached
results
