# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Two programs of librdmacm that talk: a server on $server_dev, which runs by $server_enter, and a
# client, which runs by $client_enter. Their output is in the files server and client in $work.
# Source it after verbs.sh. The script defines explain(), which prints what is known of a failure.

limit=60	# seconds for a program

listens() {
	! kill -0 "$server" 2>/dev/null ||
		"${server_enter[@]}" rdma resource show cm_id link "$server_dev" |
			grep -q 'state LISTEN'
}

# serve WORD...: start a server, and wait until it listens
serve() {
	"${server_enter[@]}" timeout $limit "$@" >"$work/server" 2>&1 &
	server=$!
	wait_until 20 listens
}

# ask WORD...: run a client, and end the server if it fails. The state LISTEN is shown a moment
# before connections are accepted: who comes too early is rejected, and tries again.
ask() {
	local try

	for try in 1 2 3 4 5; do
		"${client_enter[@]}" timeout $limit "$@" >"$work/client" 2>&1 && return
		grep -qE 'REJECTED.*error:? 8|rdma_connect: Connection refused' "$work/client" && kill -0 "$server" || break
		sleep 0.$try
	done
	kill "$server" 2>/dev/null || :
	explain
	return 1
}

# served: the server has ended by itself, without an error
served() { wait "$server" || { explain; return 1; }; }
