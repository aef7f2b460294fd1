#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Objects and counters of a verbs device, as rdma(8) and xroce(8) show them. Each test is a
# function.
#
# usage: verbs_show.sh [PART]...   only tests whose name has one of the PARTs
set -eu

. "$(dirname "$0")/../lib/verbs.sh"
. "$(dirname "$0")/../lib/command.sh"

subject=verbs

start_anew() {
	! rdma link delete xr0 2>"$work/err" || :
	! xr link del dev x0 force 2>"$work/err" || :
	xr link add dev x0 mpt 64 qp 16 >"$work/made"
	verbs_add xr0 x0 10.77.0.2
}

# An object in JSON from lines of name and number.
numbers() { jq -nR '[inputs | split(" ") | { (.[0]): (.[1] | tonumber) }] | add'; }

# resources KIND: rdma resource show, of xr0 and programs
resources() {
	rdma -j resource show "$1" | jq 'map(select(.ifname == "xr0" and has("pid")))' >"$work/$1"
}

# rdma(8) lists what a program has, with its process.
resource_show() {
	local kind pid

	hold_xr0
	pid=$(value_held pid)
	for kind in ctx pd mr cq qp srq; do
		resources $kind
		holds "len(x) == 1 and x[0]['pid'] == $pid and x[0]['comm'] == 'verbs_holder'" \
			x="$work/$kind" || not_so "$kind"
	done
	holds "x[0]['lqpn'] == $(value_held qpn) and x[0]['type'] == 'RC' and
		x[0]['state'] == 'RTR'" x="$work/qp"
	holds "x[0]['mrlen'] == 8192" x="$work/mr"
	let_go end
	for kind in ctx pd mr cq qp srq; do
		resources $kind
		holds 'x == []' x="$work/$kind"
	done
}

# of_programs KIND: objects, besides those of the kernel for the general services interface
of_programs() {
	xr -j "$1" show | jq 'map(select(.kernel == false))' >"$work/$1"
}

# xroce(8) lists them as objects of the process, with the same numbers.
xroce_show() {
	local kind pid

	hold_xr0
	pid=$(value_held pid)
	for kind in pd mr mw qp; do
		of_programs "$kind"
		holds "len(x) == 1 and x[0]['pid'] == $pid and not x[0].get('persistent')" \
			x="$work/$kind" || not_so "$kind"
	done
	holds "(x[0]['lkey'], x[0]['rkey']) == ($(value_held lkey), $(value_held rkey)) and
		x[0]['length'] == 8192" x="$work/mr"
	holds "x[0]['qpn'] == $(value_held qpn) and x[0]['type'] == 'rc' and
		x[0]['state'] == 'rtr' and x[0]['mtu'] == 256 and
		'sq_entries' not in x[0]" x="$work/qp"
	tell rts
	held '^rts$'
	of_programs qp
	holds "{k: x[0][k] for k in ('state', 'sq_pending', 'sq_draining', 'sq_psn', 'timeout',
			'retry_cnt', 'rnr_retry', 'req_rd_atomic')} ==
		dict(state='rts', sq_pending=0, sq_draining=False, sq_psn=0x123456, timeout=15,
			retry_cnt=3, rnr_retry=4, req_rd_atomic=5) and
		x[0]['sq_entries'] >= 1 and len(x[0]['dmac'].split(':')) == 6" x="$work/qp"
	holds "x[0]['type'] == '1' and x[0]['state'] == 'unbound'" x="$work/mw"
	xr -j -d link show dev x0 >"$work/link"
	holds "{l['of']: l.get('used') for l in x[0]['limits']}.items() >=
		dict(pd=2, mr=2, mw=1, qp=2, cq=2, srq=1, pinned=8192).items()" x="$work/link"
	let_go
	for kind in pd mr mw qp; do
		of_programs "$kind"
		holds 'x == []' x="$work/$kind"
	done
}

# write_some: ib_write_bw of 50 * 4096 bytes in packets of 1024
write_some() {
	local client_gid server_gid

	both_ends_gids
	both_ends_calm "$work" ib_write_bw -m 1024 -s 4096 -n 50 ||
		not_so "perftest: $(both_ends_said "$work")"
}

# An attempt of write_some that is given up has moved counters, too.
both_ends_begin() { statistics before; }

# statistics NAME: counters of the port, of rdma(8) and of sysfs, in files
statistics() {
	local file

	rdma -j statistic show link xr0/1 >"$work/$1"
	for file in /sys/class/infiniband/xr0/ports/1/hw_counters/*; do
		case $file in
		*/lifespan)	;;
		*)		echo "$(basename "$file") $(cat "$file")" ;;
		esac
	done | numbers >"$work/$1.sysfs"
	xr -j stat show dev x0 all >"$work/$1.xroce"
}

# Counters of the port are those of the link, and rise with traffic. ib_core keeps values for
# 10 ms.
statistic_link() {
	write_some
	statistics after
	holds 'new[0]["write_bytes"] - old[0]["write_bytes"] == 204800 and
		new[0]["write"] - old[0]["write"] >= 200 and
		new[0]["rx"] - old[0]["rx"] >= 200 and
		new[0]["tx"] > old[0]["tx"] and new[0]["nak_acc"] == old[0]["nak_acc"]' \
		new="$work/after" old="$work/before"
	holds 'all(sysfs[n] == v for n, v in rdma[0].items()
			if n not in ("ifname", "port"))' \
		rdma="$work/after" sysfs="$work/after.sysfs"
	same_counters after
}

# same_counters NAME: those of rdma(8) are those of the command. Anybody can read them, so acc_key
# does not tell a key that somebody else has (acc_pd, acc_qp) from none.
same_counters() {
	holds 'all(rdma[0][n] == v for n, v in xroce[0].items()
			if n not in ("dev", "acc_key", "acc_pd", "acc_qp")) and
		rdma[0]["acc_key"] == sum(xroce[0]["acc_" + n] for n in ("key", "pd", "qp")) and
		not {"acc_pd", "acc_qp"} & rdma[0].keys()' rdma="$work/$1" xroce="$work/$1.xroce"
}

# Each counter has the value of its name: on each CPU, the words of the map are 1, 2, 3 ...
statistic_names() {
	local pin=/sys/fs/bpf/xroce/x0/stat bytes i

	start_anew	# without what queue pairs with a counter have counted
	bytes=$(bpftool -j map show pinned $pin | jq .bytes_value)
	for ((i = 1; i <= bytes / 8; i++)); do echo $i 0 0 0 0 0 0 0; done |
		xargs bpftool map update pinned $pin key 0 0 0 0 value
	sleep 0.1	# ib_core keeps values for 10 ms
	statistics now
	holds '0 < x[0]["acc_key"] < x[0]["acc_pd"] < x[0]["acc_qp"]' x="$work/now.xroce"
	same_counters now
}

# The counters of performance management, which monitoring programs read: data in units of four
# bytes.
port_counters() {
	local file

	write_some
	for file in /sys/class/infiniband/xr0/ports/1/counters/*; do
		echo "$(basename "$file") $(cat "$file")"
	done | numbers >"$work/counters"
	statistics after
	holds 'pma["port_rcv_data"] == x[0]["rx_bytes"] // 4 and
		pma["port_xmit_data"] == (x[0]["tx_bytes"] + x[0]["req_tx_bytes"]) // 4 and
		pma["port_rcv_packets"] == x[0]["rx"] >= 200 and
		pma["port_xmit_packets"] == x[0]["tx"] + x[0]["req_tx"] > 0 and
		pma["port_rcv_errors"] == pma["port_xmit_discards"] == 0' \
		pma="$work/counters" x="$work/after.xroce"
}

# Queue pairs with a counter of their own: listed with their number and process, and in the sum of
# the port while they exist and later.
statistic_qp() {
	rdma statistic qp set link xr0/1 auto type on
	hold_xr0
	rdma -j statistic qp show link xr0/1 >"$work/counters"
	statistics now
	let_go end
	holds "any($(value_held qpn) in c['lqpn'] and c['requests'] == c['req_tx'] == 0 and
			'rx' not in c for c in x)" x="$work/counters"
	same_counters now
	write_some
	statistics after
	rdma statistic qp set link xr0/1 auto off
	holds 'new[0]["write_bytes"] - old[0]["write_bytes"] == 204800 and
		new[0]["requests"] - old[0]["requests"] >= 200 and
		new[0]["naks"] == old[0]["naks"]' new="$work/after" old="$work/before"
}

needs_verbs
command_up
trap verbs_clean_up EXIT
rxe_up
verbs_module_up
verbs_add xr0 x0 10.77.0.2

run resource_show V4
run xroce_show V4
run statistic_link 'V4 D6'
run port_counters 'V4 D6'
run statistic_qp 'V4 D6'
run statistic_names 'V4 D6'
command_passed
