#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# xroce and rxe at the ends of a veth pair in mode native, whatever the client's end has: nothing,
# GRO, an XDP program. Without a program there, veth would lose the frames of XDP_TX.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

[ "${XROCE_NET:-veth}" = veth ] || { printf 'TAP version 13\n1..0 # SKIP veth only\n'; exit 4; }
work_up
program_on() { net_veth_program; }
program_off() { ip link set c0 xdpdrv off; }

# sent QUEUED COMMAND...: run it; the module sends so many responses, the XDP program the others.
# Each response that is counted as sent arrives: the client repeats nothing.
sent() {
	local want=$1
	local -a b a

	shift
	read -ra b < <(stats_of tx queued duplicate)
	"$@" || return
	read -ra a < <(stats_of tx queued duplicate)
	echo "# tx $((a[0] - b[0])) queued $((a[1] - b[1])) duplicate $((a[2] - b[2]))"
	[ $((a[0] - b[0])) -gt 0 ] && [ $((a[2] - b[2])) = 0 ] || not_so 'all arrive' || return
	[ $((a[1] - b[1])) = "$want" ] || not_so "the module sends $want"
}

# 220 responses
all_programs() {
	perf ib_write_bw 1024 64 50 1 "$gid4" && perf ib_write_bw 4096 4096 50 1 "$gid4" &&
		perf ib_read_bw 1024 64 50 1 "$gid4" &&
		perf ib_read_bw 4096 65536 20 1 "$gid4" &&
		perf ib_atomic_bw 1024 8 50 1 "$gid4"
}

nothing() { sent 220 all_programs; }

# The device's own features say whether its peer receives.
probed() {
	local state

	for state in no yes; do
		[ $state = no ] || program_on
		in_xr "$xroce" feature probe dev x0 >"$work/probe" &&
			grep -q "name xdp_tx state $state detail" "$work/probe" ||
			not_so "$(cat "$work/probe")" || return
	done
	program_off
	in_xr "$xroce" feature probe dev x0 | grep 'name xdp_tx ' |
		grep -q "'xroce link add dev PEER' there"
}

with_gro() {
	ethtool -K c0 gro on && sent 220 all_programs && program_on &&
		sent 50 perf ib_write_bw 1024 64 50 1 "$gid4" && program_off &&
		sent 50 perf ib_write_bw 1024 64 50 1 "$gid4" && ethtool -K c0 gro off
}

# With GRO requested c0 polls on when its program goes, which changes no feature of x0: x0 has no
# segmentation that could come back. So the module has to learn of GRO from c0, and sends from then
# on.
gro_later() {
	segmentation off && program_on && sent 0 perf ib_write_bw 1024 64 50 1 "$gid4" &&
		ethtool -K c0 gro on && sent 50 perf ib_write_bw 1024 64 50 1 "$gid4" &&
		program_off && sent 50 perf ib_write_bw 1024 64 50 1 "$gid4" &&
		ethtool -K c0 gro off && segmentation on
}

segmentation() {
	in_xr ethtool -K x0 tso "$1" tx-sctp-segmentation "$1" tx-udp-segmentation "$1" \
		tx-gso-list "$1"
}

# A program comes and goes while queue pairs are connected; nothing is lost for good.
program() {
	program_on && sent 0 perf ib_write_bw 1024 64 50 1 "$gid4" &&
		sent 0 perf ib_read_bw 1024 64 50 1 "$gid4" && program_off &&
		sent 50 perf ib_write_bw 1024 64 50 1 "$gid4"
}

while_connected() {
	local client changes=0

	timeout 120 ib_write_bw -d rxe0 -x "$gid4" -m 1024 -s 64 -D 8 -u 14 10.77.0.2 \
		>"$work/client" 2>&1 &
	client=$!
	while kill -0 $client 2>/dev/null; do
		program_on
		sleep 0.3
		program_off
		# Longer than the client's timer and its retries.
		sleep 1
		changes=$((changes + 1))
	done
	wait $client || { sed 's/^/# /' "$work/client"; return 1; }
	[ $changes -ge 2 ] || not_so 'the client had ended before the changes'
}

# In mode generic the XDP program sends, with a program at the other end or without.
generic() {
	serve_down
	unset 'undo[-1]'
	in_xr "$xroce" link add dev x0 mode generic >"$work/out" && serve_up >/dev/null &&
		sent 0 perf ib_write_bw 1024 64 50 1 "$gid4" && serve_down &&
		unset 'undo[-1]' && in_xr "$xroce" link del dev x0
}

net_up
program_off
module_up
rxe_up
gid4=$(rxe_gid4)
serve_up >/dev/null
run veth_peer_nothing 'D1 D6' nothing
run veth_peer_probed 'U1 D1' probed
run veth_peer_gro 'D1 D6' with_gro
run veth_peer_gro_later 'D1 D6' gro_later
run veth_peer_program 'D1 D6' program
run veth_peer_while_connected 'D1' while_connected
run veth_peer_generic 'D1' generic
results
