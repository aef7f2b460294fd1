#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest end to end. With the client on rxe: against "xroce serve", against the same
# program on rxe, and against rxe behind XDP programs that pass everything, because veth
# copies incoming frames for any XDP program. And with verbs devices of xroce at both ends.
# "make bench", or
#
#   vm.sh --icount -- bench/perftest.sh [-o FILE] [PROGRAM:SIZE]...
#
#   c0 10.77.0.1, rxe0 or xr1  <------ veth ------>  x0 10.77.0.2, rxe1, xroce or xr0
#
# Figures are from perftest's own time, in which a nanosecond is one instruction of the whole
# machine: client, network and responder. They are for one message or, with the latency programs,
# for one round trip. perftest spins: a client that waits for its worker, as that of rxe does, is
# counted as well. pair.sh counts work only.
set -eu

. "$(dirname "$0")/ends.sh"

rows='ib_write_bw:64 ib_write_bw:4096 ib_write_bw:65536
	ib_read_bw:64 ib_read_bw:4096 ib_read_bw:65536
	ib_read_lat:64 ib_read_lat:4096
	ib_atomic_bw:8 ib_atomic_lat:8'
out=
server=
serving=

[ "${1:-}" != -o ] || { out=$2; shift 2; }
[ $# = 0 ] || rows=$*

# Time limits are long: while the machine waits for files of the host, its clock jumps to
# the next timer.
listens() { ss -Hltn 'sport = 18515' | grep -q .; }
silent() { ! listens; }

# Iterations for messages of $1 bytes.
iterations() { [ "$1" -gt 4096 ] && echo 100 || echo 1000; }

# Device and GID of client and server, for once().
client_dev=rxe0
server_dev=rxe1

# once WHO PROGRAM SIZE: print perftest's line of figures
once() {
	local -a args=(-m 4096 -n "$(iterations "$3")" -F)

	[[ $2 = ib_atomic_* ]] || args+=(-s "$3")
	if [ "$1" != xroce ]; then
		"$2" -d "$server_dev" -x "$server_gid" "${args[@]}" >/dev/null 2>&1 &
		server=$!
	fi
	wait_until 1000 listens
	timeout 10000 "$2" -d "$client_dev" -x "$client_gid" "${args[@]}" 10.77.0.2 \
		>"$log" 2>&1 || {
		cat "$log" >&2
		[ "$1" = xroce ] || kill "$server"
		return 1
	}
	if [ "$1" != xroce ]; then
		wait "$server"
		wait_until 1000 silent
	fi
	grep -E "^ *$3 +[0-9]+ " "$log" || { cat "$log" >&2; return 1; }
}

# instructions WHO PROGRAM SIZE: print the instructions of a message
instructions() {
	once "$@" | case $2 in
	*_bw)	awk '{ print 1000 / $5 }' ;;	# million messages per second
	*_lat)	awk '{ print 1000 * $6 }' ;;	# average, in microseconds
	esac
}

# measure WHO: write $work/WHO, one line for each row: the median of seven runs, because
# scheduling makes them differ by up to a tenth
measure() {
	local row

	for row in $rows; do
		echo "$row $(for _ in {1..7}; do
			instructions "$1" "${row%:*}" "${row#*:}"
		done | sort -g | sed -n 4p)"
	done >"$work/$1"
}

serve_up() {
	# To a pipe the server prints no status line.
	"$xroce" serve --netdev x0 >/dev/null 2> >(cat >&2) &
	serving=$!
	undo+=(serve_down)
	wait_until 1000 listens
}

serve_down() {
	[ -n "$serving" ] || return 0
	kill -TERM "$serving"
	wait "$serving"
	serving=
}

verbs_down() {
	"$xroce" link del dev x0 force
	"$xroce" link del dev c0 force
}

# Verbs devices at both ends, instead of rxe0 and the server of xroce.
verbs_up() {
	server_dev=xr0
	client_dev=xr1
	modprobe ib_uverbs
	insmod "$verbs_module"
	undo+=(verbs_unload)
	undo+=(verbs_down)
	verbs_end xr0 x0
	verbs_end xr1 c0
	wait_until 10 gid_of xr0 0a4d:0002
	wait_until 10 gid_of xr1 0a4d:0001
	server_gid=$(gid_of xr0 0a4d:0002)
	client_gid=$(gid_of xr1 0a4d:0001)
}

work=$(mktemp -d /dev/shm/perftest-XXXXXX)
log=$work/log
work_down() { rm -r "$work"; }
undo+=(work_down)

calm_machine
wires_up
rxe_up
client_gid=$(gid_of rxe0 0a4d:0001)
rdma link add rxe1 type rxe netdev x0
wait_until 10 gid_of rxe1 0a4d:0002
server_gid=$(gid_of rxe1 0a4d:0002)
measure rxe
# veth needs a program on c0 for XDP_TX, so this one stays.
pass_on c0
pass_on x0
measure rxe_xdp
ip link set x0 xdpdrv off
rdma link delete rxe1
module_up
serve_up
measure xroce
serve_down
verbs_up
measure verbs

paste -d ' ' "$work/xroce" "$work/rxe" "$work/rxe_xdp" "$work/verbs" | awk -v out="$out" '
BEGIN {
	printf "%-13s %8s %9s %9s %9s %9s %9s %9s %9s\n", "program", "bytes", "to xroce",
	       "to rxe", "with XDP", "xroce/rxe", "with XDP", "verbs", "verbs/rxe"
}
NF != 8 { bad = 1; next }
{
	split($1, row, ":")
	printf "%-13s %8d %9.0f %9.0f %9.0f %9.3f %9.3f %9.0f %9.3f\n", row[1], row[2], $2, $4,
	       $6, $2 / $4, $2 / $6, $8, $8 / $4
	if (out)
		printf "%s{\"program\":\"%s\",\"size\":%d,\"xroce\":%.0f,\"rxe\":%.0f,\"rxe_xdp\":%.0f,\"verbs\":%.0f}",
		       n++ ? ",\n " : "[", row[1], row[2], $2, $4, $6, $8 >out
}
END {
	if (out && n)
		print "]" >out
	exit bad || !NR
}'
