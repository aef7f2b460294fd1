#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma-core's own tests, as Debian packages them, on rxe and on the verbs device of xroce. A
# test that passes on rxe must pass on xroce, and none may fail. Each test is both ends of its
# traffic. build/rdma_core.txt gets the table of all tests:
#
#   TEST  outcome on rxe  outcome on xroce  reason, if not passed on xroce
#
# usage: rdma_core.sh [PART]...   only tests whose name has one of the PARTs
# XROCE_RDMA_CORE_RUNS: how often they run on xroce, with the same outcomes each time
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs.sh"

packaged=/usr/share/doc/rdma-core/tests
# Seconds that a test may take. On rxe the longest takes five.
limit=$((40 * ${XROCE_SLOW:-1}))
table=$top/build/rdma_core.txt
runs=${XROCE_RDMA_CORE_RUNS:-1}
work_up

huge_pages_down() { echo "$huge_pages" >/proc/sys/vm/nr_hugepages; }

if [ ! -e "$packaged/__init__.py" ] || ! python3 -c 'import pyverbs' 2>/dev/null; then
	echo '1..0 # SKIP no tests of rdma-core, or no python3-pyverbs'
	exit 4
fi

# Tests of providers are left out; their common parts are needed.
unpack() {
	cp -r "$packaged" "$work/tests"
	rm -f "$work"/tests/test_{mlx5,efa,irdma}*
	find "$work/tests" -name '*.gz' -exec gunzip {} +
}

# rxe_tests, xroce_tests OUTCOMES [PART]...: run them on a device; the file OUTCOMES gets what comes
# of it
rxe_tests() { "$here/rdma_core.py" "$work/tests" rxe0 c0 "$1" "$limit" "${@:2}"; }

xroce_tests() { in_xr "$here/rdma_core.py" "$work/tests" xr0 x0 "$1" "$limit" "${@:2}"; }

make_table() {
	awk '
	FNR == 1	{ file++ }
			{ name = $1; outcome = $2; sub(/^[^ ]+ [^ ]+ ?/, "") }
	file == 1	{ on_rxe[name] = outcome; next }
			{ printf "%s %s %s %s\n", name, on_rxe[name], outcome, $0 }
	' "$work/rxe" "$work/xroce" >"$table"
}

# outcome NAME COLUMN: print the outcome of a test: 2 on rxe, 3 on xroce
outcome() { awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$table"; }

counts() { # COLUMN
	awk -v column="$1" '
	{ n[$column]++ }
	END { printf "%d pass, %d fail, %d skip", n["pass"], n["fail"], n["skip"] }' "$table"
}

# The tests that must pass.
required() { awk '$2 == "pass" { print $1 }' "$table"; }

# Otherwise the comparison would prove nothing.
rxe_passes() { [ "$(required | wc -l)" -ge 80 ]; }

# What rxe cannot do: resizing, implicit on-demand memory, and in older kernels any of it.
xroce_passes_more() {
	local least=10

	[ "$(outcome test_odp.OdpTestCase.test_odp_rc_traffic 2)" != pass ] || least=1
	[ "$(awk '$2 != "pass" && $3 == "pass"' "$table" | wc -l)" -ge $least ]
}

none_fails() { ! grep -E '^[^ ]+ [^ ]+ fail' "$table" | sed 's/^/# /' | grep .; }

# Once more on xroce, with the same outcomes
alike() {
	xroce_tests "$work/again" "${parts[@]}"
	diff <(cut -d ' ' -f 1,2 "$work/xroce") <(cut -d ' ' -f 1,2 "$work/again") >"$work/diff" ||
		{ sed 's/^/# /' "$work/diff"; return 1; }
}

# passes NAME: whether a test passes on xroce
passes() {
	[ "$(outcome "$1" 3)" = pass ] || {
		echo "# $(grep "^$1 " "$table")"
		return 1
	}
}

compare() {
	local name

	for name in $(required); do
		run "rdmacore_${name#test_}" V2 passes "$name"
	done
}

needs_verbs
unpack
# Tests of huge pages skip without them.
huge_pages=$(cat /proc/sys/vm/nr_hugepages)
echo 32 >/proc/sys/vm/nr_hugepages
undo+=(huge_pages_down)
net_up
rxe_up
modprobe rdma_ucm
parts=("$@")
rxe_tests "$work/rxe" "$@"
verbs_up
xroce_tests "$work/xroce" "$@"
make_table
if [ $# = 0 ]; then
	run rdmacore_rxe_passes V2 rxe_passes
	run rdmacore_xroce_passes_more V2 xroce_passes_more
fi
run rdmacore_none_fails V2 none_fails
compare
for ((i = 2; i <= runs; i++)); do
	run "rdmacore_alike_$i" V2 alike
done
echo "# rxe: $(counts 2)"
echo "# xroce: $(counts 3)"
results
