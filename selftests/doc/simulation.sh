#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The table of simulations in doc/networks.md is what the simulator says. Needs no module.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/tap.sh"
page=$(mktemp)
trap 'rm -f "$page"' EXIT

check() { "$top/selftests/sim/sim.sh" check "$@"; }

table() {
	check | sed 's/^/# /'
	[ "${PIPESTATUS[0]}" = 0 ] || { echo '# make sim-save replaces the table'; return 1; }
}

# One figure that differs is found.
complains() {
	sed -E '/^<!-- sim table/,/^```$/ { 0,/delay/ s/(delay +)[0-9]/\19/ }' \
		"$top/doc/networks.md" >"$page"
	! check "$page" >/dev/null
}

echo 'TAP version 13'
run simulation_table U5 table
run simulation_complains U5 complains
results
