#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run tests, print one TAP document for all of them, and finally the counts.
#
#   run.sh native|vm|virtio|all     lists of the Makefile beside this file
#   run.sh machines                 vm and virtio
#   run.sh each TEST...             TAP of each, unnumbered (run.sh in the VM). TEST,TEST...
#                                   share a link: see one_link.c
#
#   all --+-- native: each TEST... -----------------------+--> count --> stdout
#         +-- vm:     vm.sh [ each TEST... ] ... ---------+
#         +-- virtio: vm.sh --net virtio [ each TEST... ] +
#
# The vm list is distributed over XROCE_MACHINES simultaneous virtual machines (default: as many
# as the host has CPUs, at most four: most tests wait most of the time).
#
# A test that dies, exceeds the timeout of the file settings, prints no plan or deviates
# from its plan is a failure, and so is a complaint of the kernel. With VM=0 in the
# environment no virtual machine is used: vm runs on this host, virtio is skipped. With
# KERNEL=SUITE the machine has that kernel (see vm.sh), and native is skipped. XROCE_SLOW=N
# multiplies all timeouts by N, for slow kernels.
set -eu

here=$(realpath "$(dirname "$0")")
programs=$here/../build/selftests
limit=$(($(sed -n 's/^timeout=//p' "$here/settings") * ${XROCE_SLOW:-1}))
machines=$(nproc)
machines=${XROCE_MACHINES:-$((machines < 4 ? machines : 4))}

# Flush each line: mawk otherwise waits for a full buffer.
line_awk=(awk)
! awk -W version 2>/dev/null | grep -q '^mawk' || line_awk+=(-W interactive)

die() { echo "run: $*" >&2; exit 2; }

# Pass on the TAP of one test from stdin, whose last line is "exit STATUS", and add failures
# that the test cannot report itself. A script has one plan for each of its programs.
judge() {
	"${line_awk[@]}" -v name="$1" -v limit="$limit" '
	function fail(why) { print "not ok " name " # " why; fflush() }
	/^exit [0-9]+$/		{ status = $2; next }
	/^unjudged$/		{ unjudged = 1; next }
	/^untidy$/		{ untidy = 1; next }
	/^TAP version/		{ next }
	/^1\.\.0/		{ planned = 1
				  why = $0; sub(/^1\.\.0 *#* */, "", why)
				  print "ok " name " # " why; fflush(); next }
	/^1\.\.[0-9]+/		{ planned = 1; plan += substr($1, 4); next }
	/^(not )?ok( |$)/	{ seen++; if ($1 == "not") bad++
				  sub(/^ok [0-9]*/, "ok")
				  sub(/^not ok [0-9]*/, "not ok") }
	/^Bail out!/		{ bailed = 1; sub(/^/, "# ") }
	!/^(#|ok|not ok)/	{ sub(/^/, "# ") }
				{ print; fflush() }
	END {
		if (unjudged)
			fail("packets came to a link that judges none: see no_packets")
		if (untidy)
			fail("the module is still loaded")
		if (status == 124 || status == 137)
			fail("no end within " limit " s")
		else if (status > 128)
			fail("killed by signal " status - 128)
		else if (bailed)
			fail("bailed out")
		else if (!planned)
			fail("no plan, exit status " status)
		else if (seen + 0 != plan)
			fail(seen + 0 " results, " plan + 0 " planned")
		else if (status && status != 4 && !bad)
			fail("exit status " status)
	}'
}

# The program of small.bpf.c, for tests that judge no packet, has got one.
trace=/sys/kernel/tracing/trace
unjudged() { grep -qs 'small\.bpf\.c: ' $trace; }

# In a machine: a test has left the module loaded, with which those behind it cannot begin. Take it
# away with all that may hold it.
untidy() {
	[ -n "${XROCE_VM:-}" ] && [ -z "${XROCE_ONE_LINK:-}" ] && [ -e /sys/module/xroce ] || return 1
	fuser -s -k -9 /dev/xroce /dev/infiniband/* || :
	ip -all netns delete || :
	ip link del c0 || :
	ip link del c1 || :
	rm -rf /sys/fs/bpf/xroce
	# A link outlives its device, for whoever added it.
	"$programs/../user/xroce" link show | awk '{ print $4 }' | while read -r dev; do
		"$programs/../user/xroce" link del dev "$dev" force </dev/null || :
	done
	rmmod rdma_rxe || :
	timeout 20 sh -c 'until rmmod xroce_ib xroce || rmmod xroce; do sleep 0.5; done' || :
} 2>/dev/null

each() {
	local test path status began

	for test; do
		case $test in
		*,*)	on_one_link "${test//,/ }"; continue ;;
		*.sh)	path=$(echo "$here"/*/"$test") ;;
		*)	path=$programs/$test ;;
		esac
		echo "# $test"
		began=$SECONDS
		[ ! -w $trace ] || : >$trace
		{
			status=0
			timeout -k 5 "$limit" "$path" </dev/null 2>&1 || status=$?
			! unjudged || printf '\nunjudged\n'
			! untidy || printf '\nuntidy\n'
			printf '\nexit %d\n' "$status"
		} | sed -u '/^$/d' | judge "$test"
		echo "# $test: $((SECONDS - began)) s"
	done
}

# Programs of live_main() that share a link, each judged by itself.
on_one_link() {
	local status=0

	# shellcheck disable=SC2086 # names without blanks
	"$programs/one_link" "$here/run.sh" each $1 || status=$?
	[ $status = 0 ] || [ $status = 4 ] || echo "not ok one_link # exit status $status"
}

list() { make -s --no-print-directory -C "$here" "show-$1"; }

run_native() {
	# shellcheck disable=SC2046 # names without blanks
	each $(list TEST_NATIVE)
}

# Lines of several machines, each "MACHINE<tab>LINE": print the lines of a test together, as
# soon as its machine has reached the next test.
sort_out() {
	"${line_awk[@]}" '
	function put(machine) {
		printf "%s", held[machine]
		fflush()
		held[machine] = ""
	}
	{
		machine = $0
		sub(/\t.*/, "", machine)
		sub(/^[^\t]*\t/, "")
	}
	/^# [a-z0-9_]+(_test|\.sh)$/ { put(machine) }
	{ held[machine] = held[machine] $0 "\n" }
	END { for (machine in held) put(machine) }'
}

in_machine() { # MACHINE NET TEST...
	local machine=$1 net=$2 status=0

	shift 2
	"$here/vm.sh" ${KERNEL:+--kernel "$KERNEL"} --net "$net" --timeout $((60 + limit * $#)) -- \
		"$here/run.sh" each "$@" 2>&1 || status=$?
	if [ "$status" = 0 ]; then
		echo "ok vm_$net${machine}_kernel_log"
	else
		echo "not ok vm_$net${machine}_kernel_log # vm.sh: exit status $status"
	fi
}

# deal TEST...: distribute the tests over $dealt, by what TEST_LONG says of their times: to the
# machine that has least to do, the longest first. A machine keeps their order.
dealt=()
deal() {
	local -A to=()
	local load=() test name times machine least i

	read -ra times < <(list TEST_LONG)
	for test in $(printf '%s\n' "${times[@]}" | sort -t = -k 2 -rn) "${@/%/=}"; do
		name=${test%=*}
		[[ " $* " = *" $name "* ]] && [ -z "${to[$name]:-}" ] || continue
		least=1
		for ((machine = 2; machine <= machines; machine++)); do
			[ "$((${load[machine]:-0}))" -ge "$((${load[least]:-0}))" ] || least=$machine
		done
		i=${test#*=}
		load[least]=$((${load[least]:-0} + ${i:-8}))
		to[$name]=$least
	done
	dealt=()
	for test; do
		machine=${to[$test]}
		dealt[machine]+=" $test"
	done
}

# Each machine is a process group of its own, because an interrupt does not reach background
# jobs of a script.
in_machines() { # NET TEST...
	local net=$1 machine groups=()

	shift
	set -m
	deal "$@"
	for ((machine = 1; machine <= machines && machine <= $#; machine++)); do
		(
			# shellcheck disable=SC2086 # names without blanks
			in_machine "$machine" "$net" ${dealt[machine]} | sed -u "s/^/$machine\t/"
		) &
		groups+=("-$!")
	done
	trap 'kill -- "${groups[@]}"' INT TERM HUP
	wait
}

run_vm() { # LIST NET
	local tests

	read -ra tests < <(list "$1")
	[ ${#tests[@]} -gt 0 ] || return 0
	if [ "${VM:-1}" = 0 ]; then
		if [ "$2" = veth ]; then
			XROCE_NET=veth each "${tests[@]}"
		else
			echo "ok vm_$2 # SKIP no virtual machine (VM=0)"
		fi
		return
	fi
	in_machines "$2" "${tests[@]}" | sort_out
}

# Number the results; then print requirements with the tests that show them, grouped by
# subject; then the failures again, each with the lines before it, at most 40; then the counts.
count() {
	"${line_awk[@]}" '
	# Group tests named "subject_name" by their subject under each of their ids.
	function note(name, ids, mark,   i, n, id, at, subject) {
		at = index(name, "_")
		subject = at ? substr(name, 1, at - 1) : name
		name = (at ? substr(name, at + 1) : "") mark
		n = split(ids, id, " ")
		for (i = 1; i <= n && id[i] ~ /^[A-Z][0-9]+$/; i++) {
			if (!(id[i] in subjects))
				known[++knowns] = id[i]
			if (!((id[i], subject) in tests))
				subjects[id[i]] = subjects[id[i]] " " subject
			if (!index(tests[id[i], subject] " ", " " name " "))
				tests[id[i], subject] = tests[id[i], subject] " " name
		}
	}
	function key(id) { return sprintf("%s%04d", substr(id, 1, 1), substr(id, 2)) }
	function sort(   i, j, t) {
		for (i = 2; i <= knowns; i++) {
			t = known[i]
			for (j = i; j > 1 && key(known[j - 1]) > key(t); j--)
				known[j] = known[j - 1]
			known[j] = t
		}
	}
	function flush_line() {
		sub(/ *$/, "", line)
		print line
	}
	function put(word, last) {
		if (length(line) + length(word) > 78) {
			flush_line()
			line = "#     "
		}
		line = line word (last ? "" : " ")
	}
	function table(   i, j, k, n, m, s, t) {
		sort()
		print "# Requirements, and the tests of each"
		for (i = 1; i <= knowns; i++) {
			line = sprintf("# %-4s", known[i])
			n = split(subjects[known[i]], s, " ")
			for (j = 1; j <= n; j++) {
				m = split(tests[known[i], s[j]], t, " ")
				if (m < 2) {
					put(s[j] (m ? "_" t[1] : ""))
					continue
				}
				for (k = 1; k <= m; k++)
					put((k == 1 ? s[j] "_{" : "") t[k] \
					    (k == m ? "}" : ","), k < m)
			}
			flush_line()
		}
	}
	/^(not )?ok/ {
		n++
		words = $0
		sub(/^(not )?ok */, "", words)
		sub(/ *#.*/, "", words)
		name = words
		sub(/ .*/, "", name)
		sub(/^[^ ]* */, "", words)
		if ($1 == "not") {
			failed++
			mark = "(FAILED)"
			for (i = said > 40 ? said - 40 : 0; i < said; i++)
				failures = failures before[i] "\n"
			failures = failures "# " $0 "\n"
		}
		else if (toupper($0) ~ /# *SKIP/) { skipped++; mark = "(skipped)" }
		else { passed++; mark = "" }
		note(name, words, mark)
		said = 0
		sub(/^ok/, "ok " n)
		sub(/^not ok/, "not ok " n)
	}
	!/^(#|ok|not ok)/ { sub(/^/, "# ") }
	/^#/ { before[said++] = $0 }
	{ print; fflush() }
	END {
		print "1.." n + 0
		table()
		if (failures)
			printf "# Failed:\n%s", failures
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed || !passed
	}'
}

both() {
	run_vm TEST_VM veth
	run_vm TEST_VM_VIRTIO virtio
}

all() {
	[ -n "${KERNEL:-}" ] || run_native
	both
}

case ${1:-} in
each)		shift; each "$@"; exit ;;
native)		lists=run_native ;;
vm)		lists='run_vm TEST_VM veth' ;;
virtio)		lists='run_vm TEST_VM_VIRTIO virtio' ;;
machines)	lists=both ;;
all)		lists=all ;;
*)		die "usage: run.sh native|vm|virtio|machines|all|each TEST..." ;;
esac

set -o pipefail
$lists | count
