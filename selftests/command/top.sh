#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# xroce top on a terminal of tmux, under traffic of ib_write_bw: what it shows, its keys,
# and the state in which it leaves the terminal.
set -eu

. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/terminal.sh"

# top_up WORD...: start it there as a child of the shell
top_up() {
	type_line "clear; stty -a >$work/before; nsenter --net=/run/netns/xr $xroce top $*; echo status=\$?; stty -a >$work/after"
	wait_until 30 shows '^xroce top [0-9:]+ every'
}

# Find a queue pair and a region with traffic; rates are like "1.23M" or "847K".
rate='[0-9][0-9.]*[KMG]?'
busy_qp() { screen | awk '$2 == "x0" && $3 == "rts" && $6 + 0 > 0' | grep -q .; }
busy_mr() {
	screen | awk '/^REGION/ { there = 1 }
		there && /^0x/ && $2 == "x0" && $5 + 0 > 0' | grep -q .
}

under_traffic() {
	wait_until 30 busy_qp && wait_until 30 busy_mr &&
		shows "^x0 +native +$rate +$rate" ||
		{ screen | sed 's/^/# /'; sed 's/^/# /' "$work/traffic"; return 1; }
}

small() { screen | sed -n '10p' | grep -q '^q quit'; }

# Shrink the window, then enlarge it: all tables keep their heads, and the keys stay on the
# last line.
resized() {
	tm resize-window -x 100 -y 10
	wait_until 20 small && shows '^LINK' && shows '^QP' && shows '^REGION' ||
		{ screen | sed 's/^/# /'; return 1; }
	tm resize-window -x 130 -y 30
	wait_until 20 eval '[ "$(screen | grep -c "^0x")" -ge 5 ]'
}

ids() { screen | sed -n '/^QP/,/^REGION/s/^\(0x[0-9a-f]*\) .*/\1/p'; }

sorted_by() { # KEY NAME
	tm send-keys "$1"
	wait_until 20 shows "^xroce top .* by $2:"
}

# Sorted by number, queue pairs are in order; sorted by bytes, idle ones are last.
sorts() {
	sorted_by i id && ids | LC_ALL=C sort -c && [ "$(ids | wc -l)" -ge 3 ] &&
		sorted_by b bytes && sorted_by s packets &&
		sorted_by e errors && sorted_by b bytes &&
		wait_until 20 idle_last ||
		{ screen | sed 's/^/# /'; return 1; }
}

idle_last() {
	screen | awk '/^QP/ { qps = 1; next } /^REGION/ { qps = 0 }
		qps && $3 == "rts" && $6 + 0 > 0 { busy++; if (idle) exit 1 }
		qps && ($3 == "err" || $3 == "reset") { idle++ }
		END { exit !busy || idle != 2 }'
}

# in_color QPN: print the escape codes before its row
in_color() { grep -aoE $'^(\e\\[[0-9;]*m)*'"$1 " "$work/colors"; }

# A queue pair in error is bold and red; others are neither.
highlights() {
	tm capture-pane -pe >"$work/colors"
	in_color "$bad" | grep -q '1m.*31m' &&
		in_color "$good" | grep -q "$good" &&
		! in_color "$good" | grep -qE '[;[]1m|31m' ||
		{ cat -v "$work/colors" | sed 's/^/# /'; return 1; }
}

quits() { tm send-keys q; left_well; }

killed_by() { # SIGNAL
	top_up
	pkill "-$1" -x -P "$(tm display-message -p '#{pane_pid}')" xroce
	left_well
}

interrupted() { top_up && tm send-keys C-c && left_well; }

no_terminal() {
	local status=0

	in_xr "$xroce" top >"$work/out" 2>"$work/err" || status=$?
	[ $status = 1 ] && [ ! -s "$work/out" ] &&
		grep -q 'top: standard output is not a terminal; -n N' "$work/err"
}

# A fixed number of iterations, as text and as JSON.
iterations() {
	in_xr "$xroce" top -n 2 interval 0.2 >"$work/out" &&
		[ "$(grep -c '^LINK ' "$work/out")" = 2 ] &&
		[ "$(grep -c "^$bad x0 *err " "$work/out")" = 2 ] &&
		! grep -q $'\e' "$work/out" &&
		in_xr "$xroce" -j top -n 2 interval 0.2 sort packets >"$work/json" &&
		python3 -SI - "$work/json" "$bad" <<-'END'
	import json, sys
	rounds = [json.loads(line) for line in open(sys.argv[1])]
	assert len(rounds) == 2
	for r in rounds:
	    assert [l["dev"] for l in r["links"]] == ["x0"]
	    assert 0.2 <= r["interval"] < 10
	    rates = [q["packets"] for q in r["qps"]]
	    assert rates == sorted(rates, reverse=True)
	    assert {q["qpn"]: q["bad"] for q in r["qps"]}[int(sys.argv[2], 16)]
	assert any(q["bytes"] > 0 for q in rounds[1]["qps"])
	assert any(m["in_bytes"] > 0 for m in rounds[1]["mrs"])
	END
}

# Delete the objects that keep the server from deleting its link.
objects_down() {
	local qpn

	for qpn in "$good" "$bad"; do in_xr "$xroce" qp del qpn "$qpn"; done
	in_xr "$xroce" pd del pd "$pd"
}

net_up
module_up
rxe_up
serve_up --max-qps 16 >/dev/null
undo+=(objects_down)
pd=$(in_xr "$xroce" pd add | sed 's/pd //')
good=$(in_xr "$xroce" qp add pd "$pd" | sed 's/qpn //')
bad=$(in_xr "$xroce" qp add pd "$pd" | sed 's/qpn //')
in_xr "$xroce" qp modify qpn "$bad" state err
terminal_up
# Niced traffic.
nice ib_write_bw -d rxe0 -x "$(rxe_gid4)" -m 4096 -s 16384 -n 1000000 -q 2 \
	--rate_limit=2 --rate_units=M --rate_limit_type=SW --burst_size=8 \
	10.77.0.2 >"$work/traffic" 2>&1 &
traffic=$!

top_up
run under_traffic 'U1 D6' under_traffic
run resize U1 resized
run sort U1 sorts
run highlight 'U1 D6' highlights
run quit U1 quits
run signal_term U1 killed_by TERM
run signal_hup U1 killed_by HUP
run interrupt U1 interrupted
run no_terminal U1 no_terminal
run iterations U1 iterations
kill $traffic
wait $traffic || :
results
