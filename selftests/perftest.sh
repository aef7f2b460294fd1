#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest's programs, as Debian ships them, on rxe against "xroce serve".
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/net.sh"
. "$here/serve.sh"

count=0
failed=0

# result STATUS NAME IDS: a line of TAP
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count $2 $3"
	else
		echo "not ok $count $2 $3"
		failed=$((failed + 1))
	fi
}

# Bytes written so far, and whatever must stay zero.
counters='write_bytes nak_seq nak_inv nak_acc nak_op nak_rnr drop_length
	drop_checksum drop_icrc drop_addr drop_error drop_state drop_reply'

# write_bw MTU SIZE ITERATIONS GID [OPTION]...
write_bw() {
	local mtu=$1 size=$2 iters=$3 gid=$4 before after bad out
	shift 4

	# shellcheck disable=SC2086 # names without blanks
	read -r before bad < <(stats_of $counters)
	out=$(timeout 60 ib_write_bw -d rxe0 -x "$gid" -m "$mtu" -s "$size" \
	      -n "$iters" "$@" 10.77.0.2 2>&1) &&
		grep -qE "^ *$size +[0-9]+ " <<<"$out" || {
		sed 's/^/# /' <<<"$out"
		return 1
	}
	# shellcheck disable=SC2086
	read -r after bad < <(stats_of $counters)
	[ $((after - before)) -ge $((size * iters)) ] &&
		[[ $bad =~ ^[0\ ]*$ ]] || {
		echo "# $((after - before)) bytes written, $counters: $after $bad"
		return 1
	}
}

# run NAME IDS COMMAND...
run() {
	local name=$1 ids=$2 status=0
	shift 2

	"$@" || status=1
	result $status "$name" "$ids"
}

net_up
module_up
rxe_up
gid4=$(rxe_gid4)
serve_up >/dev/null

for mtu in 256 512 1024 2048 4096; do
	for size in 2 64 "$mtu" $((mtu + 1)) 65536; do
		run "write_bw_mtu${mtu}_$size" 'U4 D1 D2' \
			write_bw $mtu $size 50 "$gid4"
	done
done
run write_bw_1m 'U4 D2' write_bw 4096 1048576 20 "$gid4"
run write_bw_8m 'U4 D2' write_bw 4096 8388608 5 "$gid4"
run write_bw_4_qps 'U4' write_bw 1024 4096 50 "$gid4" -q 4
run write_bw_ipv6 'U4 D1' write_bw 1024 4096 50 "$(rxe_gid6)"
echo "1..$count"
[ $failed = 0 ]
