# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# TAP output of a shell test. Source it. It sets $top to the checkout, and the paths of the modules
# for the kernel that runs.

top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
core_module=${XROCE_MODULE:-$top/build/kmod/xroce.ko}
# It is not built for a kernel without RDMA.
# shellcheck disable=SC2034 # for the tests
verbs_module=${core_module%/*}/xroce_ib.ko

# XROCE_NET is set by vm.sh, and by run.sh with VM=0, which uses this host's kernel.
needs_module() {
	[ -z "${XROCE_NET:-}" ] || return 0
	printf 'TAP version 13\n1..0 # SKIP needs the module: selftests/vm.sh\n'
	exit 4
}

# Links made from here on judge no packet of RoCE: their program is that of small.bpf.c, which is
# verified in a fraction of the time. If a packet comes nevertheless, run.sh fails the test.
no_packets() { export XROCE_BPF_OBJECT=$top/build/selftests/lib/small.bpf.o; }

# Links made from here on have the real program again.
packets() { unset XROCE_BPF_OBJECT; }

# "make check" leaves out what "make check-long" runs, which sets XROCE_LONG=1: see doc/testing.md.
# is_long: whether rows run that only that runs; they also run if rows are named
is_long() { [ "${XROCE_LONG:-0}" = 1 ] || [ ${#rows[@]} -gt 0 ]; }

# amount USUAL LONG: print the second in "make check-long", otherwise the first
amount() { [ "${XROCE_LONG:-0}" = 1 ] && echo "$2" || echo "$1"; }

# not_so WHAT: print what did not hold
not_so() { echo "# not so: $*"; return 1; }

count=0
failed=0

# result STATUS NAME IDS: print a line of TAP
result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count $2 $3"
	else
		echo "not ok $count $2 $3"
		failed=$((failed + 1))
	fi
}

# Parts of the names of the tests that run() runs; empty: all
rows=()

# wanted NAME: whether rows selects a test
wanted() {
	local row

	[ ${#rows[@]} -gt 0 ] || return 0
	for row in "${rows[@]}"; do
		[[ $1 != *"$row"* ]] || return 0
	done
	return 1
}

# run NAME IDS COMMAND...: run a test, if it is wanted, and print its result
run() {
	local name=$1 ids=$2 status=0
	shift 2

	wanted "$name" || return 0
	"$@" || status=1
	result $status "$name" "$ids"
}

# Print the plan. Return whether all tests have passed; 2 if none was wanted.
results() {
	echo "1..$count"
	[ "$count" -gt 0 ] || return 2
	[ $failed = 0 ]
}
