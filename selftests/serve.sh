# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# perftest against "xroce serve". To be sourced after net.sh.

xroce=$net_here/../build/user/xroce
serve_pid=

serve_listens() {
	in_xr ss -Hltn 'sport = 18515' | grep -q .
}

# serve_up [OPTION]...: start the server in its namespace; not by in_xr, so that
# the process is its own
serve_up() {
	nsenter --net=/run/netns/xr "$xroce" serve --netdev x0 "$@" &
	serve_pid=$!
	undo+=(serve_down)
	wait_until 10 serve_listens
}

serve_down() {
	kill -TERM "$serve_pid"
	wait "$serve_pid"
}

# rxe_gid ADDRESS: index of the RoCEv2 GID of this address, as ::ffff:a.b.c.d or
# in full
rxe_gid() {
	local dir=/sys/class/infiniband/rxe0/ports/1 file

	for file in "$dir"/gids/*; do
		if [ "$(cat "$file" 2>/dev/null)" = "$1" ] &&
		   [ "$(cat "$dir/gid_attrs/types/${file##*/}")" = 'RoCE v2' ]; then
			echo "${file##*/}"
			return
		fi
	done
	return 1
}

rxe_gid4() { rxe_gid 0000:0000:0000:0000:0000:ffff:0a4d:0001; }
rxe_gid6() { rxe_gid fd77:0000:0000:0000:0000:0000:0000:0001; }

# stats_of COUNTER...: their values on a line, zeros included
stats_of() {
	in_xr "$xroce" -j stat show dev x0 all |
		python3 -c 'import json, sys
stat = json.load(sys.stdin)[0]
print(*(stat[name] for name in sys.argv[1:]))' "$@"
}
