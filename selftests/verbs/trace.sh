#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The tracepoints of xroce.ko: a connection whose packets are lost, a peer that moves, an MTU that
# falls, a limit, and on-demand memory.
set -eu

. "$(dirname "$0")/../lib/verbs_pair.sh"

events=/sys/kernel/tracing/events/xroce
trace=/sys/kernel/tracing/trace
work=$(mktemp -d)

# saw WORDS: a line of the trace has them; each "N" is a number
saw() {
	grep -qE "$(sed 's/=N/=[0-9]+/g; s/=X/=0x[0-9a-f]+/g' <<<"$1")" "$trace" ||
		{ echo "# not traced: $1"; tail -n 3 "$trace" | sed 's/^/# /'; return 1; }
}

states() {
	saw 'xroce_qp_state: link=N qpn=N from=RESET to=INIT' &&
		saw 'xroce_qp_state: link=N qpn=N from=INIT to=RTR' &&
		saw 'xroce_qp_state: link=N qpn=N from=RTR to=RTS'
}

again() {
	saw 'xroce_retransmit: link=N qpn=N una=N psn=N retries=N why=rnr_nak' &&
		saw 'xroce_retransmit: .* why=(timeout|sequence_nak)'
}

# Of the peer that is not ready: 0x20 to 0x3f.
naks() {
	saw 'xroce_nak_sent: link=N qpn=N psn=N syndrome=0x[23][0-9a-f]$' &&
		saw 'xroce_nak_received: link=N qpn=N psn=N syndrome=0x[23][0-9a-f]$'
}

# A link counts what it receives.
sacks() {
	local counted

	counted=$(in_xr "$xroce" -s stat show | awk '$1 == "req_sack" { n += $2 } END { print n }')
	saw 'xroce_sack_sent: link=N qpn=N psn=N kept=[1-9]' &&
		saw 'xroce_sack_received: link=N qpn=N psn=N kept=[1-9]' &&
		[ "$counted" = "$(grep -c ' xroce_sack_received: ' "$trace")" ]
}

moved() { saw 'xroce_peer_moved: link=N qpn=N from=[0-9a-f:]* to=02:00:00:00:0a:0a$'; }

short() { saw 'xroce_mtu_short: link=N qpn=N path_mtu=1024 needs=1088 mtu=600$'; }

posted() { saw 'xroce_doorbell: link=N qpn=N count=N'; }

refused() {
	in_xr "$xroce" link limit dev p0 pd 0 && ! in_xr "$xroce" pd add dev p0 2>/dev/null &&
		saw 'xroce_refused: dev=p0 uid=-1 kind=N what=a protection domain, why=limit of the link'
}

server_down() {
	kill "$server"
	rm -r "$work" /dev/shm/traced
}

listens() { in_xr ss -Hltn 'sport = 18515' | grep -q .; }

# A WRITE of one packet to a page that is not resident. What it leaves: the numbers of link and
# queue pair, and the address of the region.
on_demand() {
	"${enter_xr[@]}" "$xroce" serve --netdev p0 region r size 64K file /dev/shm/traced odp \
		>"$work/served" &
	server=$!
	undo+=(server_down)
	wait_until 20 listens
	head -c 64 /dev/urandom >"$work/bytes"
	"${enter_yr[@]}" "$top/build/examples/memory_client" -r r xr2 10.79.0.2 "$work/bytes" \
		>/dev/null
	wait_until 20 grep -q '^client' "$work/served"
	link=$(in_xr "$xroce" link show dev p0 | sed -n 's/^link \([0-9]*\) .*/\1/p')
	qpn=$(($(sed -n 's/^client.* qpn \(0x[0-9a-f]*\).*/\1/p' "$work/served")))
	addr=0x$(sed -n 's,^0*\([0-9a-f]*\)-.*/dev/shm/traced$,\1,p' "/proc/$server/maps")
}

# once EVENT FIELDS: it was traced once, with these fields
once() {
	[ "$(grep -c " $1: " "$trace")" = 1 ] && saw "$1: $2\$"
}

# Another one may be its repetition, if that takes long.
deferred() { saw "xroce_defer: link=$link qpn=$qpn count=1\$"; }

fault() { once xroce_fault "addr=$addr pages=1 write=1 error=0"; }

# Tools that read the formats know no names of constants, nor quotes within quotes.
formats() {
	! grep -H 'XR_' "$events"/*/format &&
		! grep -L '^print fmt: "[^"]*", ' "$events"/*/format | grep .
}

needs_verbs
net_up
module_up
[ -d "$events" ] || { echo '1..0 # SKIP no tracepoints'; exit 4; }
verbs_module_up
modprobe sch_netem
pair_up wire
echo 1 >"$events/enable"
# Without the program's output, which is a document of its own.
"$top/build/selftests/verbs_loss_test" rc_late_loss rc_lost >/dev/null
PATH=$top/build/user:$PATH "$top/build/selftests/verbs_path_test" path_outstanding \
	path_mtu_raised >/dev/null
on_demand
echo 'TAP version 13'
run trace_states 'D6' states
run trace_again 'D6 Q3' again
run trace_naks 'D6' naks
run trace_sacks 'D6 Q3' sacks
run trace_peer_moved 'D6 V12' moved
run trace_mtu_short 'D6 V12' short
run trace_doorbell 'D6' posted
run trace_defer 'D6 O3' deferred
run trace_fault 'D6 O3' fault
run trace_refused 'D6 R7' refused
run trace_formats 'D6' formats
echo 0 >"$events/enable"
results
