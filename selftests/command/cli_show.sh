#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The xroce command: what it shows of links and of the machine, counters for Prometheus, and
# events.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

# Program and maps as bpftool shows them; windows; counters.
links() {
	local pd=$1 id

	truncate -s 8K "$work/file"
	xr mr add pd "$pd" name m access local-write,mw-bind file "$work/file" \
		>"$work/made"
	xr mw add pd "$pd" type 1 >"$work/made"
	xr mw add pd "$pd" type 2b >"$work/made"
	xr -j link show >"$work/plain"
	xr -j -d -s link show >"$work/all"
	bpftool prog show pinned /sys/fs/bpf/xroce/x0/prog -j >"$work/prog"
	bpftool map show -j >"$work/maps"
	holds 'plain[0]["mode"] == "native" and plain[0]["mws"] == 2 and
		plain[0]["mrs"] == 1 and plain[0]["qps"] == 0 and
		plain[0]["prog"] == prog["id"] and
		plain[0]["prog_name"] == prog["name"] == "xroce" and
		sorted(plain[0]["maps"].values()) == sorted(prog["map_ids"]) and
		"counters" not in plain[0] and "program" not in plain[0]' plain prog
	holds 'all(any(m["id"] == i and m["name"] == n for m in maps)
		for n, i in plain[0]["maps"].items())' plain maps
	holds 'all[0]["program"]["tag"] == prog["tag"] and
		all[0]["program"]["jited"] == prog["bytes_jited"] and
		{m["name"]: m["max_entries"] for m in all[0]["map_details"]}
			["mpt"] == 64 and all[0]["counters"]["rx"] == 0 and
		all[0]["rates"]["rx"] == 0' all prog
	holds '{l["of"]: l["used"] for l in all[0]["limits"] if "used" in l} == dict(pd=1, mr=1,
			mw=2, qp=0, cq=0, srq=0, pinned=8192, deferred=0) and
		all[0]["limits"][0]["link"] is None and
		all[0]["rdma_device"] is None and
		"limits" not in plain[0] and "rdma_device" not in plain[0]' all plain
	xr link limit pd 7 pinned 1G
	xr link limit user pinned 1M mw 0x10 qp none
	xr -d link show >"$work/text"
	grep -q '^    limit of pd used 1 link 7$' "$work/text" &&
		grep -q '^    limit of pinned used 8K link 1G user 1M$' "$work/text" &&
		grep -q '^    limit of mw used 2 user 16$' "$work/text" ||
		not_so "limits: $(cat "$work/text")"
	xr -j -d link show >"$work/all"
	holds '[(l["link"], l["user"]) for l in all[0]["limits"] if
		l["of"] == "pinned"] == [(1 << 30, 1 << 20)]' all
	xr link limit pd none pinned none
	xr link limit user pinned none mw none
	xr -d link show | grep -qE "^    program id [0-9]+ name xroce tag .* loaded 20[0-9-]+T" ||
		not_so "details: $(xr -d link show)"
	for id in $(makes mw mw show); do xr mw del mw "$id"; done
	xr mr del mr m
	xr link add dev lo mode generic mpt 16 qp 16 >"$work/made"
	xr -j link show dev lo >"$work/lo"
	holds 'lo[0]["mode"] == "generic"' lo
	xr link del dev lo
}

# Each link waits for the verifier: how many instructions it processes.
verified_instructions() {
	xr -j -d link show dev x0 >"$work/all"
	holds '0 < all[0]["program"]["verified"] <= 150000' all
}

# Parse the text format strictly by its definition; print it as JSON.
parse_prometheus() {
	python3 -SI - <<-'END'
	import json, os, re, sys
	text = open(os.environ["work"] + "/metrics").read()
	assert text.endswith("\n") and "\n\n" not in text
	name = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
	label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
	sample = re.compile(rf"({name})(?:\{{({label}(?:,{label})*)\}})? ([0-9]+)$")
	helps, types, done, last, out = {}, {}, set(), None, {}
	for line in text[:-1].split("\n"):
	    m = re.match(rf"# (HELP|TYPE) ({name}) (.+)$", line)
	    if m:
	        kind = helps if m[1] == "HELP" else types
	        assert m[2] not in kind and m[2] not in done, line
	        kind[m[2]] = m[3]
	        if m[1] == "HELP":
	            assert m[2] not in types, line
	            assert not re.search(r"\\(?![\\n])", m[3]), line
	        else:
	            assert m[3] in ("counter", "gauge"), line
	            assert (m[3] == "counter") == m[2].endswith("_total"), line
	        continue
	    m = sample.match(line)
	    assert m, line
	    assert m[1] in helps and m[1] in types, line
	    if m[1] != last:
	        assert m[1] not in done, "not together: " + line
	        done.add(m[1])
	        last = m[1]
	    labels = {}
	    for key, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[2] or ""):
	        assert key not in labels, line
	        labels[key] = re.sub(r"\\(.)", lambda e: {"n": "\n"}.get(e[1], e[1]), value)
	    key = (m[1], tuple(sorted(labels.items())))
	    assert key not in out, "twice: " + line
	    out[key] = int(m[3])
	assert set(helps) == set(types)
	print(json.dumps([[n, dict(l), v] for (n, l), v in out.items()]))
	END
}

metrics() {
	local pd=$1 qpn pin=/sys/fs/bpf/xroce/x0/mr_stat index byte

	qpn=$(makes qpn qp add pd "$pd")
	truncate -s 8K "$work/file"
	xr mr add pd "$pd" name $'a "b"\\c' access none file "$work/file" \
		>"$work/made"
	xr mr add pd "$pd" name plain access none file "$work/file" \
		>"$work/made"
	# Each CPU counts 1 to 8 in the eight counters.
	index=$(makes mr mr show plain)
	for byte in 1 2 3 4 5 6 7 8; do echo $byte 0 0 0 0 0 0 0; done |
		xargs bpftool map update pinned $pin key \
			$((index & 255)) $((index >> 8)) 0 0 value
	xr stat show -o prometheus >"$work/metrics"
	work=$work parse_prometheus >"$work/parsed"
	xr -j stat show all >"$work/stat"
	xr -j qp show -s "$qpn" >"$work/qp"
	holds 'all([f"xroce_link_{k}_total", {"dev": "x0"}, v] in parsed
			for k, v in stat[0].items() if k != "dev") and
		["xroce_link_mrs", {"dev": "x0"}, 2] in parsed and
		all([f"xroce_qp_{k}_total", {"dev": "x0", "qpn": "'"$qpn"'"}, v]
			in parsed for k, v in qp[0].items()
			if k[:4] in ("drop", "req_", "pack", "byte", "dupl", "naks", "tx",
				"tx_b") and k != "req_rd_atomic") and
		["xroce_qp_drops_total", {"dev": "x0", "qpn": "'"$qpn"'"}, 0]
			in parsed and
		["xroce_mr_length_bytes", {"dev": "x0", "name": "plain",
			"mr": "'"$index"'"}, 8192] in parsed and
		["xroce_mr_refused_total", {"dev": "x0", "name": "plain",
			"mr": "'"$index"'"}, 8 * os.cpu_count()] in parsed and
		[l["name"] for n, l, v in parsed if n == "xroce_mr_in_bytes_total"
			and l["name"] != "plain"] == ["a \"b\"\\c"]' parsed stat qp
	xr -o prometheus stat >"$work/again"
	cmp "$work/metrics" "$work/again"
	# The parser itself detects errors.
	echo 'xroce_mtt_entries 3' >>"$work/metrics"
	! work=$work parse_prometheus >"$work/parsed" 2>"$work/err" ||
		not_so "a family in two places is found"
	fails 1 'dev lo: it has no link' stat show dev lo -o prometheus
	xr qp del qpn "$qpn"
	for index in $(makes mr mr show); do xr mr del mr "$index"; done
}

prometheus() { with_a_pd metrics; }

state_of() { echo "{f['name']: f['state'] for f in p['features']}.get('$1')"; }

features() {
	local bare='setpriv --reuid=65534 --clear-groups --inh-caps=-all --bounding-set=-all'
	local status=0

	xr -j feature probe dev x0 >"$work/probe" ||
		not_so "usable: $(xr feature probe dev x0 || :)"
	holds "p['usable'] and p['missing'] == 0 and
		$(state_of kernel) == $(state_of module) == $(state_of abi) ==
		$(state_of kfuncs) == $(state_of bpf_object) ==
		$(state_of xdp_native) == $(state_of xdp_free) ==
		$(state_of hmm) == 'yes'" p="$work/probe"
	xr feature | grep -q '^usable yes missing 0 unknown 0$'
	holds "'the module uses ' in [f['detail'] for f in p['features'] if f['name'] == 'crc32'][0]" \
		p="$work/probe"
	fails_to_probe dev lo
	holds "$(state_of xdp_native) == 'no' and p['missing'] == 0" p="$work/probe"
	path_mtu_is 4179 2048
	path_mtu_is 4180 4096
	fails_to_probe dev nope
	holds "$(state_of dev) == 'no' and p['missing'] == 1" p="$work/probe"
	in_xr $bare "$xroce" -j feature >"$work/probe" || status=$?
	holds "$status == 1 and not p['usable'] and
		$(state_of cap_net_admin) == 'no' and
		$(state_of bpf_xdp) == 'unknown' and
		$(state_of module) == 'yes' and
		$(state_of abi) == 'unknown'" p="$work/probe"
	# An object with another program, and a missing one.
	status=0
	in_xr env XROCE_BPF_OBJECT="$top/build/selftests/lib/pass.bpf.o" \
		"$xroce" -j feature >"$work/probe" || status=$?
	holds "$status == 1 and $(state_of kfuncs) == 'no'" p="$work/probe"
	no_object "$work" 'Is a directory'
	no_object "$work/none" 'No such file or directory'
	no_object /bin/true 'not an object of xroce'
	cp "$0" "$work/"$'e\e[2J'
	no_object "$work/"$'e\e[2J' 'BPF object format invalid' "$work/e\\x1b[2J"
}

# no_object PATH REASON [SHOWN]: the probe tells why, on standard output only. SHOWN: the path
# as it is printed
no_object() {
	local shown=${3-$1}

	XROCE_BPF_OBJECT=$1 xr feature probe >"$work/text" 2>"$work/err" || :
	grep -qF "name bpf_object state no needed detail $shown: $2; unset XROCE_BPF_OBJECT" \
		"$work/text" ||
		not_so "$2: $(cat -v "$work/text")"
	[ ! -s "$work/err" ] || not_so "silent: $(cat -v "$work/err")"
}

# path_mtu_is MTU PATH-MTU: the longest frame, a WRITE with immediate data over IPv6, has 84
# bytes more than its payload
path_mtu_is() {
	in_xr ip link set lo mtu "$1"
	fails_to_probe dev lo
	holds "[f['detail'] for f in p['features'] if f['name'] == 'path_mtu'] == ['$2']" \
		p="$work/probe"
}

# The command can be used even if lo has no XDP.
fails_to_probe() {
	xr -j feature probe "$@" >"$work/probe" || :
}

without_module() {
	local status=0

	xr link del dev x0 force
	module_down
	xr -j feature probe dev x0 >"$work/probe" || status=$?
	holds "$status == 1 and $(state_of module) == 'no' and
		$(state_of kernel) == $(state_of xdp_native) == 'yes' and
		p['missing'] == 1" p="$work/probe"
	xr feature | grep -q "name module state no needed detail the module is not loaded: 'modprobe xroce' loads it" &&
		xr feature | grep -q "name on_demand state no detail the module is not loaded: 'modprobe xroce' loads it" ||
		not_so "not loaded: $(xr feature)"
	fails 1 'monitor: the module is not loaded' monitor
	xr feature | grep -q 'name crc32 .* detail the CPU has' || not_so "$(xr feature)"
	insmod "$core_module" crc_bits=0
	xr feature | grep -q 'name crc32 state no detail the module uses a table$' ||
		not_so "a table: $(xr feature)"
	module_down
	module_up
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
}

has_events() { [ "$(wc -l <"$work/events")" -ge "$1" ]; }

# watches PID: the process or its child waits for events
watches() { cat /proc/{"$1","$(pgrep -P "$1" || echo self)"}/wchan | grep -q poll; }

watched() {
	local pd=$1 qpn mr mw watcher status=0

	nsenter --net=/run/netns/xr "$xroce" -j -t monitor >"$work/events" &
	watcher=$!
	wait_until 30 watches $watcher
	qpn=$(makes qpn qp add pd "$pd")
	xr qp modify qpn "$qpn" state init access remote-write
	xr qp modify qpn "$qpn" state rtr sgid 10.77.0.2 dgid 10.77.0.1 \
		mtu 1024 dest-qpn 0x11 rq-psn 0
	truncate -s 8K "$work/file"
	mr=$(makes mr mr add pd "$pd" name seen access none file "$work/file")
	mw=$(makes mw mw add pd "$pd" type 2b)
	wait_until 30 grep -q '"event":"add".*"mw"' "$work/events"
	send_write c0 x0 10.77.0.1 10.77.0.2 "$qpn" 0x123456
	wait_until 30 grep -q '"event":"change".*"cause"' "$work/events"
	xr mw del mw "$mw"
	xr mr del mr "$mr"
	xr qp del qpn "$qpn"
	wait_until 30 grep -q '"event":"del".*"qpn"' "$work/events"
	# A new link has a new ring buffer of events.
	xr link add dev lo mpt 16 qp 16 >"$work/made"
	wait_until 30 grep -q '"event":"add","dev":"lo","link"' "$work/events"
	xr link del dev lo
	wait_until 30 grep -q '"event":"del","dev":"lo","link"' "$work/events"
	kill $watcher
	wait $watcher || status=$?
	[ $status = 0 ] || not_so "it ends well: $status"
	jq -nR '[inputs | fromjson]' "$work/events" >"$work/list"
	holds 'all(e["timestamp"][:2] == "20" and float(e["time"]) > 0 for e in l)
		and [float(e["time"]) for e in l] ==
			sorted(float(e["time"]) for e in l)' l="$work/list"
	holds '[(e["cause"], e["opcode"], e["rkey"], e["va"], e["length"],
			e["peer"], e["qpn"]) for e in l if e["event"] == "refused"]
		== [("acc_key", "write-only", 0x123456, 0x1000, 8, "10.77.0.1",
			'"$qpn"')]' l="$work/list"
	holds '[e["event"] for e in l if e.get("mr") == '"$mr"'] ==
			["add", "del"] and
		[e["event"] for e in l if e.get("mw") == '"$mw"'] ==
			["add", "del"] and
		[e["name"] for e in l if e.get("name")] == ["seen"] and
		[(e["event"], e.get("state")) for e in l if
			e.get("qpn") == '"$qpn"'][-1] == ("del", None) and
		[(e["event"], e["state"], e["cause"]) for e in l if
			e.get("qpn") == '"$qpn"' and e.get("cause") and
			e["event"] == "change"] ==
			[("change", "err", "acc_key")]' l="$work/list"
}

# A count of zero must be refused, not run without end: hence the timeout.
monitor_count_zero() {
	local n status

	for n in 0 0x0 4294967296; do
		status=0
		in_xr timeout 30 "$xroce" monitor count $n >"$work/out" \
			2>"$work/err" || status=$?
		[ $status = 2 ] && [ ! -s "$work/out" ] ||
			not_so "count $n: status $status"
		grep -q "^xroce: count \"$n\": must be a number from 1 to 4294967295\$" \
			"$work/err" || not_so "count $n: $(cat "$work/err")"
	done
}

monitor() {
	with_a_pd watched
	with_a_pd bounded
}

# monitor ends after the requested number of events of the requested kind.
bounded() {
	local pd=$1 other watcher

	nsenter --net=/run/netns/xr timeout 60 "$xroce" monitor count 2 \
		objects >"$work/events" &
	watcher=$!
	wait_until 30 watches $watcher
	other=$(makes pd pd add)
	wait_until 30 has_events 1
	xr pd del pd "$other"
	wait $watcher || not_so "it ends by itself"
	grep -qE "^time [0-9.]+ event add dev x0 pd $other\$" "$work/events" &&
		grep -qE "^time [0-9.]+ event del dev x0 pd $other\$" \
			"$work/events" && [ "$(wc -l <"$work/events")" = 2 ] ||
		not_so "two events: $(cat "$work/events")"
	fails 1 'dev nope: No such device' monitor dev nope
	xr pd show pd "$pd" >"$work/made"
}

# A netdev that does not exist causes no module request; other names of netdevs work.
netdev_names() {
	local modprobe made

	modprobe=$(cat /proc/sys/kernel/modprobe)
	printf '#!/bin/sh\necho "$@" >>%s\n' "$work/asked" >"$work/modprobe"
	chmod +x "$work/modprobe"
	echo "$work/modprobe" >/proc/sys/kernel/modprobe
	fails 1 'nope' link show dev nope
	fails 1 'nope' link del dev nope
	fails 1 'nope' link add dev nope
	made=$(cat "$work/asked" 2>/dev/null) || :
	# To compare: other programs' lookups do request a module.
	in_xr python3 -SI -c 'import socket; socket.if_nametoindex("nope")' \
		>"$work/out" 2>&1 || :
	echo "$modprobe" >/proc/sys/kernel/modprobe
	[ -z "$made" ] || not_so "no module: $made"
	[ -s "$work/asked" ] || not_so "others ask for one"
}

command_up
# Only monitor has packets, on the link that there is now.
no_packets
for_any_user

run details_of_links 'U1 U2' with_a_pd links
run verified_instructions D1
run prometheus 'U1 D6'
run features U1
run monitor 'U1 D6'
run monitor_count_zero U1
run netdev_names U1
run without_module 'U1 U6'
command_passed
