#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of verbs devices, as a whole, on devices with xroce's own provider: each is a row. "make
# check-long" has them.
#
# usage: provider_tests.sh [ROW]...
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs.sh"

rows=("$@")
needs_module
needs_verbs
is_long || { echo '1..0 # SKIP make check-long runs this'; exit 4; }
own_provider
work_up

# Its rows are comments here.
whole() {
	local status=0

	XROCE_PROVIDER=own XROCE_LONG=0 "$here/$1" >"$work/out" 2>&1 || status=1
	grep -q '^ok ' "$work/out" && ! grep -q '^not ok ' "$work/out" || status=1
	[ $status = 0 ] || sed 's/^/# /' "$work/out"
	return $status
}

for part in cm:V8 perftest:V2 order:V7 mcast:V9 path:V2 loss:D3 vlan:V10 kselftest:V1; do
	run "provider_whole_${part%:*}" "V5 ${part#*:}" whole "verbs_${part%:*}.sh"
done
results
