#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest as packaged by Debian on both ends: the client on rxe, the server on the verbs
# device of xroce. The server's process only sets up its objects; the XDP program answers, as
# its counters show.
#
# usage: verbs_perftest.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs.sh"
. "$here/../lib/verbs_perf.sh"

rows=("$@")
subject=verbs
# "make check" has the smallest and the largest path MTU.
mtus=(256 4096)
! is_long || mtus=(256 512 1024 2048 4096)

# In these, a program sends up to 80 MB.
all_sizes() {
	local perf_limit=$((3 * perf_limit))

	kinds all_sizes 'V2 D2' -m 4096 -a -n 5
	! is_long || run verbs_write_uc_all_sizes 'V2 D2' perf ib_write_bw -c UC -m 4096 -a -n 5
	! is_long || run verbs_send_uc_all_sizes 'V2 D2' perf ib_send_bw -c UC -m 4096 -a -n 5
	run verbs_send_ud_all_sizes 'V2 D2' perf ib_send_bw -c UD -m 4096 -a -n 50
	! is_long || run verbs_read_lat_all_sizes 'V2 D2' perf ib_read_lat -m 4096 -a -n 5
}

mtus() {
	local mtu

	for mtu in "${mtus[@]}"; do
		kinds "mtu$mtu" 'V2 D1 D2' -m $mtu -s $((3 * mtu + 1)) -n 50
	done
	run verbs_write_uc_mtu256 'V2 D1 D2' perf ib_write_bw -c UC -m 256 -s 769 -n 50
	run verbs_send_uc_mtu256 'V2 D1 D2' perf ib_send_bw -c UC -m 256 -s 769 -n 50
	run verbs_send_ud_mtu256 'V2 D1 D2' perf ib_send_bw -c UD -m 256 -s 256 -n 50
}

queue_pairs() {
	local qps

	for qps in 4 16; do
		[ $qps = 16 ] || is_long || continue
		kinds ${qps}_qps 'V2' -m 1024 -s 4096 -n 50 -q $qps
	done
	! is_long || run verbs_send_srq 'V2 D2' perf ib_send_bw -m 1024 -s 4096 -n 50 --use-srq
	run verbs_send_srq_4_qps 'V2 D2' perf ib_send_bw -m 1024 -s 4096 -n 50 -q 4 --use-srq
	run verbs_write_uc_4_qps 'V2' perf ib_write_bw -c UC -m 1024 -s 4096 -n 50 -q 4
	run verbs_send_uc_4_qps 'V2' perf ib_send_bw -c UC -m 1024 -s 4096 -n 50 -q 4
	run verbs_send_ud_4_qps 'V2' perf ib_send_bw -c UD -m 1024 -s 512 -n 50 -q 4
}

# Completion events instead of polling, which perftest does not have for WRITE.
events() {
	run verbs_send_events 'V2' perf ib_send_bw -m 1024 -s 4096 -n 50 -e
	run verbs_read_events 'V2' perf ib_read_bw -m 1024 -s 4096 -n 50 -e
	! is_long || run verbs_send_events_4_qps 'V2' perf ib_send_bw -m 1024 -s 4096 -n 50 -e -q 4
	run verbs_send_uc_events 'V2' perf ib_send_bw -c UC -m 1024 -s 4096 -n 50 -e
	run verbs_send_ud_events 'V2' perf ib_send_bw -c UD -m 1024 -s 512 -n 50 -e
	run verbs_read_lat_events 'V2' perf ib_read_lat -m 1024 -s 64 -n 50 -e
	run verbs_atomic_events 'V2' perf ib_atomic_bw -m 1024 -n 50 -e
}

atomics() {
	local type

	for type in FETCH_AND_ADD CMP_AND_SWAP; do
		run "verbs_atomic_bw_$type" 'V2 D2' perf ib_atomic_bw -m 1024 -n 100 -A $type
		! is_long || run "verbs_atomic_lat_$type" 'V2 D2' perf ib_atomic_lat -m 1024 -n 100 -A $type
	done
	run verbs_atomic_16_qps 'V2' perf ib_atomic_bw -m 1024 -n 50 -q 16
}

# Over IPv6; the TCP connection stays IPv4.
ipv6() {
	local client_gid server_gid

	client_gid=$(verbs_gid rxe0 "$(gid6_of 1)")
	server_gid=$(verbs_gid "$server_dev" "$(gid6_of "${server_ip##*.}")")
	kinds ipv6 'V2 D1' -m 1024 -s 4096 -n 50
	run verbs_send_ud_ipv6 'V2 D1' perf ib_send_bw -c UD -m 1024 -s 512 -n 50
}

verbs_net_up
both_ends_gids
all_sizes
mtus
queue_pairs
events
atomics
ipv6
results
