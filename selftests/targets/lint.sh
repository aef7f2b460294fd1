#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Static checks of the sources. Fails if one of these reports an error; style checks that
# do not suit user-space code are disabled here, with the reason.
#
#   checkpatch    all of C; errors
#   sparse        the module
#   smatch        the module, if installed
#   coccinelle    the module, with the kernel's own rules
#   cppcheck      command, library, tests
#   clang-tidy    command, library
#   includes      no include cycles in the folders of one_way
#   folders       includes between folders of the module go down: see layers
#   columns       no line of C is longer than .clang-format allows, except strings
#   functions     none of the module, the XDP program, the library or the command has over 60 lines,
#                 unless the comment right above it has "Long: " and the reason
#   messages      subject and body of commits newer than $messages_since
#
# usage: KDIR=DIR lint.sh [TOOL]...
set -eu

cd "$(dirname "$0")/../.."
jobs=$(nproc)
user_dirs=(-Iuser/lib -Iuser/cmd -Iuser/cmd/serve)
flags=(-std=gnu11 -D_GNU_SOURCE -Iinclude "${user_dirs[@]}")
read -ra packages < <(pkg-config --cflags libbpf json-c libelf)
one_way=(kmod user/lib user/cmd user/provider)
# Folders of the module, from the top: a file includes headers of its own layer and of those below.
layers=('front/dev front/verbs' ctl 'qp send recv respond frame defer odp obj' mem own bytes)
# Older messages are as they are.
messages_since=8e7c894821dbd58c7359969735006a49949f3322
failed=()

# files PATTERN: files of this tree, without build results
files() {
	find bpf examples include kmod selftests user -name .git -prune -o -type f -name "$1" \
		-print | sort
}

# The kernel's source, for its scripts; downloaded at first use.
kernel_source() { selftests/vm/vm-kernel-debug.sh source; }

run_checkpatch() {
	local script

	script=$(kernel_source)/scripts/checkpatch.pl
	files '*.[ch]' |
		xargs -P "$jobs" -n 8 perl "$script" --no-tree --terse --no-summary -f |
		grep 'ERROR:'
}

run_sparse() {
	# sparse does not support vector types.
	find build/kmod -name '*.o' -delete
	make -C "$KDIR" M="$PWD/build/kmod" C=1 CHECK=sparse modules 2>&1 |
		grep -E '(error|warning):' | grep -vE '/clmul(_wide\.h|\.c):'
}

run_smatch() {
	command -v smatch >/dev/null || { echo '# no smatch here' >&2; return 1; }
	find build/kmod -name '*.o' -delete
	make -C "$KDIR" M="$PWD/build/kmod" C=1 CHECK='smatch -p=kernel' modules 2>&1 |
		grep -E '(error|warn|warning):' | grep -vE '/clmul(_wide\.h|\.c):'
}

# A rule that this version of spatch cannot parse reports nothing.
apply_rule() {
	timeout 120 spatch -D report --very-quiet --no-show-diff \
		--cocci-file "$1" --dir kmod -I include 2>/dev/null || :
}

# Rules that declare a low confidence are left out.
run_coccinelle() {
	local rules rule

	rules=$(kernel_source)/scripts/coccinelle
	find "$rules" -name '*.cocci' | sort |
		xargs grep -lE 'Confidence: (High|Moderate)' |
		while read -r rule; do
			apply_rule "$rule"
		done | grep ':[0-9]'
}

run_cppcheck() {
	{ files '*.c' | grep -E '^(user|selftests)/' | grep -v '\.bpf\.c$' |
		xargs cppcheck --quiet -j "$jobs" --inline-suppr --std=c11 \
		--enable=warning,performance,portability \
		--suppress=ctuuninitvar --suppress=uninitdata \
		-Iselftests/lib -Iselftests/lib/kernel_stubs -Iinclude "${user_dirs[@]}" \
		-D_GNU_SOURCE \
		'-DLIBBPF_OPTS(t,n,...)=struct t n = {__VA_ARGS__}'; } 2>&1 |
		grep -E '(error|warning|performance|portability):'
}

# va_list: clang-tidy 14 reports initialised lists as uninitialised.
run_clang_tidy() {
	local checks='-*,clang-analyzer-*,bugprone-*,-clang-analyzer-valist.*'

	checks+=,-clang-analyzer-security.insecureAPI.*
	checks+=,-bugprone-easily-swappable-parameters
	checks+=,-bugprone-narrowing-conversions
	checks+=,-bugprone-suspicious-string-compare,-bugprone-branch-clone
	checks+=,-bugprone-reserved-identifier,-bugprone-assignment-in-if-condition
	files '*.c' | grep '^user/' |
		xargs -P "$jobs" -n 1 -I FILE clang-tidy --quiet "-checks=$checks" FILE \
		-- "${flags[@]}" "${packages[@]}" \
		'-DXROCE_BPF_OBJ=""' '-DXROCE_VERSION=""' 2>/dev/null |
		grep -E '(error|warning):'
}

run_includes() { ! selftests/targets/include_cycles.py "${one_way[@]}"; }

# A header is beside the file that includes it, or its path begins in kmod/. Headers in kmod/ itself
# are for all.
run_folders() {
	local file header

	grep -r '^#include "' --include='*.[ch]' kmod/*/ | sed 's/#include //; s/"//g' |
		while IFS=: read -r file header; do
			[ ! -e "${file%/*}/$header" ] || continue
			[ ! -e "kmod/$header" ] || echo "${file#kmod/} $header"
		done |
		awk -v layers="$(printf '%s\n' "${layers[@]}")" '
		BEGIN {
			n = split(layers, layer, "\n")
			for (i = 1; i <= n; i++) {
				m = split(layer[i], folder, " ")
				for (j = 1; j <= m; j++)
					rank[folder[j]] = i
			}
		}
		function of(path) { return sub("/[^/]*$", "", path) ? path : "" }
		!(of($1) in rank) { print $1 ": " of($1) " is in no layer" }
		of($2) && rank[of($2)] < rank[of($1)] { print $1 ": includes " $2 ", of a layer above" }
		' | grep .
}

run_columns() {
	local limit

	limit=$(sed -n 's/^ColumnLimit: //p' .clang-format)
	files '*.[ch]' | xargs awk -v limit="$limit" '{
		line = $0
		for (gsub(/[^\t]/, ".", line); (at = index(line, "\t")); )
			line = substr(line, 1, at - 1) \
				substr("........", (at - 1) % 8 + 1) substr(line, at + 1)
		if (length(line) > limit && $0 !~ /"/)
			print FILENAME ":" FNR ": " length(line) " columns"
	}' | grep .
}

run_functions() {
	files '*.[ch]' | grep -E '^(bpf|kmod|user)/' | xargs awk '
		/^$/ { reason = 0 }
		/Long: / { reason = 1 }
		/^[a-z].*\(/ { name = $0 }
		/^\{/ { begin = FNR; long = reason }
		/^\}/ && begin {
			if (FNR - begin - 1 > 60 && !long)
				print FILENAME ":" begin ": " FNR - begin - 1 " lines: " name
			begin = 0
		}' | grep .
}

# complain_of SUBJECT: read the body of a message; print what is wrong with it. Lines like
# "Signed-off-by:" are no body.
complain_of() {
	[[ $1 =~ ^[^\ :]+(,\ [^\ :]+)*:\ . ]] || echo 'its subject is not "PLACE: what changes"'
	[ ${#1} -lt 72 ] || echo "its subject has ${#1} characters, not fewer than 72"
	grep -qvE '^([A-Z][a-z]+(-[a-z]+)+: .*|[[:space:]]*)$' || echo 'it has no body'
}

# Merges have no message of their own.
run_messages() {
	local commit subject

	git rev-parse -q --verify "$messages_since^{commit}" >/dev/null 2>&1 || {
		echo "lint: messages are not checked: this tree lacks commit $messages_since" >&2
		return 1
	}
	git rev-list --no-merges "$messages_since..HEAD" | while read -r commit; do
		subject=$(git show -s --format=%s "$commit")
		git show -s --format=%b "$commit" | complain_of "$subject" |
			sed "s/^/${commit:0:12}: /; s/\$/: ${subject//[&\\\/]/\\&}/"
	done | grep .
}

# Each tool prints its findings, and succeeds if there are any.
for tool in ${*:-checkpatch sparse smatch coccinelle cppcheck clang_tidy includes folders columns \
	functions messages}; do
	echo "# $tool"
	! "run_$tool" || failed+=("$tool")
done
[ ${#failed[@]} -eq 0 ] || { echo "lint: ${failed[*]}" >&2; exit 1; }
echo "lint: nothing found"
