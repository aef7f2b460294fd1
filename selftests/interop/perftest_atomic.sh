#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest as packaged by Debian, on rxe, against "xroce serve": atomics.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

perf_up

for mtu in 256 512 1024 2048 4096; do
	# An atomic has no payload that the path MTU could divide.
	[ $mtu = 256 ] || [ $mtu = 4096 ] || is_long || continue
	for type in FETCH_AND_ADD CMP_AND_SWAP; do
		run "atomic_bw_mtu${mtu}_$type" 'U4 D1 D2' \
			perf ib_atomic_bw $mtu 8 100 1 "$gid4" -A $type
		run "atomic_lat_mtu${mtu}_$type" 'U4 D1 D2' \
			perf ib_atomic_lat $mtu 8 100 1 "$gid4" -A $type
	done
done
for qps in 4 16; do
	run "atomic_bw_${qps}_qps" 'U4' \
		perf ib_atomic_bw 1024 8 100 $qps "$gid4"
done
run atomic_bw_ipv6 'U4 D1' perf ib_atomic_bw 1024 8 100 1 "$(rxe_gid6)"
results
