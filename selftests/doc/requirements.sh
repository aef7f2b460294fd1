#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compare the ids of requirements that tests name with doc/requirements.md. Needs no module.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/tap.sh"

# defined PAGE: print the ids in the first column of its tables
defined() { sed -nE 's/^\| ([A-Z][0-9]+) \|.*/\1/p' "$1"; }

# named DIR: print "FILE ID" for each id of a row of a test in DIR. A row is
# TEST(NAME, "IDS" in C, perhaps with words around TEST; run NAME IDS, or
# result STATUS NAME IDS, in a script.
named() {
	(
		cd "$1"
		grep -rnoE --include='*_test.c' '^[A-Z_]*TEST[A-Z_]*\([^ ]+, "[A-Z][A-Z0-9 ]*",' . |
			sed -nE 's/^\.\/([^:]*):[0-9]+:.*, "([^"]*)",$/\1 \2/p'
		grep -rnE --include='*.sh' '^\s*(run|result \S+) \S+ [^ ]' . |
			sed -nE "s/^\.\/([^:]*):[0-9]+:\s*(run|result \S+) \S+ ('([A-Z0-9 ]+)'|([A-Z][0-9]+)).*/\1 \4\5/p"
	) | awk '{ for (i = 2; i <= NF; i++) print $1, $i }'
}

# all_defined PAGE DIR N: tests name defined ids only, and at least N of them
all_defined() {
	local ids file id status=0 seen=0

	ids=" $(defined "$1" | tr '\n' ' ')"
	while read -r file id; do
		seen=$((seen + 1))
		case $ids in
		*" $id "*) ;;
		*) echo "# $file: $id is not defined"; status=1 ;;
		esac
	done < <(named "$2" | sort -u)
	[ $seen -ge "$3" ] && return $status
}

# all_tested PAGE DIR N: each defined id has a test, and at least N are defined
all_tested() {
	local id ids status=0 seen=0

	ids=$(named "$2" | cut -d ' ' -f 2 | sort -u)
	for id in $(defined "$1"); do
		seen=$((seen + 1))
		grep -qx "$id" <<<"$ids" || { echo "# $id has no test"; status=1; }
	done
	[ $seen -ge "$3" ] && return $status
}

defined_once() {
	local twice

	twice=$(defined "$top/doc/requirements.md" | sort | uniq -d)
	[ -z "$twice" ] || { echo "# defined twice: $twice"; return 1; }
}

# The checks detect an undefined id and an id without a test.
complains() {
	local dir status=0

	dir=$(mktemp -d)
	mkdir "$dir/tests"
	printf '| %s | text |\n' id R1 R2 >"$dir/page.md"
	printf 'TEST(one, "R1", "about")\n' >"$dir/tests/one_test.c"
	all_defined "$dir/page.md" "$dir/tests" 1 || status=1
	! all_tested "$dir/page.md" "$dir/tests" 1 >"$dir/said" || status=1
	grep -qx '# R2 has no test' "$dir/said" || status=1
	printf "run two 'R2 R3' two\n" >"$dir/tests/two.sh"
	all_tested "$dir/page.md" "$dir/tests" 2 || status=1
	! all_defined "$dir/page.md" "$dir/tests" 1 >"$dir/said" || status=1
	grep -qx '# two.sh: R3 is not defined' "$dir/said" || status=1
	rm -rf "$dir"
	return $status
}

echo 'TAP version 13'
run requirements_defined U5 all_defined "$top/doc/requirements.md" "$top/selftests" 400
run requirements_tested U5 all_tested "$top/doc/requirements.md" "$top/selftests" 40
run requirements_once U5 defined_once
run requirements_complains U5 complains
results
