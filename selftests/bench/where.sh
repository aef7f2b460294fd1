#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Divide the instructions of a row by function: of pair.sh with xroce at both ends, or of
# bench.sh with xroce as the responder on veth, with those of the generator.
#
#   where.sh OP:SIZE:HOW
#   where.sh OP:SIZE
#
# Starts a machine with the plugin where.c, and prints the table of where.py.
set -eu

top=$(realpath "$(dirname "$0")/../..")

# In the machine: BPF programs have names, too.
if [ "${1:-}" = --inside ]; then
	sysctl -q net.core.bpf_jit_kallsyms=1
	case $2 in
	*:*:*)	exec "$top/selftests/bench/pair.sh" -k "$3" "$2" ;;
	*)	exec "$top/selftests/bench/bench.sh" -k "$3" -n 2000 -r xroce "$2" ;;
	esac
fi
[ $# = 1 ] || { echo 'usage: where.sh OP:SIZE[:HOW]' >&2; exit 2; }

# Messages between the marks of the row $1, whose run printed the file $2
messages() {
	local packets

	case $1 in
	*:*:*)	awk '$1 ":" $2 ":" $3 == row { print $5 }' "row=$1" "$2" ;;
	*)	# measure.c: five segments of 2,000 packets
		packets=$((${1#*:} / 4096))
		echo $((5 * 2000 / (packets ? packets : 1))) ;;
	esac
}

work=$(mktemp -d "$top/build/where-XXXXXX")
trap 'rm -rf "$work"' EXIT
"$top/selftests/vm.sh" --icount --timeout 1200 \
	--plugin "$top/build/selftests/bench/where.so,out=$work/counts" -- \
	"$top/selftests/bench/where.sh" --inside "$1" "$work/kallsyms" | tee "$work/row"
"$top/selftests/bench/where.py" "$work/counts" "$work/kallsyms" \
	"$(messages "$1" "$work/row")"
