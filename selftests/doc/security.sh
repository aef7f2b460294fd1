#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Each row of the table of attacks in SECURITY.md names tests, and these exist. Needs no
# module.
set -eu

. "$(dirname "$0")/../lib/tap.sh"

# rows FILE: print the last cell of each row
rows() { sed -nE '/^\|[- |]*\|$/d; s/^\|.*\| ([^|]*) \|$/\1/p' "$1" | tail -n +2; }

# there NAME: it is a program, a script, or a test of one of them
there() {
	compgen -G "$top/selftests/*/$1" >/dev/null ||
		compgen -G "$top/selftests/*/$1.c" >/dev/null ||
		grep -qE "^[A-Z_]*TEST[A-Z_]*\($1, " "$top"/selftests/*/*_test.c ||
		grep -q "^run $1 " "$top"/selftests/*/*.sh
}

# named FILE: each row names something, and everything named exists
named() {
	local cell name status=0 seen=0

	while read -r cell; do
		seen=$((seen + 1))
		case $cell in *\`*) ;; *) echo "# row $seen: no test"; status=1 ;; esac
		for name in $(grep -oE '`[^`]+`' <<<"$cell" | tr -d '`'); do
			there "$name" || { echo "# row $seen: there is no $name"; status=1; }
		done
	done < <(rows "$1")
	[ $seen -ge "$2" ] && return $status
}

tests_named() { named "$top/SECURITY.md" 25; }

table() { printf '%s\n' '| attack | test |' '|---|---|' "| one | \`security.sh\` |" "$@"; }

# The check detects a row without a test, and a test that does not exist.
complains() {
	named <(table) 1 && ! named <(table '| two | - |') 2 >/dev/null &&
		! named <(table "| two | \`attack_key\`; \`no_such\` |") 2 >/dev/null
}

echo 'TAP version 13'
run security_tests U1 tests_named
run security_complains U1 complains
results
