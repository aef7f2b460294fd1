#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Break the checks of the module one by one, and find those whose absence no test notices. By hand:
# all of it takes hours.
#
#   mutate.sh build            modules in which each check can be switched off: see mutants.py
#   mutate.sh reach [SET]...   run each row of the programs of a SET; keep which checks refuse
#                              something in each, and list those that refuse nothing in any
#   mutate.sh run [PART]...    switch off each check that has a PART in its line of
#                              build/mutate/table, and run the rows in which it refuses, until one
#                              fails: of each set the quickest 30 (XROCE_MUTATE_ROWS). Those that
#                              have been noticed, since "build", are left out.
#
# A SET is a test that calls programs() of net.sh, and means its programs; or "link", the programs
# that share a link; or "alone", other programs. SET/PROGRAM/ROW
# is only this row, or these. Without arguments, and for "run": XROCE_MUTATE_SETS,
# or those of sets().
#
#   build/mutate/table         number, file, function, condition
#   build/mutate/reach/SET     a line a row: PROGRAM/ROW, milliseconds, the numbers of the checks
#   build/mutate/results       number, "noticed PROGRAM/ROW", "noticed crash", or "survived"
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
	rm -f "$work/results"
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
	outdated
}

# Lines of the list of survivors whose check the module does not have any more.
outdated() {
	awk -F '\t' '
	NR == FNR { has[$2 "\t" $3 "\t" $4] = 1; next }
	!/^(#|$)/ && !(($1 "\t" $2 "\t" $3) in has) { print "survivors, but not a check: " $0 }' \
		"$work/table" "$survivors"
}

# Scripts whose programs share what the script sets up, and "link" and "alone", quick ones first.
sets() {
	[ -z "${XROCE_MUTATE_SETS:-}" ] || { echo "$XROCE_MUTATE_SETS"; return; }
	echo link verbs_{rings,object,peer,srq,mcast,event}.sh kverbs.sh \
		verbs_{order,fault,loss,shadow}.sh alone
}

# The programs of a set; those of a script are known to it.
programs_of() {
	local all shared

	all=$(make -s --no-print-directory -C "$top/selftests" show-TEST_VM)
	shared=$(make -s --no-print-directory -C "$top/selftests" show-on_one_link)
	case $1 in
	link)	echo "$shared" ;;
	alone)	tr , '\n' <<<"${all// /,}" | grep -v '\.sh$' | grep -vxF "${shared// /$'\n'}" |
			grep -vxE "$left_out" ;;
	esac
}
left_out='reload_test|netdev_.*_test|fuzz_(serve|cli)_test|churn_test|odp_large_test'

# Lines of the table whose check is not in the list of survivors: file, function, condition.
table() {
	awk -F '\t' -v list="$survivors" '
	BEGIN { while ((getline line < list) > 0) if (line !~ /^(#|$)/) {
			split(line, f, "\t"); known[f[1] "\t" f[2] "\t" f[3]] = 1 } }
	!(($2 "\t" $3 "\t" $4) in known)' "$work/table"
}

reach() {
	local set only

	# shellcheck disable=SC2046 # names without blanks
	[ $# -gt 0 ] || set -- $(sets)
	mkdir -p "$work/reach"
	for set; do
		only=${set#*/}
		set=${set%%/*}
		[ "$only" != "$set" ] || only=''
		touch "$work/reach/$set"
		sed -i "\\|^$only|d" "$work/reach/$set"
		# shellcheck disable=SC2046 # names without blanks
		XROCE_MUTATE_ONLY=$only guest reach "$work" "$set" $(programs_of "$set")
	done
	echo "Checks that refuse nothing in any row of $work/reach:"
	table | awk -F '\t' '
	NR == FNR { n = split($0, f, " "); for (i = 3; i <= n; i++) seen[f[i]] = 1; next }
	!($1 in seen)' <(cat "$work"/reach/*) -
}

# Lines of $plan for the checks of the list todo that rows of a set reach. Those come last without
# which the machine is likely to stop: it takes a while to start another one.
plan() { # SET
	sort -k 2n "$work/reach/$1" | awk -v most="${XROCE_MUTATE_ROWS:-30}" '
	NR == FNR { todo[$1] = 1; next }
	{ for (i = 3; i <= NF; i++) if ($i in todo && ++n[$i] <= most)
		rows[$i] = rows[$i] " " $1 ":" $2 }
	END { for (i in rows) print i rows[i] }' "$work/todo" - | sort -n |
		awk -F '\t' '
		NR == FNR { last[$1] = $4 ~ /^(!?[a-z_>-]+|IS_ERR\(.*\))$/; next }
		{ split($0, f, " "); if (last[f[1]]) late[++n] = $0; else print }
		END { for (i = 1; i <= n; i++) print late[i] }' "$work/table" -
}

# Run the plan. A check may be what keeps the machine alive: go on in another one.
run_plan() { # SET
	local stuck=0

	while [ -s "$work/plan" ]; do
		rm -f "$work/trying"
		guest run "$work" "$1" | tail -n 3
		if [ ! -s "$work/trying" ]; then
			[ $((stuck += 1)) -lt 3 ] || die "the machine of $1 does not begin"
		elif ! grep -q "^$(cat "$work/trying")$(printf '\t')" "$work/results.set"; then
			printf '%s\tnoticed crash\n' "$(cat "$work/trying")" >>"$work/results.set"
		fi
		awk 'NR == FNR { done[$1] = 1; next } !($1 in done)' \
			"$work/results.set" "$work/plan" >"$work/plan.rest"
		mv "$work/plan.rest" "$work/plan"
	done
}

# Lines of a file with numbers, but those of checks that have been noticed.
unnoticed() {
	awk -F '\t' '
	FILENAME == ARGV[1] { if ($2 ~ /^noticed/) done[$1] = 1; next }
	!($1 in done)' "$work/results" "$1"
}

run() {
	local number rest part set

	[ -d "$work/reach" ] || die 'run "mutate.sh reach" first'
	touch "$work/results"
	table | while IFS=$'\t' read -r number rest; do
		for part in "${@:-}"; do
			[[ $rest != *"$part"* ]] || { echo "$number"; break; }
		done
	done | unnoticed - >"$work/todo"
	for set in $(sets); do
		[ -s "$work/reach/$set" ] || continue
		: >"$work/results.set"
		plan "$set" >"$work/plan"
		run_plan "$set"
		# A later set may notice what this one does not.
		awk -F '\t' '
		FILENAME == ARGV[1] { now[$1] = $2; next }
		!($1 in now)
		END { for (i in now) print i "\t" now[i] }' "$work/results.set" "$work/results" \
			>"$work/results.all"
		mv "$work/results.all" "$work/results"
		unnoticed "$work/todo" >"$work/todo.rest"
		mv "$work/todo.rest" "$work/todo"
	done
	awk -F '\t' '
	NR == FNR { result[$1] = $2; next }
	$1 in result { n[result[$1] ~ /^noticed/]++
		       if (result[$1] == "survived") print "survived: " $1 " " $2 " " $3 ": " $4 }
	END { printf "%d checks noticed, %d survived\n", n[1], n[0]; exit n[0] > 0 }' \
		"$work/results" "$work/table"
}

[ $# -gt 0 ] || die 'usage: mutate.sh build | reach [SET]... | run [PART]...'
case $1 in
build|reach|run)	"$@" ;;
*)			die "$1? build, reach or run" ;;
esac
