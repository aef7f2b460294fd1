#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The demo: an unmodified ib_write_bw on Soft-RoCE writes into a region that XDP serves.
# Runs in the virtual machine; see net.sh for the network.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

sizes='64 256 1024 4096 16384 65536 262144 1048576'

# Retry if perftest fails to measure its clock on a busy CPU.
write_bw() {
	local out='' status=0

	for _ in 1 2 3; do
		status=0
		out=$(ib_write_bw "$@" 2>&1) || status=$?
		[[ $out = *"Can't produce a report"* ]] || break
	done
	printf '%s\n' "$out"
	return $status
}

net_up
module_up
rxe_up
gid=$(rxe_gid4)
serve_up
in_xr "$xroce" link show

# One table for each path MTU: rules, head and rows are printed by ib_write_bw.
for mtu in 1024 4096; do
	echo
	echo "ib_write_bw -d rxe0 -x $gid -m $mtu -s SIZE -n 100 10.77.0.2"
	head=1
	for size in $sizes; do
		out=$(write_bw -d rxe0 -x "$gid" -m "$mtu" -s "$size" \
		      -n 100 10.77.0.2) || { echo "$out"; exit 1; }
		[ $head = 0 ] || grep '#bytes' <<<"$out"
		grep -E "^ *$size " <<<"$out"
		head=0
	done
done

echo
echo 'Served by XDP (no rxe device is on x0):'
rdma link
in_xr "$xroce" stat show dev x0
[ "$(stats_of write)" -gt 0 ]
