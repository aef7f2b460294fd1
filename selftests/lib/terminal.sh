# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A terminal of tmux, to type into and to read. Source it after net.sh.

command -v tmux >/dev/null || { echo '1..0 # SKIP no tmux'; exit 4; }

work_up

tm() { tmux -u -S "$work/socket" -f /dev/null "$@"; }
screen() { tm capture-pane -p; }
shows() { screen | grep -qE -- "$1"; }
type_line() { tm send-keys -l "$1" && tm send-keys Enter; }

terminal_up() {
	TERM=xterm-256color tm new-session -d -x 130 -y 30 'bash --norc --noprofile'
	undo+=(terminal_down)
	type_line "PS1='ready> '; cd $top"
	wait_until 20 shows '^ready>'
}

terminal_down() { tm kill-server; }

# Check that shell, terminal modes and cursor are as they were before a command. The kernel echoes
# ^C after it has sent the signal, so after what the command wrote, or before.
left_well() {
	wait_until 20 shows '^(\^C)?status=0' &&
		wait_until 10 test -s "$work/after" &&
		cmp "$work/before" "$work/after" &&
		[ "$(tm display-message -p '#{alternate_on} #{cursor_flag}')" = '0 1' ] ||
		{ screen | sed 's/^/# /'; return 1; }
	rm "$work/after"
}
