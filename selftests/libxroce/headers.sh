#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every installed header compiles by itself, as C and as C++, without a warning, and a
# C++ program links with the library. Needs no module.
set -eu

. "$(dirname "$0")/../lib/tap.sh"

clang=$(command -v clang-19 || command -v clang)
clangxx=$(command -v clang++-19 || command -v clang++)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The headers that "make install-user" installs, without the others.
install -D -m 644 -t "$work/include/uapi" "$top"/include/uapi/*.h
sed -n 's/^headers := //p' "$top/Makefile" | (cd "$top" && xargs install -m 644 -t "$work/include")
installed() { find "$work/include" -name '*.h'; }

# compile LANGUAGE HEADER COMMAND...
compile() {
	local language=$1 header=$2

	shift 2
	echo "#include \"$header\"" |
		"$@" -Wall -Wextra -Werror -I"$work/include" -fsyntax-only -x "$language" - 2>"$work/log" && return
	echo "# $header: $*"
	sed 's/^/# /' "$work/log"
	return 1
}

# compiles LANGUAGE COMPILER STANDARD...
compiles() {
	local language=$1 compiler=$2 header standard status=0 seen=0

	shift 2
	for header in $(installed); do
		for standard; do
			seen=$((seen + 1))
			compile "$language" "$header" "$compiler" "-std=$standard" || status=1
		done
	done
	[ $seen -ge $((2 * $#)) ] && return $status
}

# A header that is not valid C++ is reported.
complains() {
	echo '_Static_assert(1, "C only");' >"$work/c_only.h"
	! compile c++ "$work/c_only.h" g++ >/dev/null
}

links() {
	cat >"$work/program.cc" <<-'END'
	#include <libxroce.h>

	int main()
	{
		struct xroce_mr_reg reg = {};

		reg.access = XROCE_ACCESS_REMOTE_WRITE;
		/* Remote write needs local write. */
		return !xroce_mr_access_error(reg.access) ||
		       xroce_inc_rkey(0x1ff) != 0x100;
	}
	END
	g++ -std=c++11 -Wall -Wextra -Werror -I"$top/include" -I"$top/user/lib" \
		"$work/program.cc" "$top/build/user/libxroce.a" \
		$(pkg-config --libs libbpf libmnl) -o "$work/program" &&
		"$work/program"
}

# The program at the head of libxroce.h, as it stands there.
program() {
	sed -nE '/^ \*\t#include/,/^ \*\/$/{ s/^ \*\t?//; /^\/$/!p }' "$top/user/lib/libxroce.h" \
		>"$work/program.c"
	[ "$(grep -c 'xroce_[a-z_]*(' "$work/program.c")" -ge 6 ] &&
		cc -std=c11 -Wall -Wextra -Werror -I"$work/include" "$work/program.c" \
			"$top/build/user/libxroce.a" $(pkg-config --libs libbpf libmnl) \
			-o "$work/program"
}

run headers_c_gcc 'U3' compiles c gcc c11 gnu11 gnu17
run headers_c_clang 'U3' compiles c "$clang" c11 gnu11 gnu17
run headers_cxx_gcc 'U3' compiles c++ g++ c++11 c++17 c++20
run headers_cxx_clang 'U3' compiles c++ "$clangxx" c++11 c++17 c++20
run headers_cxx_complains 'U3' complains
run headers_cxx_links 'U3' links
run headers_program U3 program
results
