# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# TAP output of a shell test. Source it. It sets $top to the checkout.

top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

# XROCE_NET is set by vm.sh, and by run.sh with VM=0, which uses this host's kernel.
needs_module() {
	[ -z "${XROCE_NET:-}" ] || return 0
	printf 'TAP version 13\n1..0 # SKIP needs the module: selftests/vm.sh\n'
	exit 4
}

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

# run NAME IDS COMMAND...: run a test and print its result
run() {
	local name=$1 ids=$2 status=0
	shift 2

	"$@" || status=1
	result $status "$name" "$ids"
}

# Print the plan. Return whether all tests have passed.
results() {
	echo "1..$count"
	[ $failed = 0 ]
}
