#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# CHANGELOG.md and debian/changelog, which the Makefile takes the version from, tell the same of the
# newest version. Its heading is "## VERSION (unreleased)", or "## VERSION (YYYY-MM-DD)" with the
# date of debian/changelog. A version that has a tag is released. Needs no module.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/tap.sh"

# agree DIR TAG...: the two files in DIR agree, and with these tags, which exist
agree() {
	local dir=$1 head version state package date

	shift
	head=$(sed -nE '/^## /{ p; q }' "$dir/CHANGELOG.md")
	version=$(sed -nE 's/^## ([0-9][0-9.]*) \((unreleased|[0-9]{4}(-[0-9]{2}){2})\)$/\1/p' <<<"$head")
	[ -n "$version" ] || { echo "# CHANGELOG.md begins with '$head'"; return 1; }
	state=${head##*\(} state=${state%)}
	package=$(sed -nE '1s/^[^ ]+ \(([^)]*)\).*/\1/p' "$dir/debian/changelog")
	[ "$version" = "$package" ] ||
		{ echo "# CHANGELOG.md says $version, debian/changelog $package"; return 1; }
	if [ "$state" = unreleased ]; then
		[[ " $* " != *" v$version "* ]] ||
			{ echo "# CHANGELOG.md says unreleased, and there is a tag v$version"; return 1; }
		return
	fi
	date=$(sed -nE '/^ -- .*>  /{ s/.*>  //p; q }' "$dir/debian/changelog")
	date=$(date -d "$date" +%F)
	[ "$state" = "$date" ] ||
		{ echo "# CHANGELOG.md says $state, debian/changelog $date"; return 1; }
}

# A tree without git has no tags.
versions() {
	local tags

	tags=$(git -C "$top" tag 2>/dev/null) || tags=
	# shellcheck disable=SC2086 # names without blanks
	agree "$top" $tags
}

# makes HEADING VERSION: write two files
makes() {
	printf '# Changelog\n\n## %s\n\n## 0.0.9 (2026-01-01)\n' "$1" >"$work/CHANGELOG.md"
	printf 'xroce (%s) unstable; urgency=medium\n\n  * x\n\n -- m <a@b.c>  %s\n' "$2" \
		'Sat, 21 Nov 2026 23:00:00 +0000' >"$work/debian/changelog"
}

# complains PATTERN HEADING VERSION TAG...: they disagree, and the test says so
complains() {
	local pattern=$1

	makes "$2" "$3"
	shift 3
	! agree "$work" "$@" >"$work/said" && grep -q "$pattern" "$work/said" ||
		{ echo "# not found: $pattern"; return 1; }
}

all_complaints() {
	local status=0

	export TZ=UTC
	work=$(mktemp -d)
	mkdir "$work/debian"
	makes '0.2.0 (unreleased)' 0.2.0
	agree "$work" v0.1.0 || status=1
	makes '0.2.0 (2026-11-21)' 0.2.0
	agree "$work" v0.2.0 || status=1
	complains "begins with '## Unreleased'" Unreleased 0.2.0 || status=1
	complains 'says 0.3.0, debian/changelog 0.2.0' '0.3.0 (unreleased)' 0.2.0 || status=1
	complains 'there is a tag v0.2.0' '0.2.0 (unreleased)' 0.2.0 v0.1.0 v0.2.0 || status=1
	complains 'says 2026-11-22, debian/changelog 2026-11-21' '0.2.0 (2026-11-22)' 0.2.0 ||
		status=1
	rm -rf "$work"
	return $status
}

echo 'TAP version 13'
run release_versions U5 versions
run release_complains U5 all_complaints
results
