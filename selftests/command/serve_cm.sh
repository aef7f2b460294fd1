#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "xroce serve --rdma-cm": clients of rdma_cm, which use nothing of xroce. The client is that of
# examples/, over rxe in the initial namespace, and over a verbs device of xroce in yr.
set -eu

. "$(dirname "$0")/../lib/verbs_pair.sh"
needs_verbs

client=$top/build/examples/cm_client
work=/dev/shm/serve_cm
. "$(dirname "$0")/../lib/serve_regions.sh"
regions=(region disk size 1M file "$work/disk"
	 region look file "$work/look" access remote-read)

# The server listens for rdma_cm a moment after it listens for TCP, and then says so.
cm_up() { up --rdma-cm "$@" && says '^listening'; }
cm_down() { down && no_ids; }

no_ids() {
	[ -z "$(rdma resource show cm_id link xr0)" ] || not_so "$(rdma resource show cm_id)"
}

# memory [OPTION]...: write the file there, read it back, compare
memory() {
	timeout 60 "$client" "$@" "${to:-10.77.0.2}" "$work/file" \
		>"$work/client" 2>&1 || { sed 's/^/# client: /' "$work/client"; return 1; }
}

# objects QPS MRS PDS: the server has so many, soon; while a client of rdma_cm is connected,
# librdmacm has a PD of its own
objects() {
	wait_until 20 objects_now "$@" || { cat "$work/objects"; return 1; }
}

objects_now() {
	[ "$(count qp) $(count mr) $(count pd)" = "$*" ]
}

count() {
	in_xr "$xroce" -j "$1" show dev x0 >"$work/objects"
	grep -o "\"pid\":$serve_pid\>" "$work/objects" | wc -l
}

listed() {
	says '^listening x0 port 18515 mtu 4096 rdma_cm$' || return
	rdma resource show cm_id link xr0 | grep -q 'state LISTEN .*:18515' ||
		not_so "$(rdma resource show cm_id)"
}

by_name() {
	memory -r disk && grep -q '^1048576 bytes at 0x0$' "$work/client" &&
		says 'client 10.77.0.1 region disk qpn 0x[0-9a-f]* qps 1 mtu [0-9]+ packets [0-9]* bytes 300001 .* naks 0 result done' &&
		memory -r disk -c && to=fd77::2 memory -r disk -o 5000 &&
		says 'client fd77::1 region disk .* result done' || return
	cmp -n 300001 -i 5000:0 "$work/disk" "$work/file" || return
	objects 0 2 1
}

not_there() {
	refused 'the server: region: no region "no"; the regions are: disk, look' -r no &&
		refused 'the server: private data: must be the name of a region' &&
		refused 'the server: private data: must be the name of a region, up to 31' \
			-r 0123456789abcdef0123456789abcdef &&
		says 'client 10.77.0.1 qpn 0x000000 .* result region: no region "no"' &&
		objects 0 2 1
}

read_only() {
	refused 'WRITE.*remote (access|invalid request) error' -r look && cmp "$work/look" "$work/zeros" &&
		says 'region look .* cause '
}

past_the_end() {
	memory -r disk -o $((1048576 - 300001)) &&
		refused 'WRITE.*remote access error' -r disk -o $((1048576 - 300000))
}

# Keys of another client give no access, also if it uses the other handshake.
key_of_another() {
	local key

	exec 5<>/dev/tcp/10.77.0.2/18515
	echo '{"xroce":1,"qpn":17,"psn":5,"gid":"10.77.0.1","region":"disk"}' >&5
	read -r -t 20 -u 5 line
	key=$(sed -nE 's/.*"rkey":([0-9]+).*/\1/p' <<<"$line")
	refused 'remote access error' -r disk -k "$key" && says 'cause acc_pd' || return
	exec 5>&-
	objects 0 2 1 && refused 'remote access error' -r disk -k "$key" && memory -r disk
}

worker=
worker_down() { [ -z "$worker" ] || kill -KILL $worker 2>/dev/null || :; }

# long: start a client that works for some time
long() {
	"$client" -n 100000 -r large 10.77.0.2 "$work/file" >"$work/a" 2>&1 &
	worker=$!
	objects 1 2 3 || not_so "$(tail -n 3 "$work/a")"
}

# A client without a name gets the only region. One too many is refused; one that is killed
# leaves nothing.
killed() {
	cm_down && cm_up --clients 1 region large size 64M && memory && objects 0 1 1 && long || return
	refused 'the server: too many clients' && says 'result too many clients' || return
	kill -KILL $worker
	wait $worker 2>/dev/null || :
	says 'region large .* result done' && objects 0 1 1 && memory
}

# A client that sends nothing any more.
idle() {
	cm_down && cm_up --idle 2 region large size 64M && long && kill -STOP $worker || return
	says 'region large .* result idle for 2 s' && objects 0 1 1 && kill -KILL $worker || return
	wait $worker 2>/dev/null || :
}

# The verbs device is deleted below a client, and made again.
device_gone() {
	long && rdma link delete xr0 || return
	says 'region large .* result connection lost' && objects 0 1 1 || return
	! wait $worker || not_so 'the client has not noticed' || return
	verbs_add xr0 x0 10.77.0.2 && memory
}

# The server ends while a client works.
stopped() {
	long && cm_down && ! wait $worker
}

# A client of another RDMA device that has this address is not served.
other_device() {
	to=10.79.0.2
	cm_up --gid-ip 10.77.0.2 region a size 1M || return
	in_yr timeout 60 "$client" 10.79.0.2 "$work/file" >"$work/client" 2>&1 &&
		not_so 'served' && return 1
	grep -q 'the server: rdma_cm: RDMA device xr1 is not that of x0' "$work/client" ||
		not_so "$(cat "$work/client")" || return
	cm_down
}

in_yr() { "${enter_yr[@]}" "$@"; }

# From xroce to xroce.
xroce_client() {
	nsenter --net=/run/netns/xr "$xroce" serve --netdev p0 --rdma-cm --count 1 \
		region a size 1M >"$work/out" 2>&1 &
	serve_pid=$!
	wait_until 20 grep -q '^listening' "$work/out" || not_so "$(cat "$work/out")" || return
	in_yr timeout 60 "$client" 10.79.0.2 "$work/file" || { kill $serve_pid; return 1; }
	wait $serve_pid
	says 'client 10.79.0.3 region a .* bytes 300001 .* naks 0 result done'
}

# ends STATUS PATTERN WORD...: the server does not start, and says why
ends() {
	local want=$1 pattern=$2 status=0

	shift 2
	in_xr timeout 20 "$xroce" serve --netdev x0 --port 18600 --rdma-cm "$@" \
		>"$work/said" 2>&1 || status=$?
	[ "$status" = "$want" ] && grep -qE "$pattern" "$work/said" ||
		not_so "$pattern: $status, $(cat "$work/said")"
}

cannot_listen() {
	ends 2 'rdma-cm: needs a region' && rdma link delete xr0 || return
	ends 1 "rdma-cm: dev x0 has no verbs device; add one with 'rdma link add NAME type xroce netdev x0'" \
		region a size 1M || return
	verbs_add xr0 x0 10.77.0.2
}

net_up
rxe_up
verbs_up
modprobe rdma_ucm
mkdir "$work"
undo+=(work_down worker_down)
head -c 300001 /dev/urandom >"$work/file"
truncate -s 512K "$work/look" "$work/zeros"

cm_up "${regions[@]}"
run serve_cm_listed 'U4 V8' listed
run serve_cm_by_name 'U4 V8' by_name
run serve_cm_not_there 'U4 V8' not_there
run serve_cm_read_only 'U4 R2 R6' read_only
run serve_cm_past_the_end 'U4 R1' past_the_end
run serve_cm_key_of_another 'U4 P2 R6' key_of_another
run serve_cm_killed 'U4 V8' killed
run serve_cm_idle 'U4 V8' idle
run serve_cm_device_gone 'U4 V1' device_gone
run serve_cm_stopped 'U4 V8' stopped
run serve_cm_cannot_listen 'U4 U1' cannot_listen
pair_up direct
run serve_cm_other_device 'U4 V8' other_device
run serve_cm_xroce_client 'U4 V8 Q1' xroce_client
results
