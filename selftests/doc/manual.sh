#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The manual has a page for each noun with all of its verbs and words, all options, and a
# page for each function of the library. Needs no module.
set -eu

. "$(dirname "$0")/../lib/tap.sh"
doc=$top/doc/man
xroce=$top/build/user/xroce

# has PAGE WORD: the page has the word in bold
has() { grep -qE "\*\*([^*]* )?$2( [^*]*)?\*\*" "$doc/$1.rst" || { echo "# $1: no $2"; return 1; }; }

nouns() { "$xroce" help | sed -nE 's/^  ([a-z]+)  .*/\1/p'; }

all_nouns() {
	local noun status=0 seen=0

	for noun in $(nouns); do
		seen=$((seen + 1))
		[ -e "$doc/xroce-$noun.rst" ] && has xroce "xroce-$noun" || status=1
	done
	[ $seen -ge 12 ] && return $status
}

# All words of the forms in help; serve has options instead.
all_words() {
	local noun word status=0 seen=0

	for noun in $(nouns); do
		[ "$noun" != serve ] || continue
		for word in $("$xroce" "$noun" help | sed "s/^xroce $noun//" |
			      grep -oE '(^|[^-a-z0-9])[a-z][a-z-]*' | tr -dc 'a-z\n-' | sort -u); do
			seen=$((seen + 1))
			has "xroce-$noun" "$word" || status=1
		done
	done
	[ $seen -ge 60 ] && return $status
}

all_options() {
	local option status=0 seen=0

	for option in $("$xroce" help | grep -oE -- '--[a-z]+' | sort -u); do
		seen=$((seen + 1))
		grep -qE -- "^(-., )?$option\b" "$doc/xroce.rst" ||
			{ echo "# xroce: no $option"; status=1; }
	done
	for option in $("$xroce" serve --help | grep -oE -- '--[a-z-]+'); do
		seen=$((seen + 1))
		grep -qE -- "^(-., )?$option\b" "$doc/xroce-serve.rst" ||
			{ echo "# xroce-serve: no $option"; status=1; }
	done
	[ $seen -ge 24 ] && return $status
}

# Each function of the library is on exactly one page.
all_functions() {
	local name pages status=0 seen=0

	for name in $(sed -n 's/^\t*\(xroce_[a-z_0-9]*\);$/\1/p' "$top/user/lib/libxroce.map"); do
		seen=$((seen + 1))
		pages=$("$doc/kdoc.py" --names "$doc"/libxroce_*.rst | grep -cx "$name") || :
		[ "$pages" = 1 ] || { echo "# $name: in $pages pages"; status=1; }
	done
	[ $seen -ge 50 ] && return $status
}

# pages DIR WORD...: run make with build directory DIR, without the Python package for
# syntax highlighting
pages() {
	local dir=$1

	shift
	env -u MAKEFLAGS PYTHONPATH="$dir/without" make --no-print-directory \
		-C "$top" B="$dir" "$@"
}

# The pages of both sections build without a warning.
builds() {
	local dir page status=0

	dir=$(mktemp -d)
	mkdir "$dir/without"
	echo 'raise ImportError' >"$dir/without/pygments.py"
	{
		pages "$dir" -n man &&
			pages "$dir" "$dir/doc/man/xroce-serve.8" "$dir/doc/man/libxroce_link.3"
	} >"$dir/said" 2>&1 || status=1
	! grep -i 'warning:' "$dir/said" || status=1
	for page in xroce-serve.8 libxroce_link.3; do
		grep -q '^\.TH ' "$dir/doc/man/$page" || status=1
	done
	[ $status = 0 ] || tail -n 20 "$dir/said" | sed 's/^/# /'
	rm -rf "$dir"
	return $status
}

echo 'TAP version 13'
run manual_builds U6 builds
run manual_nouns U1 all_nouns
run manual_words U1 all_words
run manual_options U1 all_options
run manual_functions U3 all_functions
results
