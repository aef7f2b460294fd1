#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Break the checks of the module one by one, and find those whose absence no test notices. By hand:
# all of it takes hours.
#
#   mutate.sh build            modules in which each check can be switched off: see mutants.py
#   mutate.sh reach [TEST]...  run the tests (all that need the module); keep which checks refuse
#                              something in each, and list those that refuse nothing in any
#   mutate.sh run [PART]...    switch off each check that has a PART in its line of build/mutate/table,
#                              and run the tests in which it refuses, the quickest first, until one fails
#
#   build/mutate/table         number, file, function, condition
#   build/mutate/reach/TEST    seconds, then the numbers of the checks
#   build/mutate/results       number, "noticed TEST", "noticed crash", or "survived"
#
# survivors beside this file lists checks that no test can notice, with the reason.
set -eu

here=$(realpath "$(dirname "$0")")
top=${here%/selftests/*}
work=$top/build/mutate
survivors=$here/survivors

die() { echo "mutate: $*" >&2; exit 2; }

# In the virtual machine, as root, or with VM=0 here.
guest() {
	(cd "$top" && XROCE_MODULE=$work/kmod/xroce.ko \
		selftests/vm.sh --timeout 36000 -- "$here/mutate-guest.sh" "$@") 2>&1 || :
}

build() {
	local kdir=${KDIR:-}

	[ -n "$kdir" ] || read -r kdir <"$top/build/kmod/.kdir" || die 'run "make" first'
	mkdir -p "$work"
	"$here/mutants.py" "$top/kmod" "$work/kmod" "$work/table"
	ln -sfn "$top/include" "$work/include"
	cp "$here/xr_mutant.c" "$here/mutant.h" "$work/kmod/"
	cat >>"$work/kmod/Kbuild" <<-'END'
		xroce-y := $(filter-out xr_mutant.o,$(xroce-y))
		obj-m += xr_mutant.o
		ccflags-y += -include $(xroce-kmod)mutant.h
	END
	make --no-print-directory -C "$work/kmod" "KDIR=$kdir" VERSION=mutant
	echo "$(wc -l <"$work/table") checks in $work/table"
}

tests() { make -s --no-print-directory -C "$top/selftests" show-TEST_VM | tr , ' '; }

# Lines of the table whose check is not in the list of survivors: file, function, condition.
table() {
	awk -F '\t' -v list="$survivors" '
	BEGIN { while ((getline line < list) > 0) if (line !~ /^(#|$)/) {
			split(line, f, "\t"); known[f[1] "\t" f[2] "\t" f[3]] = 1 } }
	!(($2 "\t" $3 "\t" $4) in known)' "$work/table"
}

reach() {
	# shellcheck disable=SC2046 # names without blanks
	[ $# -gt 0 ] || set -- $(tests)
	mkdir -p "$work/reach"
	guest reach "$work" "$@"
	echo "Checks that refuse nothing in any test of $work/reach:"
	table | awk -F '\t' 'NR == FNR { seen[$1] = 1; next } !($1 in seen)' \
		<(tail -qn +2 "$work"/reach/*) -
}

# The tests that reach check $1, the quickest first.
reaching() {
	local file

	for file in "$work"/reach/*; do
		! tail -n +2 "$file" | grep -qx "$1" || echo "$(head -n 1 "$file") ${file##*/}"
	done | sort -n | head -n 12 | sed 's/.* //' | tr '\n' ' '
}

run() {
	local number rest part plan=$work/plan before after

	[ -d "$work/reach" ] || die 'run "mutate.sh reach" first'
	table | while IFS=$'\t' read -r number rest; do
		for part in "${@:-}"; do
			[[ $rest = *"$part"* ]] || continue
			echo "$number $(reaching "$number")"
			break
		done
	done | awk 'NF > 1' >"$plan"
	: >"$work/results"
	# A check may be what keeps the machine alive: go on in another one.
	while [ -s "$plan" ]; do
		before=$(wc -l <"$work/results")
		guest run "$work" | tail -n 3
		after=$(wc -l <"$work/results")
		[ "$after" -gt "$before" ] ||
			awk 'NR == 1 { print $1 "\tnoticed crash" }' "$plan" >>"$work/results"
		awk 'NR == FNR { done[$1] = 1; next } !($1 in done)' "$work/results" "$plan" >"$plan.rest"
		mv "$plan.rest" "$plan"
	done
	awk -F '\t' '
	NR == FNR { result[$1] = $2; next }
	$1 in result { n[result[$1] ~ /^noticed/]++
		       if (result[$1] == "survived") print "survived: " $2 " " $3 ": " $4 }
	END { printf "%d checks noticed, %d survived\n", n[1], n[0]; exit n[0] > 0 }' \
		"$work/results" "$work/table"
}

[ $# -gt 0 ] || die 'usage: mutate.sh build | reach [TEST]... | run [PART]...'
case $1 in
build|reach|run)	"$@" ;;
*)			die "$1? build, reach or run" ;;
esac
