#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest and ibv_rc_pingpong as packaged by Debian, with xroce as the client:
#
#   rxe    xr0 to rxe0, over the veth pair of net.sh
#   loop   xr0 to itself
#   veth   xr1 to xr2, over a veth pair of their own, with an XDP program of xroce at each end
#
# usage: verbs_requester.sh [PART]...   only tests whose name has one of the PARTs
#
# "make check" has the smallest and the largest path MTU, and with xroce at both ends a selection;
# "make check-long" has all rows with all pairings.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs_pair.sh"
. "$here/../lib/verbs_perf.sh"

rows=("$@")
mtus=(256 4096)
! is_long || mtus=(256 512 1024 2048 4096)

# --- The pairings: names and addresses of both ends.

use_gids() { # PREFIX4 CLIENT SERVER
	client_gid=$(verbs_gid "$client_dev" "$(gid4_of "$1.$2")")
	server_gid=$(verbs_gid "$server_dev" "$(gid4_of "$1.$3")")
	server_ip=$1.$3
}

use_gids6() { # PREFIX6 CLIENT SERVER
	client_gid=$(verbs_gid "$client_dev" "$(gid6_of "$2" "$1")")
	server_gid=$(verbs_gid "$server_dev" "$(gid6_of "$3" "$1")")
}

use_rxe() {
	client_dev=xr0 client_link=(xr x0) client_enter=("${enter_xr[@]}")
	server_dev=rxe0 server_link=() server_enter=(env)
	net4=10.77.0 net6=fd77 hosts=(2 1)
	use_gids "$net4" "${hosts[@]}"
}

use_loop() {
	client_dev=xr0 client_link=(xr x0) client_enter=("${enter_xr[@]}")
	server_dev=xr0 server_link=(xr x0) server_enter=("${enter_xr[@]}")
	net4=10.77.0 net6=fd77 hosts=(2 2)
	use_gids "$net4" "${hosts[@]}"
}

use_veth() {
	client_dev=xr1 client_link=(xr p0) client_enter=("${enter_xr[@]}")
	server_dev=xr2 server_link=(yr q0) server_enter=("${enter_yr[@]}")
	net4=10.79.0 net6=fd79 hosts=(2 3)
	use_gids "$net4" "${hosts[@]}"
}

# --- The tests of each.

# pingpong WORD...: ibv_rc_pingpong, which compares what arrives (-c), with these words
pingpong() {
	local server server_port=18516 status=0

	set -- ibv_rc_pingpong -p $server_port -n 50 -c "$@"
	"${server_enter[@]}" timeout "$perf_limit" "$@" -d "$server_dev" -g "$server_gid" \
		>"$work/server" 2>&1 &
	server=$!
	wait_until 60 server_listens
	"${client_enter[@]}" timeout "$perf_limit" "$@" -d "$client_dev" -g "$client_gid" \
		"$server_ip" >"$work/client" 2>&1 || status=1
	[ $status = 0 ] || kill "$server" 2>/dev/null || :
	wait "$server" || status=1
	grep -q '^50 iters' "$work/client" && grep -q '^50 iters' "$work/server" || status=1
	[ $status = 0 ] || explain
	return $status
}

# all: whether all rows run with this pairing
all() { [ "$pairing" = rxe ] || is_long; }

pingpongs() {
	! all || run "${subject}_pingpong" 'V7' pingpong -s 4096 -m 1024
	run "${subject}_pingpong_events" 'V6 V7' pingpong -s 64 -m 4096 -e
}

# In these, a program sends up to 80 MB.
all_sizes() {
	local perf_limit=$((3 * perf_limit))

	run "${subject}_write_all_sizes" 'V7 D2' perf ib_write_bw -m 4096 -a -n 5
	run "${subject}_read_all_sizes" 'V7 D2' perf ib_read_bw -m 4096 -a -n 5
	if is_long; then
		run "${subject}_send_all_sizes" 'V7 D2' perf ib_send_bw -m 4096 -a -n 5
		run "${subject}_send_uc_all_sizes" 'V7 D2' perf ib_send_bw -c UC -m 4096 -a -n 5
	fi
	run "${subject}_send_ud_all_sizes" 'V7 D2' perf ib_send_bw -c UD -m 4096 -a -n 25
}

mtus() {
	local mtu

	for mtu in "${mtus[@]}"; do
		kinds "mtu$mtu" 'V7 D1' -m $mtu -s $((3 * mtu + 1)) -n 25
	done
}

# The unreliable services: UC, and datagrams
unreliable() {
	local mtu

	for mtu in 256 4096; do
		run "${subject}_write_uc_mtu$mtu" 'V7 D2' \
			perf ib_write_bw -c UC -m $mtu -s $((3 * mtu + 1)) -n 25
		all || [ $mtu = 256 ] || continue
		run "${subject}_send_uc_mtu$mtu" 'V7 D2' \
			perf ib_send_bw -c UC -m $mtu -s $((3 * mtu + 1)) -n 25
		run "${subject}_send_ud_mtu$mtu" 'V7 D2' \
			perf ib_send_bw -c UD -m $mtu -s $mtu -n 25
	done
	all || return 0
	run "${subject}_send_uc_16_qps" 'V7' perf ib_send_bw -c UC -m 1024 -s 4096 -n 10 -q 16
	run "${subject}_send_ud_16_qps" 'V7' perf ib_send_bw -c UD -m 1024 -s 512 -n 10 -q 16
	run "${subject}_send_lat_ud" 'V7' perf ib_send_lat -c UD -m 1024 -s 64 -n 25
}

latency() {
	local kind

	for kind in write send read; do
		run "${subject}_${kind}_lat" 'V7' perf ib_${kind}_lat -m 1024 -s 64 -n 25
		! is_long || run "${subject}_${kind}_lat_64k" 'V7' perf ib_${kind}_lat -m 1024 -s 65536 -n 10
	done
	run "${subject}_send_lat_events" 'V6 V7' perf ib_send_lat -m 1024 -s 64 -n 25 -e
}

queue_pairs() {
	local qps

	for qps in 4 16 64; do
		[ $qps = 16 ] || is_long || continue
		kinds ${qps}_qps 'V7' -m 1024 -s 4096 -n 10 -q $qps
	done
	! is_long || run "${subject}_send_srq" 'V7' perf ib_send_bw -m 1024 -s 4096 -n 25 --use-srq
	run "${subject}_send_srq_4_qps" 'V7' perf ib_send_bw -m 1024 -s 4096 -n 25 -q 4 --use-srq
	run "${subject}_atomic_16_qps" 'V7' perf ib_atomic_bw -m 1024 -n 10 -q 16
}

# Completion events instead of polling, which perftest does not have for WRITE.
events() {
	run "${subject}_send_events" 'V6 V7' perf ib_send_bw -m 1024 -s 4096 -n 25 -e
	run "${subject}_read_events" 'V6 V7' perf ib_read_bw -m 1024 -s 4096 -n 25 -e
	run "${subject}_atomic_events" 'V6 V7' perf ib_atomic_bw -m 1024 -n 25 -e
}

inline_data() {
	run "${subject}_write_inline" 'V7' perf ib_write_bw -m 1024 -s 128 -n 25 -I 128
	run "${subject}_send_inline" 'V7' perf ib_send_bw -m 1024 -s 128 -n 25 -I 128
	run "${subject}_send_lat_inline" 'V7' perf ib_send_lat -m 1024 -s 13 -n 25 -I 128
}

both_ways() {
	! all || kinds both_ways 'V7' -m 1024 -s 4096 -n 25 -b
	run "${subject}_atomic_both_ways" 'V7' perf ib_atomic_bw -m 1024 -n 25 -b
}

outstanding() {
	local n

	for n in 1 16; do
		[ $n = 1 ] || is_long || continue
		run "${subject}_read_outstanding_$n" 'V7' \
			perf ib_read_bw -m 1024 -s 16384 -n 25 -o $n
		run "${subject}_atomic_outstanding_$n" 'V7' perf ib_atomic_bw -m 1024 -n 25 -o $n
	done
}

atomics() {
	local type

	for type in FETCH_AND_ADD CMP_AND_SWAP; do
		run "${subject}_atomic_$type" 'V7' perf ib_atomic_bw -m 1024 -n 25 -A $type
		! is_long || run "${subject}_atomic_lat_$type" 'V7' perf ib_atomic_lat -m 1024 -n 25 -A $type
	done
}

# Over IPv6; the TCP connection stays IPv4.
ipv6() {
	local client_gid server_gid

	use_gids6 "$net6" "${hosts[@]}"
	! all || kinds ipv6 'V7 D1' -m 1024 -s 4096 -n 25
	run "${subject}_atomic_ipv6" 'V7 D1' perf ib_atomic_bw -m 1024 -n 25
	! is_long || run "${subject}_send_uc_ipv6" 'V7 D1' perf ib_send_bw -c UC -m 1024 -s 4096 -n 25
	run "${subject}_send_ud_ipv6" 'V7 D1' perf ib_send_bw -c UD -m 1024 -s 512 -n 25
}

verbs_net_up
pair_up direct
for pairing in rxe loop veth; do
	"use_$pairing"
	subject=requester_$pairing
	pingpongs
	mtus
	unreliable
	both_ways
	atomics
	ipv6
	all || continue
	all_sizes
	latency
	queue_pairs
	events
	inline_data
	outstanding
done
results
