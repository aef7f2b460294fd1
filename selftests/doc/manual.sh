#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The manual has a page for each noun with all of its verbs and words, all options, and
# says what each function, structure and constant of the library is, with an example on
# each page. Needs no module.
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

# described PAGE...: what they describe
described() { (cd "$top" && doc/man/kdoc.py --names "$@"); }

# Each function of the library is on exactly one page; libxroce(3) explains the suffix _sized.
all_functions() {
	local name names pages status=0 seen=0

	names=$(described "$doc"/libxroce_*.rst) || return
	for name in $(sed -n 's/^\t*\(xroce_[a-z_0-9]*\);$/\1/p' "$top/user/lib/libxroce.map" |
			sed 's/_sized$//'); do
		seen=$((seen + 1))
		pages=$(grep -cx "$name()" <<<"$names") || :
		[ "$pages" = 1 ] || { echo "# $name: in $pages pages"; status=1; }
	done
	[ $seen -ge 50 ] && return $status
}

# declared HEADER: what a program that includes it has from the library's headers, by the
# compiler; but for the commands of the device, which the library gives
declared() {
	gcc -E -dD -I"$top/include" -I"$top/user/lib" "$1" |
		awk '/^# [0-9]+ "/	{ ours = $3 ~ /(libxroce|uapi\/xroce)\.h"$/; next }
		     ours' |
		grep -oE -e '^#define XROCE_\w+' -e '^(struct|enum) \w+( \{|;)' \
			-e '^\s+XROCE_\w+( =|,)' -e '^[a-z_].*\bxroce_\w+\(' |
		sed -E 's/^#define //; s/^\s+//; s/( =|,)$//; s/( \{|;)$//; s/.*\b(xroce_\w+)\($/\1()/' |
		grep -vE '_sized\(\)$|XROCE_(NR|CMD)_|XROCE_IOC_TYPE|struct xroce_link_(add|maps|use|prog)$' |
		sort -u
}

# all_described HEADER N: all that it declares is in one page; it is N names at least
all_described() {
	local name names pages status=0 seen=0

	names=$(described "$doc"/libxroce*.rst) || return
	while read -r name; do
		seen=$((seen + 1))
		pages=$(grep -cxF "$name" <<<"$names") || :
		[ "$pages" = 1 ] || { echo "# $name: in $pages pages"; status=1; }
	done < <(declared "$1")
	[ $seen -ge "$2" ] && return $status
}

# examples N PAGE...: each of N pages or more has an example, and no other page has it
examples() {
	local n=$1 page file status=0 seen=0

	shift
	for page; do
		file=$(sed -n '/^EXAMPLES$/,$s/^\.\. example:: //p' "$page")
		seen=$((seen + 1))
		[ -n "$file" ] && grep -q '\<main(' "$top/$file" &&
			[ "$(cat "$@" | grep -cxF ".. example:: $file")" = 1 ] ||
			{ echo "# ${page##*/}: no example of its own"; status=1; }
	done
	[ $seen -ge "$n" ] && return $status
}

# And each example is of a page.
all_examples() {
	local file status=0

	examples 9 "$doc"/libxroce*.rst || status=1
	for file in "$top"/examples/manual/*.c; do
		grep -qxF ".. example:: ${file#"$top"/}" "$doc"/libxroce*.rst ||
			{ echo "# ${file##*/}: in no page"; status=1; }
	done
	return $status
}

# What nobody has described is found, and so is a page without an example.
complains() {
	local dir header name status=0

	dir=$(mktemp -d)
	for name in 'int xroce_new(int a);' 'struct xroce_new {' '#define XROCE_NEW 1' \
		    $'enum xroce_more {\n\tXROCE_NEW,'; do
		header=$dir/libxroce.h
		{
			printf '%s\n' "$name"
			[ "${name%[\{,]}" = "$name" ] || echo '};'
		} >"$header"
		[ "$(declared "$header" | grep -ciE 'xroce_new')" = 1 ] &&
			! all_described "$header" 1 >/dev/null ||
			{ echo "# not found: $name"; status=1; }
	done
	sed '/^EXAMPLES/d' "$doc/libxroce_pd.rst" >"$dir/page.rst"
	! examples 1 "$dir/page.rst" >/dev/null || status=1
	# Half of a comment.
	sed '/^ \* @pd: protection domain$/d' "$top/include/uapi/xroce.h" >"$dir/xroce.h"
	sed "s,include/uapi/xroce.h,$dir/xroce.h," "$doc/libxroce_mw.rst" >"$dir/page.rst"
	! described "$dir/page.rst" >/dev/null 2>"$dir/said" &&
		grep -q "xroce_mw_add: pd is not described" "$dir/said" || status=1
	rm -rf "$dir"
	return $status
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
run manual_describes U3 all_described "$top/user/lib/libxroce.h" 300
run manual_examples U3 all_examples
run manual_complains U3 complains
results
