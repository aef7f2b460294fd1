#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Program and library of different versions: structures have grown in between. Needs no module:
# libxroce/sized/module.c stands for it.
set -eu

. "$(dirname "$0")/../lib/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wraps=(ioctl open mmap munmap poll read xroce_pin_open bpf_map_update_elem bpf_map_lookup_elem
       bpf_obj_get_info_by_fd libbpf_num_possible_cpus ring_buffer__new ring_buffer__consume
       ring_buffer__epoll_fd ring_buffer__free)
# Structures whose pointers programs and library pass to each other.
grows=$(sed -nE 's/^.*_sized\((.*)size_t size\);$/\1/p; /_sized\(/{N; s/\n//; p}' \
		"$top/user/lib/libxroce.h" |
	grep -oE 'struct xroce_\w+ \*\w+' | sed -E 's/struct (\w+) .*/\1/' | sort -u)

# tree DIR: the headers and the library of this tree
tree() {
	mkdir -p "$1"
	cp -r "$top/include" "$top/user/lib" "$1"
}

# grow DIR: each structure gets a member behind its last one
grow() {
	local name n=0

	for name in $grows xroce_attach_opts xroce_connect; do
		grep -q "^struct $name {" "$1"/include/uapi/xroce.h "$1"/lib/libxroce.h || continue
		sed -i "/^struct $name {/,/^};/s/^};/\t__u64 grown[8];\n};/" \
			"$1"/include/uapi/xroce.h "$1"/lib/libxroce.h
		n=$((n + 1))
	done
	[ $n -ge 23 ] || { echo "# only $n structures found"; return 1; }
}

# build PROGRAM LIBRARY: a program with the headers of one tree, a library of another one
build() {
	local out=$work/$1-$2 f
	local flags=(-std=gnu11 -O1 -g -Wall -Wextra -Wno-missing-field-initializers -Werror
		     -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
		     -DXROCE_BPF_OBJ='""' -DXROCE_VERSION='"test"')

	mkdir -p "$out"
	printf '%s\0' "$work/$2"/lib/*.c "$top"/selftests/libxroce/sized/module.c |
		xargs -0 -n 6 -P 2 sh -c 'cd "$0" && gcc "$@"' "$out" "${flags[@]}" \
			-I"$work/$2/include" -I"$work/$2/lib" -c || return
	gcc "${flags[@]}" -I"$work/$1/include" -I"$work/$1/lib" \
		"$top/selftests/libxroce/sized/program.c" "$out"/*.o \
		"${wraps[@]/#/-Wl,--wrap=}" $(pkg-config --libs libbpf libmnl) -lpthread \
		-o "$out/program"
}

# calls PROGRAM LIBRARY [-d]: each function of the library that takes such a structure
calls() {
	local program=$work/$1-$2/program call n=0 status=0

	for call in $(ASAN_OPTIONS=detect_leaks=0 "$program"); do
		n=$((n + 1))
		ASAN_OPTIONS=detect_leaks=0 "$program" ${3:+"$3"} "$call" >"$work/said" 2>&1 &&
			continue
		echo "# $call:"
		grep -E -m 3 '^#|ERROR|SUMMARY' "$work/said" | sed 's/^[# ]*/#   /'
		status=1
	done
	[ $n -ge 29 ] && return $status
}

# Each function that gives a size is called.
complete() {
	local name status=0

	for name in $(sed -nE 's/^.*\b(xroce_\w+)_sized\(.*/\1/p' "$top/user/lib/libxroce.h" | sort -u); do
		grep -qw "$name" "$top/selftests/libxroce/sized/program.c" ||
			{ echo "# $name"; status=1; }
	done
	return $status
}

# A structure has no padding at its end, where a new member would not change its size.
no_padding() {
	echo '#include <libxroce.h>' >"$work/all.c"
	gcc -Wpadded -fsyntax-only -I"$top/include" -I"$top/user/lib" "$work/all.c" 2>"$work/padded"
	! grep 'padding struct size' "$work/padded" | sed 's/^/# /' | grep .
}

tree "$work/first"
tree "$work/later"
echo 'TAP version 13'
run sized_complete 'U3' complete
run sized_no_padding 'U3' no_padding
run sized_grows 'U3' grow "$work/later"
run sized_old_program 'U3' eval 'build first later && calls first later'
run sized_new_program 'U3' eval 'build later first && calls later first'
run sized_new_member 'U3' calls later first -d
results
