# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Results of a shell test. To be sourced. $top is the checkout.

top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

# Only vm.sh, or who wants the module in this host's kernel, says which network.
needs_module() {
	[ -z "${XROCE_NET:-}" ] || return 0
	printf 'TAP version 13\n1..0 # SKIP needs the module: selftests/vm.sh\n'
	exit 4
}

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

# run NAME IDS COMMAND...
run() {
	local name=$1 ids=$2 status=0
	shift 2

	"$@" || status=1
	result $status "$name" "$ids"
}

# The plan, and whether all went well.
results() {
	echo "1..$count"
	[ $failed = 0 ]
}
