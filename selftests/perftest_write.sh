#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest's programs, as Debian ships them, on rxe against "xroce serve": WRITE.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/net.sh"
. "$here/serve.sh"

net_up
module_up
rxe_up
gid4=$(rxe_gid4)
serve_up --max-qps 16 >/dev/null

for mtu in 256 512 1024 2048 4096; do
	for size in 2 64 "$mtu" $((mtu + 1)) 65536; do
		run "write_bw_mtu${mtu}_$size" 'U4 D1 D2' \
			perf ib_write_bw $mtu $size 50 1 "$gid4"
	done
done
run write_bw_1m 'U4 D2' perf ib_write_bw 4096 1048576 20 1 "$gid4"
run write_bw_8m 'U4 D2' perf ib_write_bw 4096 8388608 5 1 "$gid4"
run write_bw_4_qps 'U4' perf ib_write_bw 1024 4096 50 4 "$gid4"
run write_bw_16_qps 'U4' perf ib_write_bw 1024 4096 50 16 "$gid4"
run write_bw_ipv6 'U4 D1' perf ib_write_bw 1024 4096 50 1 "$(rxe_gid6)"
results
