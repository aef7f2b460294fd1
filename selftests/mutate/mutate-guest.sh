#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The part of mutate.sh that runs in the virtual machine.
#
# usage: mutate-guest.sh reach WORK TEST...     which checks refuse something in each test
#        mutate-guest.sh run WORK               WORK/plan: a line a check: its number, tests
set -eu

here=$(realpath "$(dirname "$0")")
top=${here%/selftests/*}
what=$1
work=$2
shift 2
parameter=/sys/module/xr_mutant/parameters/mutant
hits=/sys/kernel/debug/xr_mutant_hit

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
log=/run/mutate.log

test_passes() { # TEST SECONDS
	timeout -k 5 "$2" "$top/selftests/run.sh" each "$1" >"$log" 2>&1 </dev/null || return 1
	! grep -q '^not ok' "$log"
}

reach() {
	local test began

	for test; do
		insmod "$work/kmod/xr_mutant.ko"
		began=$SECONDS
		test_passes "$test" 1800 || {
			echo "$test fails without any change:"
			grep '^not ok' "$log" || :
		}
		{
			echo $((SECONDS - began))
			od -An -v -t u1 -w1 "$hits" | awk '$1 { print NR - 1 }'
		} >"$work/reach/$test"
		rmmod xr_mutant || rmmod xroce_ib xroce xr_mutant || exit 1
	done
}

# With what a broken module has left behind, the next test may fail for no reason of its own: then
# the machine ends, and mutate.sh starts another one.
run() {
	local number tests test result limit

	insmod "$work/kmod/xr_mutant.ko"
	while read -r number tests; do
		result=survived
		for test in $tests; do
			limit=$((60 + 4 * $(head -n 1 "$work/reach/$test")))
			echo "$number" >"$parameter"
			test_passes "$test" $limit || result="noticed $test"
			echo 0 >"$parameter"
			[ "$result" = survived ] || break
		done
		printf '%s\t%s\n' "$number" "$result" >>"$work/results"
		[ "$result" = survived ] || test_passes "$test" $limit || break
	done <"$work/plan"
}

"$what" "$@"
