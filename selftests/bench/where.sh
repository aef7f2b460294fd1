#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Divide the instructions of a row of pair.sh, with xroce at both ends, by function.
#
#   where.sh OP:SIZE:HOW
#
# Starts a machine with the plugin where.c, and prints the table of where.py.
set -eu

top=$(realpath "$(dirname "$0")/../..")

# In the machine: BPF programs have names, too.
if [ "${1:-}" = --inside ]; then
	sysctl -q net.core.bpf_jit_kallsyms=1
	exec "$top/selftests/bench/pair.sh" -k "$3" "$2"
fi
[ $# = 1 ] || { echo 'usage: where.sh OP:SIZE:HOW' >&2; exit 2; }
work=$(mktemp -d "$top/build/where-XXXXXX")
trap 'rm -rf "$work"' EXIT
"$top/selftests/vm.sh" --icount --timeout 1200 \
	--plugin "$top/build/selftests/bench/where.so,out=$work/counts" -- \
	"$top/selftests/bench/where.sh" --inside "$1" "$work/kallsyms" | tee "$work/row"
"$top/selftests/bench/where.py" "$work/counts" "$work/kallsyms" \
	"$(awk '$1 ":" $2 ":" $3 == row { print $5 }' "row=$1" "$work/row")"
