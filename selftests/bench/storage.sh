#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# NVMe over Fabrics end to end: RDMA with xroce at both ends, with rxe at both ends, and TCP, over
# the same veth, to a null_blk disk, which completes at once. "make bench", or
#
#   vm.sh --icount -- bench/storage.sh [-o FILE] [-m COUNT/USEC|adaptive|off] [-d DEPTH]
#                                      [RW:SIZE]...
#
# Figures are from fio's own time, in which a nanosecond is one instruction of the whole machine:
# fio, host, network and target. They are for one request at depth 32, or another one. With -m only
# xroce is measured, with its completion events moderated, and how long a request takes.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/nvme_ends.sh"

rows='randread:4k randwrite:4k read:64k write:64k'
out='' moderation='' depth=32

while getopts o:m:d: option; do
	case $option in
	o)	out=$OPTARG ;;
	m)	moderation=$OPTARG ;;
	d)	depth=$OPTARG ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 0 ] || rows=$*
work_up

# Requests of a run.
requests() { [ "$1" = 4k ] && echo 10000 || echo 1500; }

# instructions RW SIZE: print the instructions of a request
instructions() {
	fio --name bench --filename "$drive" --ioengine libaio --direct 1 --rw "$1" --bs "$2" \
		--iodepth "$depth" --number_ios "$(requests "$2")" --randseed 1 --random_generator lfsr \
		--size 256m --output-format json >"$work/fio"
	jq ".jobs[0].$([[ $1 = *read* ]] && echo read || echo write) | 1e9 / .iops" "$work/fio"
}

# time_of RW: print the nanoseconds between the start and the end of a request of that run
time_of() { jq ".jobs[0].$([[ $1 = *read* ]] && echo read || echo write).lat_ns.mean" "$work/fio"; }

# moderate: the completion events of both devices
moderate() {
	local end

	for end in h t; do
		case $moderation in
		adaptive)	rdma dev set ${end}r adaptive-moderation on ;;
		*)		"$xroce" link set dev ${end}0 moderation "$moderation" ;;
		esac
	done
}

# measure WHO: one line for each row, the median of three runs
measure() {
	local row

	for row in $rows; do
		echo "$row $(for _ in {1..3}; do
			echo "$(instructions "${row%:*}" "${row#*:}") $(time_of "$row")"
		done | sort -g | sed -n 2p)"
	done >"$work/$1"
}

# with WHO: set up one of xroce, rxe and tcp; measure; undo it
with() {
	undo_mark
	case $1 in
	tcp)	ulp_up none none ;;
	*)	ulp_up "$1" "$1" ;;
	esac
	[ -z "$moderation" ] || moderate
	[ "$1" != tcp ] || nvme_transport=tcp
	target_up
	host_up --reconnect-delay 10 --ctrl-loss-tmo 600 --keep-alive-tmo 0
	measure "$1"
	undo_to_mark
	nvme_transport=rdma
}

needs_module
needs_verbs
ulp_configfs
module_up
verbs_module_up
ulp_disk_backed=0
if [ -n "$moderation" ]; then
	with xroce
	printf '%-14s %12s %10s\n' request instructions ns
	awk '{ printf "%-14s %12.0f %10.0f\n", $1, $2, $3 }' "$work/xroce"
	exit
fi
for who in xroce rxe tcp; do
	with $who
done
printf '%-14s %10s %10s %10s %8s %8s\n' request xroce rxe nvme-tcp of\ rxe of\ tcp
for row in $rows; do
	for who in xroce rxe tcp; do
		awk -v row="$row" '$1 == row { print $2 }' "$work/$who"
	done | paste -s -d ' ' | awk -v row="$row" '{
		printf "%-14s %10.0f %10.0f %10.0f %8.2f %8.2f\n", row, $1, $2, $3, $1 / $2, $1 / $3 }'
done
[ -z "$out" ] || python3 -c '
import json, sys
rows = {}
for who in ("xroce", "rxe", "tcp"):
	for line in open(sys.argv[1] + "/" + who):
		row, value = line.split()[:2]
		op, size = row.split(":")
		rows.setdefault(row, {"op": op, "size": size})[who] = round(float(value))
json.dump(list(rows.values()), open(sys.argv[2], "w"))' "$work" "$out"
