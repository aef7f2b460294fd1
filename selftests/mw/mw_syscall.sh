#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a program that posts binds and revocations under traffic with strace, and checks
# that it makes no system call for them. Another process sends the traffic.
set -eu

. "$(dirname "$0")/../lib/tap.sh"
needs_module
work=$(mktemp -d /dev/shm/mw-XXXXXX)
trap 'rm -rf "$work"' EXIT

command -v strace >/dev/null || { echo '1..0 # SKIP no strace'; exit 4; }

echo 'TAP version 13'
echo '1..3'
status=0
strace -f -o "$work/trace" "$top/build/selftests/mw_syscall_test" \
	>"$work/out" 2>&1 || status=$?
sed 's/^/# /' "$work/out"
sender=$(sed -n 's/^# sender //p' "$work/out")

# Lines between the two marks, except the sender's.
awk -v sender="$sender" '
	/sched_get_priority_max\(/	{ marks++; next }
	/sched_get_priority_max resumed/ { next }
	marks == 1 && $1 != sender
	END			{ exit marks != 2 }' \
	"$work/trace" >"$work/calls" && marks=ok || marks='not ok'
sed 's/^/# /;20q' "$work/calls"
lines=$(wc -l <"$work/calls")

if [ $status = 0 ] && grep -q '^ok 1 mw_posts' "$work/out"; then
	echo 'ok 1 mw_posts W10'
else
	echo 'not ok 1 mw_posts W10'
fi
echo "$marks 2 mw_traced W10 # $(wc -l <"$work/trace") lines"
if [ "$lines" = 0 ]; then
	echo 'ok 3 mw_no_system_call W10'
else
	echo 'not ok 3 mw_no_system_call W10'
fi
