#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Verbs devices with xroce's own provider ("make provider"), with rxe as their peer.
#
# usage: provider.sh [ROW]...
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs.sh"

own_provider
rows=("$@")

# Programs find the device with the provider, without warnings, and not without it.
identity() {
	local status=0

	ibv_devinfo -d xr0 >"$work/out" 2>&1 || status=1
	grep -q 'hca_id:.*xr0' "$work/out" && grep -q 'fw_ver:.*[0-9]\.[0-9]' "$work/out" ||
		status=1
	ibv_devices >"$work/list" 2>&1 || status=1
	grep -q 'xr0' "$work/list" && ! grep -qi 'warning' "$work/list" "$work/out" || status=1
	! env -u RDMAV_DRIVERS ibv_devinfo -d xr0 >"$work/without" 2>&1 || status=1
	[ $status = 0 ] || sed 's/^/# /' "$work/out" "$work/list" "$work/without"
	return $status
}

# abi OTHER: a provider of another version of the ABI is refused, by libibverbs and in plain words,
# and the other devices are as before. 0 is older than the module, 2 is newer.
abi() {
	local other status=0

	other=$(compgen -G "$top/build/provider/abi$1/libxroce-rdmav*.so") ||
		{ not_so 'there is such a provider: make provider'; return 1; }
	! RDMAV_DRIVERS=${other%-rdmav*} ibv_devinfo -d xr0 >"$work/out" 2>&1 || status=1
	grep -q "does not support the kernel ABI of 1 (supports $1 to $1) for device" "$work/out" ||
		status=1
	RDMAV_DRIVERS=${other%-rdmav*} ibv_devinfo -d rxe0 >"$work/rxe" 2>&1 || status=1
	[ $status = 0 ] || sed 's/^/# /' "$work/out" "$work/rxe"
	return $status
}

pingpong_listens() {
	! kill -0 "$server" 2>/dev/null || in_xr ss -Hltn 'sport = 18600' | grep -q .
}

# pingpong PROGRAM WORD...: the server on xr0, with $own_words, too; the client on rxe0
own_words=()
pingpong() {
	local program=$1 server status=0

	shift
	in_xr timeout 60 "$program" -d xr0 -g "$server_gid" -p 18600 -n 200 "$@" "${own_words[@]}" \
		>"$work/server" 2>&1 &
	server=$!
	wait_until 60 pingpong_listens
	timeout 60 "$program" -d rxe0 -g "$client_gid" -p 18600 -n 200 "$@" 10.77.0.2 \
		>"$work/client" 2>&1 || status=1
	[ $status = 0 ] || kill "$server" 2>/dev/null || :
	wait "$server" || status=1
	grep -q '200 iters' "$work/client" || status=1
	[ $status = 0 ] || both_ends_said "$work"
	return $status
}

pingpongs() {
	run provider_pingpong_rc 'V2 D2' pingpong ibv_rc_pingpong -c
	run provider_pingpong_rc_events 'V2 V6' pingpong ibv_rc_pingpong -c -e
	run provider_pingpong_uc 'V2 D2' pingpong ibv_uc_pingpong
	run provider_pingpong_ud 'V2 D2' pingpong ibv_ud_pingpong -s 1024
	run provider_pingpong_srq 'V2 D2' pingpong ibv_srq_pingpong
	own_words=(-o -P)
	run provider_pingpong_prefetch 'V5 O5' pingpong ibv_rc_pingpong -c
	own_words=(-t)
	run provider_pingpong_timestamps 'V5 V6' timed pingpong ibv_rc_pingpong
	own_words=(-N)
	run provider_pingpong_wr 'V5 D2' pingpong ibv_rc_pingpong -c
	own_words=(-N -o -P -t)
	run provider_pingpong_all 'V5 V6 O5' pingpong ibv_rc_pingpong -c
	own_words=(-o)
	run provider_pingpong_srq_odp 'V5 O5' pingpong ibv_srq_pingpong
	own_words=()
}

# timed COMMAND...: run it; the server has printed what its completions' timestamps say
timed() {
	"$@" && grep -q 'Max receive completion clock cycles = [1-9]' "$work/server" ||
		{ sed 's/^/# server: /' "$work/server"; return 1; }
}

perf() {
	both_ends_calm "$work" "$@" || { both_ends_said "$work"; return 1; }
}

perftests() {
	local kind

	for kind in write read send; do
		run "provider_${kind}_to" 'V2 D2' perf ib_${kind}_bw -m 1024 -s 4096 -n 200
	done
	run provider_send_events_to 'V2 V6' perf ib_send_bw -m 1024 -s 4096 -n 100 -e
	run provider_send_ud_to 'V2 D2' perf ib_send_bw -c UD -m 1024 -s 512 -n 100
	run provider_write_lat_inline 'V2 D2' perf ib_write_lat -m 1024 -s 64 -I 64 -n 100
	run provider_atomic_to 'V2 D2' perf ib_atomic_bw -m 1024 -n 100
	client_dev=xr0 client_gid=$server_gid client_enter=(nsenter --net=/run/netns/xr)
	for kind in write read send; do
		run "provider_${kind}_self" 'V2 D2' perf ib_${kind}_bw -m 1024 -s 4096 -n 200
	done
	server_dev=rxe0 server_ip=10.77.0.1 server_enter=(env)
	server_gid=$(verbs_gid rxe0 "$(gid4_of 10.77.0.1)")
	for kind in write read send; do
		run "provider_${kind}_from" 'V2 D2' perf ib_${kind}_bw -m 1024 -s 4096 -n 200
	done
}

# "rmmod rdma_rxe" under traffic of xr0 with itself.
without_rxe() {
	local server client sent status=0

	sent=$(requests_own)
	in_xr timeout 60 ib_write_bw -d xr0 -x "$own_gid" -p 18602 -s 4096 -n 3000 \
		>"$work/server" 2>&1 &
	server=$!
	wait_until 60 listens_own
	in_xr timeout 60 ib_write_bw -d xr0 -x "$own_gid" -p 18602 -s 4096 -n 3000 10.77.0.2 \
		>"$work/client" 2>&1 &
	client=$!
	wait_until 60 moves_own
	rdma link delete rxe0
	rmmod rdma_rxe || status=1
	wait "$client" || status=1
	wait "$server" || status=1
	[ -e /sys/class/infiniband/xr0 ] && [ ! -e /sys/module/rdma_rxe ] || status=1
	[ $status = 0 ] || both_ends_said "$work"
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev c0 || status=1
	return $status
}

listens_own() { ! kill -0 "$server" 2>/dev/null || in_xr ss -Hltn 'sport = 18602' | grep -q .; }

# Some packets have been sent.
moves_own() {
	! kill -0 "$client" 2>/dev/null || [ "$(requests_own)" -gt "$sent" ]
}

requests_own() { cat /sys/class/infiniband/xr0/ports/1/hw_counters/req_tx; }

# c_rows PROGRAM...: those rows of the programs that are wanted
c_rows() {
	local status=0

	programs "$@" -- "${rows[@]}" || status=$?
	case $status in
	0)	had=1 ;;
	2)	;;
	*)	failed=$((failed + 1)) ;;
	esac
}

work_up
verbs_net_up
both_ends_gids
run provider_identity 'V1' identity
run provider_abi_older 'V1' abi 0
run provider_abi_newer 'V1' abi 2
had=
c_rows provider_test provider_mw_test provider_wr_test provider_doorbell_test provider_pd_test \
	provider_cq_test provider_null_test provider_rings_test provider_refused_test provider_poll_test
own_gid=$server_gid
pingpongs
perftests
for goes in provider_gone_test provider_poll_gone_test; do
	c_rows "$goes"
	[ -e /sys/class/infiniband/xr0 ] || verbs_add xr0 x0 10.77.0.2
done
run provider_without_rxe V5 without_rxe
results || { [ $? = 2 ] && [ -n "$had" ]; }
