#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The checks of "make lint" that are quick and need no tool: includes without cycles, in
# files, layers of folders, and the length of lines. Needs no module.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/tap.sh"

quick="includes folders columns"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# lint DIR TOOL...
lint() {
	local dir=$1

	shift
	"$dir/selftests/targets/lint.sh" "$@" >"$tree/said" 2>&1 && return
	sed 's/^/# /' "$tree/said"
	return 1
}

# finds WORDS TOOL: a copy of the tree that is changed is not accepted
finds() {
	! lint "$tree/copy" "$2" >/dev/null && grep -q "$1" "$tree/said" ||
		{ echo "# $2 does not find $1"; return 1; }
}

complains() {
	local status=0

	mkdir -p "$tree/copy/selftests"
	cp -r "$top"/{bpf,examples,include,kmod,user,.clang-format} "$tree/copy"
	cp -r "$top/selftests/targets" "$tree/copy/selftests"
	# shellcheck disable=SC2086
	lint "$tree/copy" $quick || status=1
	sed -i '0,/^#include </s||#include "front/dev/chardev.h"\n&|' "$tree/copy/kmod/mem/pool.h"
	finds pool includes || status=1
	finds mem folders || status=1
	printf '/* %0120d */\n' 0 >>"$tree/copy/kmod/mem/pool.c"
	finds columns columns || status=1
	return $status
}

echo 'TAP version 13'
for tool in $quick; do
	run "layout_$tool" U5 lint "$top" "$tool"
done
run layout_complains U5 complains
results
