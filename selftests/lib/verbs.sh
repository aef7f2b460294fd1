# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The verbs device of xroce in a shell test. Source it under "set -eu".
#
#   initial namespace                        namespace xr
#   +---------------------------+            +---------------------------+
#   | verbs device rxe0, client |    veth    | verbs device xr0, server  |
#   |             on netdev c0  |------------|             on netdev x0  |
#   +---------------------------+            +---------------------------+
#
# Every namespace sees both verbs devices ("rdma system": netns shared). A program uses the
# addresses of its own namespace.
#
# With XROCE_VERBS=rxe the server of perftest uses rxe0 as well: shows whether a failure is
# perftest's or rxe's.
#
# With XROCE_PROVIDER=own, xr0 and what verbs_add() makes have xroce's own provider, of "make
# provider": so any test of verbs devices runs with it.

. "$(dirname "${BASH_SOURCE[0]}")/serve.sh"

# What the server of both_ends() uses.
server_dev=xr0
server_ip=10.77.0.2
server_enter=(nsenter --net=/run/netns/xr)
if [ "${XROCE_VERBS:-}" = rxe ]; then
	server_dev=rxe0
	server_ip=10.77.0.1
	server_enter=(env)
fi

# The type of "rdma link add".
verbs_type=xroce
# Sets $verbs_driver, and has programs load the provider; skips the test without it.
own_provider() {
	local library

	library=$(compgen -G "$top/build/user/provider/libxroce-rdmav*.so") || {
		printf 'TAP version 13\n1..0 # SKIP no provider: make provider\n'
		exit 4
	}
	verbs_type=xroce_own
	# libibverbs adds the number of its private ABI.
	verbs_driver=${library%-rdmav*}
	export RDMAV_DRIVERS=$verbs_driver
}
[ "${XROCE_PROVIDER:-}" != own ] || own_provider

# The module is not built for a kernel without RDMA.
needs_verbs() {
	[ ! -e "$verbs_module" ] && [ "${XROCE_VERBS:-}" != rxe ] || return 0
	printf 'TAP version 13\n1..0 # SKIP no %s\n' "${verbs_module#"$top/"}"
	exit 4
}

verbs_module_up() {
	modprobe ib_uverbs
	insmod "$verbs_module"
	undo+=(verbs_module_down)
}

# A queue of the kernel removes a device whose netdev has gone; until then it uses the module.
verbs_module_down() {
	wait_until 10 rmmod xroce_ib
}

verbs_exists() { [ -e "/sys/class/infiniband/$1" ]; }

verbs_gone() { [ ! -e "/sys/class/infiniband/$1" ]; }

# verbs_add NAME NETDEV ADDRESS: make a verbs device on the link of NETDEV, which is in xr
# and has the IPv4 ADDRESS
verbs_add() {
	in_xr rdma link add "$1" type "$verbs_type" netdev "$2" &&
		wait_until 10 verbs_has_gid "$1" "$(gid4_of "$3")"
}

# verbs_up [WORD]...: load the modules, make the link of x0, with these words, and xr0 on it
verbs_up() {
	[ "${XROCE_VERBS:-}" != rxe ] || return 0
	module_up
	verbs_module_up
	in_xr "$xroce" link add dev x0 "$@" >/dev/null
	undo+=(verbs_link_down)
	verbs_add xr0 x0 10.77.0.2
	undo+=(verbs_down)
}

# peer_up [WORD]...: verbs_up between the Ethernet addresses of wire.h
peer_up() {
	needs_verbs
	net_up
	ip link set c0 address 02:00:00:00:00:01
	in_xr ip link set x0 address 02:00:00:00:00:02
	verbs_up "$@"
}

verbs_down() {
	rdma link delete xr0
}

verbs_link_down() {
	in_xr "$xroce" link del dev x0
}

# The network with rxe0 on c0 and xr0 on x0. Skips the test without the module.
verbs_net_up() {
	needs_verbs
	net_up
	rxe_up
	verbs_up
}

# gid4_of ADDRESS: the GID of an IPv4 address, in the format of sysfs
gid4_of() {
	local a b c d

	IFS=. read -r a b c d <<<"$1"
	printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' "$a" "$b" "$c" "$d"
}

# gid6_of HOST [PREFIX]: the GID of PREFIX::HOST, or fd77::HOST
gid6_of() { printf '%s:0000:0000:0000:0000:0000:0000:%04x\n' "${2:-fd77}" "$1"; }

# verbs_gid DEV GID: print the index of a RoCEv2 GID of a device
verbs_gid() {
	local port=/sys/class/infiniband/$1/ports/1 file

	# shellcheck disable=SC2013 # names without blanks
	for file in $(grep -lxF "$2" "$port"/gids/* 2>/dev/null); do
		if [ "$(cat "$port/gid_attrs/types/${file##*/}")" = 'RoCE v2' ]; then
			echo "${file##*/}"
			return
		fi
	done
	return 1
}

verbs_has_gid() { verbs_gid "$1" "$2" >/dev/null; }

verbs_lacks_gid() { ! verbs_has_gid "$@"; }

server_listens() {
	! kill -0 "$server" 2>/dev/null ||
		"${server_enter[@]}" ss -Hltn "sport = $server_port" | grep -q .
}

# both_ends DIR PROGRAM WORD...: run a server on $server_dev with GID $server_gid and a client
# on $client_dev with GID $client_gid, with the same words. DIR gets their output, in the files
# server and client. Return: whether both have succeeded.
client_dev=rxe0
client_enter=(env)
server_port=18515
both_ends() {
	local dir=$1 program=$2 server status=0

	shift 2
	"${server_enter[@]}" timeout "$perf_limit" "$program" -d "$server_dev" \
		-x "$server_gid" -u "$perf_timeout" -p "$server_port" "$@" \
		>"$dir/server" 2>&1 &
	server=$!
	wait_until 60 server_listens
	"${client_enter[@]}" timeout "$perf_limit" "$program" -d "$client_dev" \
		-x "$client_gid" -u "$perf_timeout" -p "$server_port" "$@" "$server_ip" \
		>"$dir/client" 2>&1 || status=1
	[ $status = 0 ] || kill "$server" 2>/dev/null || :
	wait "$server" || status=1
	return $status
}

# Called before each attempt of both_ends_calm().
both_ends_begin() { :; }

# How often a completion queue of rxe had no room so far.
rxe_overruns() { dmesg | grep -c 'rxe_cq_post: queue full' || :; }

# The same; try again if a program found no CPU time to calibrate its clock, or waits for a
# completion that rxe has dropped, as its kernel log says. That was seen with ib_send_lat -e, whose
# queues have few entries.
both_ends_calm() {
	local i status overruns

	for i in 1 2 3; do
		both_ends_begin
		overruns=$(rxe_overruns)
		status=0
		both_ends "$@" || status=1
		grep -q "Can't produce a report" "$1/server" "$1/client" ||
			{ [ $status = 1 ] && [ "$(rxe_overruns)" != "$overruns" ]; } || break
	done
	return $status
}

# Print the output of both ends as comments.
both_ends_said() {
	sed 's/^/# client: /' "$1/client"
	sed 's/^/# server: /' "$1/server"
}

# Set the GIDs of both_ends().
both_ends_gids() {
	client_gid=$(verbs_gid rxe0 "$(gid4_of 10.77.0.1)")
	server_gid=$(verbs_gid "$server_dev" "$(gid4_of "$server_ip")")
}

# --- For scripts that source command.sh.

# hold DEV GID-INDEX: start verbs_holder on a device, by $hold_enter; its output is $work/held
hold_enter=(env)
hold() {
	rm -f "$work/in"
	mkfifo "$work/in"
	"${hold_enter[@]}" "$top/build/selftests/verbs_holder" "$@" <"$work/in" \
		>"$work/held" 2>&1 &
	holder=$!
	exec 9>"$work/in"
	wait_until 20 grep -q '^ready ' "$work/held" || not_so "ready: $(cat "$work/held")"
}

hold_xr0() { hold xr0 "$(verbs_gid xr0 "$(gid4_of 10.77.0.2)")"; }

# held PATTERN: wait until verbs_holder has printed such a line
held() {
	wait_until 10 grep -qE -e "$1" "$work/held" || not_so "'$1' in: $(cat "$work/held")"
}

# value_held NAME: print a value of the line that begins with "ready"
value_held() { sed -nE "s/^ready .*\b$1 ([^ ]+).*/\1/p" "$work/held"; }

tell() { echo "$1" >&9; }

# taken_away [COMMAND]: verbs_holder, whose device is gone, has been told, its calls fail, and it
# ends as by let_go()
taken_away() {
	held '^event DEVICE_FATAL$'
	tell query
	held '^query errno 5$'
	let_go "$@"
}

# let_go [COMMAND]: end verbs_holder, by the command "end" or the end of its stdin
let_go() {
	[ $# = 0 ] || tell "$1"
	exec 9>&-
	wait "$holder" || not_so "it ends: $?: $(cat "$work/held")"
}

# Instead of clean_up(), as soon as rxe0 and the modules are set up.
verbs_clean_up() {
	local status=$?

	! verbs_exists xr0 || verbs_down || status=1
	[ ! -e /sys/fs/bpf/xroce/x0 ] || in_xr "$xroce" link del dev x0 force || status=1
	! grep -q '^xroce_ib ' /proc/modules || verbs_module_down || status=1
	module_down || status=1
	! verbs_exists rxe0 || rxe_down || status=1
	net_down || status=1
	rm -rf "$work"
	exit $status
}
