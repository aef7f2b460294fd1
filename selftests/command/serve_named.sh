#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Named regions of "xroce serve", and clients of its JSON handshake: the one of examples/,
# which uses libibverbs over rxe, and raw lines.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

client=$top/build/examples/memory_client
work=/dev/shm/serve_named
. "$(dirname "$0")/../lib/serve_regions.sh"
hello='"xroce":1,"qpn":17,"psn":5,"gid":"10.77.0.1"'
regions=(region disk size 1M file "$work/disk"
	 region memory size 300001 iova 0x1000001
	 region look file "$work/look" access remote-read
	 region later size 1M file "$work/later" odp)

link_down() { in_xr "$xroce" link del dev x0; }

# memory NAME [OPTION]...: write the file there, read it back, compare
memory() {
	local name=$1

	shift
	timeout 60 "$client" "$@" -r "$name" rxe0 10.77.0.2 "$work/file" \
		>"$work/client" 2>&1 || { sed 's/^/# client: /' "$work/client"; return 1; }
}

# answer LINE: print what the server answers to it before it closes the connection
answer() {
	local fd

	exec {fd}<>/dev/tcp/10.77.0.2/18515
	printf '%s\n' "$1" >&$fd
	timeout 20 cat <&$fd
	exec {fd}>&-
}

# told ERROR LINES: the last answer to LINES is this error; the first line may be served
# before the second arrives
told() {
	local got

	got=$(answer "$2" | tail -n 1)
	[ "$got" = "{\"xroce\":1,\"error\":\"$1\"}" ] || not_so "$1: $got: $2"
}

# objects QPS MRS PDS: there are so many, soon
objects() {
	wait_until 20 objects_now "$@" || { cat "$work/link"; return 1; }
}

objects_now() {
	in_xr "$xroce" -j link show dev x0 >"$work/link" &&
		grep -q "\"pds\":$3,\"mrs\":$2,\"mws\":0,\"qps\":$1," "$work/link"
}

# What server and handshake report about the regions.
listed() {
	grep -q "^listening x0 port 18515 mtu 4096$" "$work/out" &&
		grep -q "^    region name disk length 1M iova 0x0 access remote-write,remote-read,remote-atomic file $work/disk$" "$work/out" &&
		grep -q "^    region name memory length 300001 iova 0x1000001 access remote-write,remote-read,remote-atomic$" "$work/out" &&
		grep -q "^    region name look length 64K iova 0x0 access remote-read file $work/look$" "$work/out" &&
		grep -q "^    region name later .* odp file $work/later$" "$work/out" ||
		not_so "$(cat "$work/out")" || return
	exec 5<>/dev/tcp/10.77.0.2/18515
	echo "{$hello,\"mtu\":512}" >&5
	read -r -t 20 -u 5 line
	objects 1 8 2 || return
	exec 5>&-
	python3 -SI - "$line" <<-'END' || not_so "$line"
	import json, sys
	a = json.loads(sys.argv[1])
	r = {r["name"]: r for r in a["regions"]}
	sys.exit(not (a["xroce"] == 1 and a["mtu"] == 512 and a["gid"] == "10.77.0.2" and
	    0 < a["qpn"] < 1 << 24 and 0 <= a["psn"] < 1 << 24 and
	    list(r) == ["disk", "memory", "look", "later"] and
	    len({x["rkey"] for x in r.values()}) == 4 and
	    r["disk"]["length"] == 1 << 20 and r["disk"]["iova"] == 0 and
	    r["memory"]["length"] == 300001 and r["memory"]["iova"] == 0x1000001 and
	    r["look"]["access"] == ["remote-read"] and
	    r["later"]["access"] == ["remote-write", "remote-read", "remote-atomic"]))
	END
}

# Two clients write at the same time. Two other connections, one silent and one already
# served, survive this.
two_at_once() {
	local first second

	exec 4<>/dev/tcp/10.77.0.2/18515
	exec 5<>/dev/tcp/10.77.0.2/18515
	echo "{$hello}" >&5
	read -r -t 20 -u 5 line
	timeout 60 "$client" -r disk -n 3 -o 12345 rxe0 10.77.0.2 "$work/file" >"$work/a" 2>&1 &
	first=$!
	timeout 60 "$client" -r memory -n 3 rxe0 10.77.0.2 "$work/file" >"$work/b" 2>&1 &
	second=$!
	wait $first && wait $second ||
		not_so "$(cat "$work/a" "$work/b")" || return
	says 'client 10.77.0.1 region disk qpn 0x[0-9a-f]* qps 1 mtu 1024 packets [0-9]* bytes 900003 .* naks 0 result done' &&
		says 'region memory .* bytes 900003 .* result done' || return
	objects 1 8 2
	exec 4>&-
	exec 5>&-
	objects 0 4 1
}

in_file() {
	dd if="$work/$1" of="$work/got" bs=1M skip="$2" count=300001 \
		iflag=skip_bytes,count_bytes status=none
	cmp "$work/got" "$work/file" >/dev/null || not_so "$1 at $2"
}

# Written bytes are in the files, and in the regions again when the server has been
# restarted. A region without a file has lost them.
persistent() {
	memory later && down && in_file disk 12345 && in_file later 0 || return
	[ "$(stat -c %s "$work/disk")" = 1048576 ] || not_so 'its length' || return
	up "${regions[@]}"
	memory disk -c -o 12345 && memory later -c && refused 'differs' memory -c
}

not_there() {
	refused 'the server: region: no region "no"; the regions are: disk, memory, look, later' no &&
		says 'client 10.77.0.1 qpn 0x000000 .* result region: no region "no"; the regions are: disk'
}

# Names that do not fit are left out of the list.
many_names() {
	local a b c d

	a=$(printf 'a%.0s' {1..31}) b=$(printf 'b%.0s' {1..31}) c=$(printf 'c%.0s' {1..31})
	d=$(printf 'd%.0s' {1..25})
	down || return
	up region $a size 4K region $b size 4K region $c size 4K region $d size 4K region e size 4K
	refused "the server: region: no region \"no\"; the regions are: $a, $b, $c, \.\.\.$" no || return
	down || return
	up "${regions[@]}"
}

# Run clients one after another until the file "stop" exists.
writers() {
	rm -f "$work/stop"
	until [ -e "$work/stop" ]; do
		timeout 60 "$client" -r memory -n 3 rxe0 10.77.0.2 "$work/file" || return
	done >"$work/a" 2>&1
}

# Each bad line gets an error. Clients that write meanwhile, and one that is connected, are
# not affected.
bad_lines() {
	local writes status=0 long

	exec 5<>/dev/tcp/10.77.0.2/18515
	echo "{$hello}" >&5
	read -r -t 20 -u 5 line
	writers &
	writes=$!
	printf -v long '%5000s' ''
	told 'qpn: must be a number from 0 to 16777215, not \"17\"' '{"xroce":1,"qpn":"17"}' &&
		told 'psn: missing' '{"xroce":1,"qpn":17,"gid":"10.77.0.1"}' &&
		told 'region: must be a text of 1 to 31 bytes, not 7' "{$hello,\"region\":7}" &&
		told '\"size\": no such member; the members are xroce, qpn, psn, gid, mtu and region' "{$hello,\"size\":7}" &&
		told 'not a JSON object in one line' '{nothing}' &&
		told 'data after the line' "{$hello}
{$hello}" &&
		told 'a line of more than 4096 bytes' "{$long}" || status=1
	# Neither of the two handshakes.
	[ -z "$(answer 'GET / HTTP/1.0' 2>/dev/null)" ] || status=1
	touch "$work/stop"
	wait $writes || not_so "$(cat "$work/a")" || status=1
	objects 1 8 2 || status=1
	# A client that has been served must not send anything more.
	echo more >&5
	read -r -t 20 -u 5 line && [ "$line" = '{"xroce":1,"error":"data after the line"}' ] ||
		not_so "more: $line" || status=1
	exec 5>&-
	objects 0 4 1 && return $status
}

# Access rights are those of the region: a queue pair that may write to another region of
# its client may not write to this one.
read_only() {
	refused 'remote (access|invalid request) error' look &&
		refused 'WRITE .*remote access error' look -a &&
		cmp "$work/look" "$work/zeros" && memory disk -a
}

# The key of another client gives no access, neither while that client is connected nor
# afterwards. The server reports the client that has tried it, with the cause.
key_of_another() {
	local key

	exec 5<>/dev/tcp/10.77.0.2/18515
	echo "{$hello,\"region\":\"memory\"}" >&5
	read -r -t 20 -u 5 line
	key=$(sed -nE 's/.*"rkey":([0-9]+).*/\1/p' <<<"$line")
	refused 'remote access error' memory -k "$key" &&
		refused 'remote access error' disk -k "$key" &&
		says 'client 10.77.0.1 region disk .* cause acc_pd result' || return
	exec 5>&-
	objects 0 4 1 && refused 'remote access error' memory -k "$key" &&
		says 'client 10.77.0.1 region memory .* cause acc_key result' && memory memory
}

# One byte past the end of the region.
past_the_end() {
	memory memory -o 0 && refused 'remote access error' memory -o 1
}

# ends PATTERN WORD...: the server does not start, and says why
ends() {
	local pattern=$1 status=0

	shift
	in_xr timeout 20 "$xroce" serve --netdev x0 --port 18600 "$@" \
		>"$work/said" 2>&1 || status=$?
	[ "$status" = 1 ] && grep -qE "$pattern" "$work/said" ||
		not_so "$pattern: $status, $(cat "$work/said")"
}

files() {
	truncate -s 5000 "$work/short"
	ends "region a: file $work/short: has 5000 bytes, not 4096" \
		region a size 4K file "$work/short" &&
		ends 'No such file' region a file "$work/none" &&
		ends 'not a regular file' region a size 4K file "$work" access remote-read &&
		ends 'in use by another region or server' region a file "$work/disk" &&
		ends 'in use by another region or server' \
			region a file "$work/short" region b file "$work/short" || return
	[ ! -e "$work/none" ] && [ "$(stat -c %s "$work/short")" = 5000 ] ||
		not_so 'they were changed'
	objects 0 4 1
}

# write_bw OPTION...: run perftest's client
write_bw() {
	timeout 60 ib_write_bw -d rxe0 -x "$(rxe_gid4)" -m 1024 -n 50 "$@" 10.77.0.2
}

# perftest is served only if that is enabled; then two of its clients at once, too.
with_perftest() {
	local first

	! write_bw >"$work/client" 2>&1 &&
		says 'result perftest is not served here' && down || return
	up --size 64K "${regions[@]}"
	write_bw -s 4096 -q 2 >"$work/a" 2>&1 &
	first=$!
	write_bw -s 65536 >"$work/b" 2>&1 && wait $first ||
		not_so "$(cat "$work/a" "$work/b")" || return
	says 'client 10.77.0.1 qpn 0x[0-9a-f]* qps 2 .* result done' &&
		says 'client 10.77.0.1 qpn 0x[0-9a-f]* qps 1 .* bytes 3276800 .* result done' &&
		memory disk && objects 0 4 1 && down
}

# The server is started as by systemd, and reports its state to systemd.
passed() {
	in_xr python3 -SI - "$work" "$xroce" serve --netdev x0 --count 1 "${regions[@]}" \
		<<-'END' >"$work/python" 2>&1 &
	import os, socket, sys
	work, words = sys.argv[1], sys.argv[2:]
	ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	ready.bind(work + "/notify")
	ready.settimeout(60)
	at = socket.create_server(("", 18700), family=socket.AF_INET6, dualstack_ipv6=True)
	pid = os.fork()
	if not pid:
	    os.dup2(at.fileno(), 3)
	    os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()),
	                   "NOTIFY_SOCKET": work + "/notify"}
	    os.execv(words[0], words)
	print(ready.recv(100).decode(), flush=True)
	print(ready.recv(100).decode(), flush=True)
	print("status", os.waitpid(pid, 0)[1], flush=True)
	END
	serve_pid=$!
	wait_until 60 grep -q '^READY=1' "$work/python" &&
		grep -q '^listening x0 port 18700 ' "$work/python" &&
		! serve_listens && memory disk -p 18700 || not_so "$(cat "$work/python")" || return
	wait $serve_pid
	objects 0 0 0 || return
	grep -q '^STOPPING=1' "$work/python" && grep -q '^status 0' "$work/python" ||
		not_so "$(cat "$work/python")"
}

net_up
module_up
rxe_up
mkdir "$work"
undo+=(work_down)
in_xr "$xroce" link add dev x0 >/dev/null
undo+=(link_down)
{ printf x; head -c 300000 /dev/urandom; } >"$work/file"
truncate -s 64K "$work/look" "$work/zeros"

up "${regions[@]}"
run serve_named_listed 'U4 U1' listed
run serve_named_two_at_once 'U4' two_at_once
run serve_named_persistent 'U4 R1 O1' persistent
run serve_named_not_there 'U4' not_there
run serve_named_many_names 'U4' many_names
run serve_named_bad_lines 'U4' bad_lines
run serve_named_read_only 'U4 R2 R6' read_only
run serve_named_key_of_another 'U4 P2 R6' key_of_another
run serve_named_past_the_end 'U4 R1' past_the_end
run serve_named_files 'U4 U1' files
run serve_named_with_perftest 'U4' with_perftest
run serve_named_passed 'U4 U6' passed
results
