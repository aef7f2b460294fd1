# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tests of "xroce serve" with named regions. Source it after serve.sh, with $work set. The test
# defines memory(), which runs a client, and objects(), which waits for numbers of objects.

work_down() { rm -rf "$work"; }
# up [WORD]...: start the server, with its output in a file
up() { serve_up "$@" >"$work/out" 2>"$work/err"; }

# SIGTERM ends the server cleanly; none of its objects is left
down() {
	local status=0

	unset 'undo[-1]'
	kill -TERM "$serve_pid"
	wait "$serve_pid" || status=$?
	[ "$status" = 0 ] ||
		not_so "status $status: $(cat "$work/out" "$work/err")" || return
	objects 0 0 0
}

# refused PATTERN WORD...: memory() is refused, and its client prints a matching reason
refused() {
	local pattern=$1

	shift
	! memory "$@" >/dev/null && grep -qE "$pattern" "$work/client" ||
		not_so "$pattern: $(cat "$work/client")"
}

# says PATTERN: the server prints it, soon
says() {
	wait_until 20 grep -qE "$1" "$work/out" || not_so "$1: $(cat "$work/out")"
}
