#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# xroce serve on a terminal of tmux: it shows its progress on one line, whatever the width,
# and erases that line at the end. To a file it writes no progress.
set -eu

. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/terminal.sh"

rate='[0-9][0-9.]*[KMG]?'
line="[0-9]+ queue pairs?, [0-9]+ packets, $rate packets/s, $rate bytes/s, [0-9]+ naks"

fail_screen() { screen | sed 's/^/# /'; return 1; }

started() {
	type_line "clear; stty -a >$work/before; nsenter --net=/run/netns/xr $xroce serve --netdev x0 --size 64M; echo status=\$?; stty -a >$work/after"
	wait_until $serve_limit serve_listens && wait_until 20 shows '^listening ' || fail_screen
}

# A niced client with a long run.
under_traffic() {
	nice ib_write_bw -d rxe0 -x "$(rxe_gid4)" -m 1024 -s 1024 -n 1000000 \
		--rate_limit=1 --rate_units=M --rate_limit_type=SW --burst_size=8 \
		10.77.0.2 >"$work/traffic" 2>&1 &
	traffic=$!
	wait_until 30 shows "$line" && wait_until 20 shows '[1-9][0-9]* packets, ' ||
		{ sed 's/^/# /' "$work/traffic"; fail_screen; }
}

lines() { screen | grep -c 'queue pair'; }
last() { screen | grep 'queue pair' | tail -n 1; }

# The old progress line takes two lines after narrowing; updates replace only the second
# one.
narrowed() {
	local before i was

	tm resize-window -x 40 -y 12
	wait_until 20 eval '! shows naks' || fail_screen || return
	before=$(lines)
	for i in 1 2 3; do
		was=$(last)
		wait_until 20 eval '[ "$(last)" != "$was" ]' || fail_screen || return
	done
	[ "$(lines)" = "$before" ] && ! shows naks || fail_screen || return
	tm resize-window -x 130 -y 30
	wait_until 20 shows "$line" || fail_screen
}

interrupted() {
	tm send-keys C-c
	kill $traffic 2>/dev/null || :
	wait $traffic || :
	left_well && ! shows "$line" || fail_screen
}

# killed_by SIGNAL: the terminal is left clean
killed_by() {
	started &&
		pkill "-$1" -x -P "$(tm display-message -p '#{pane_pid}')" xroce &&
		left_well
}

in_a_pipe() {
	local status=0

	nsenter --net=/run/netns/xr "$xroce" serve --netdev x0 --size 64M \
		>"$work/out" 2>"$work/err" </dev/null &
	wait_until $serve_limit serve_listens
	ib_write_bw -d rxe0 -x "$(rxe_gid4)" -n 500 10.77.0.2 >"$work/traffic" 2>&1 ||
		status=$?
	kill -TERM $!
	wait $! || status=$?
	[ $status = 0 ] && [ ! -s "$work/err" ] ||
		{ sed 's/^/# /' "$work/err"; return 1; }
}

net_up
module_up
rxe_up
terminal_up
run serve_progress 'U1 U4' started
run serve_traffic 'U1 U4' under_traffic
run serve_narrow U1 narrowed
run serve_interrupt U1 interrupted
run serve_term U1 killed_by TERM
run serve_hup U1 killed_by HUP
run serve_pipe U1 in_a_pipe
results
