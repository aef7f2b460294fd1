#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rdma-core's own tests, as Debian packages them, on rxe and on the verbs device of xroce. A
# test that passes on rxe must pass on xroce, and none may fail. Each test is both ends of its
# traffic. With XROCE_PROVIDER=own, and in "make check-long" if it has been built, they run once
# more on a device with xroce's own provider, on which those that pass on the other device must
# pass, and more. build/rdma_core.txt gets the table of all tests:
#
#   TEST  outcome on rxe  on xroce  with the own provider, or -  reason, if not passed in the last run
#
# usage: rdma_core.sh [PART]...   only tests whose name has one of the PARTs
# XROCE_RDMA_CORE_RUNS: how often they run on xroce, with the same outcomes each time
#
# They are those of the machine's rdma-core; that of Debian 13 is in a root of root.sh: see
# doc/testing.md.
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

# rxe_tests, xroce_tests OUTCOMES: run them on a device; the file OUTCOMES gets what comes of it
rxe_tests() { "$here/rdma_core.py" "$work/tests" rxe0 c0 "$1" "$limit" "${parts[@]}"; }

xroce_tests() { in_xr "$here/rdma_core.py" "$work/tests" xr0 x0 "$1" "$limit" "${parts[@]}"; }

# Make xr0 anew, with xroce's own provider.
own_up() {
	verbs_down
	own_provider
	verbs_add xr0 x0 10.77.0.2
}

wants_own() {
	[ "${XROCE_PROVIDER:-}" = own ] ||
		{ [ "$(amount 0 1)" = 1 ] &&
			compgen -G "$top/build/user/provider/libxroce-rdmav*.so" >/dev/null; }
}

# Columns of the table.
on_rxe=2 on_xroce=3 on_own=4

make_table() {
	awk '
	FNR == 1	{ file++ }
			{ name = $1; outcome = $2; sub(/^[^ ]+ [^ ]+ ?/, "") }
	file == 1	{ order[++n] = name }
			{ of[file, name] = outcome; why[name] = $0 }
	END {
		for (i = 1; i <= n; i++) {
			name = order[i]
			own = file == 3 ? of[3, name] : "-"
			print name, of[1, name], of[2, name], own, why[name]
		}
	}' "$work/rxe" "$work/xroce" ${own:+"$work/own"} >"$table"
}

# outcome NAME COLUMN: print the outcome of a test
outcome() { awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$table"; }

counts() { # COLUMN
	awk -v column="$1" '
	{ n[$column]++ }
	END { printf "%d pass, %d fail, %d skip", n["pass"], n["fail"], n["skip"] }' "$table"
}

# required COLUMN: the tests that pass there, and so must pass on the next device
required() { awk -v column="$1" '$column == "pass" { print $1 }' "$table"; }

# Otherwise the comparison would prove nothing.
rxe_passes() { [ "$(required $on_rxe | wc -l)" -ge 80 ]; }

# more COLUMN: how many pass on the next device that do not pass there
more() { awk -v column="$1" '$column != "pass" && $(column + 1) == "pass"' "$table" | wc -l; }

# What rxe cannot do: resizing, implicit on-demand memory, and in older kernels any of it.
xroce_passes_more() {
	local least=10

	[ "$(outcome test_odp.OdpTestCase.test_odp_rc_traffic $on_rxe)" != pass ] || least=1
	[ "$(more $on_rxe)" -ge $least ]
}

# What rdma-core's provider of rxe hides: verbs of the module, and features of queues.
own_passes_more() { [ "$(more $on_xroce)" -ge 15 ]; }

none_fails() { # COLUMN
	! awk -v column="$1" '$column == "fail" { print "#", $0 }' "$table" | grep .
}

# alike OUTCOMES: once more on xroce, with the same outcomes
alike() {
	xroce_tests "$work/again"
	diff <(cut -d ' ' -f 1,2 "$1") <(cut -d ' ' -f 1,2 "$work/again") >"$work/diff" ||
		{ sed 's/^/# /' "$work/diff"; return 1; }
}

# passes NAME COLUMN: whether a test passes
passes() {
	[ "$(outcome "$1" "$2")" = pass ] || {
		echo "# $(grep "^$1 " "$table")"
		return 1
	}
}

# compare ROW COLUMN: what passes on the device of the column before passes on this one
compare() {
	local name

	for name in $(required $(($2 - 1))); do
		run "$1_${name#test_}" V2 passes "$name" "$2"
	done
}

# repeat ROW OUTCOMES: the runs after the first one
repeat() {
	local i

	for ((i = 2; i <= runs; i++)); do
		run "$1_$i" V2 alike "$2"
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
own=$(! wants_own || echo 1)
rxe_tests "$work/rxe"
verbs_type=xroce
verbs_up
xroce_tests "$work/xroce"
repeat rdmacore_alike "$work/xroce"
if [ -n "$own" ]; then
	own_up
	xroce_tests "$work/own"
	repeat rdmacore_own_alike "$work/own"
fi
make_table
if [ $# = 0 ]; then
	run rdmacore_rxe_passes V2 rxe_passes
	run rdmacore_xroce_passes_more V2 xroce_passes_more
	[ -z "$own" ] || run rdmacore_own_passes_more 'V2 V5' own_passes_more
fi
run rdmacore_none_fails V2 none_fails $on_xroce
[ -z "$own" ] || run rdmacore_own_none_fails 'V2 V5' none_fails $on_own
compare rdmacore $on_xroce
[ -z "$own" ] || compare rdmacore_own $on_own
echo "# rxe: $(counts $on_rxe)"
echo "# xroce: $(counts $on_xroce)"
[ -z "$own" ] || echo "# xroce with its own provider: $(counts $on_own)"
results
