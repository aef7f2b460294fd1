#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs on verbs devices with xroce's own provider ("make provider"), which other libraries use
# for them: UCX, Open MPI, librpma; and both providers beside each other. "make check-long" has
# them: it unpacks packages in the machine (ucx-utils, openmpi-bin, librpma0).
#
# usage: provider_programs.sh [ROW]...
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/verbs_pair.sh"
. "$here/../lib/rdma_cm.sh"

rows=("$@")
is_long || { echo '1..0 # SKIP make check-long runs this'; exit 4; }
own_provider
work_up

explain() { both_ends_said "$work"; }

# needs PROGRAM-OR-LIBRARY NAME: whether it is there; else the test NAME is skipped
needs() {
	command -v "$1" >/dev/null || ldconfig -p | grep -q "$1" && return
	wanted "$2" || return 1
	count=$((count + 1))
	echo "ok $count $2 # SKIP no $1"
	return 1
}

# The sum of what xr0 has counted.
counted_own() {
	cat /sys/class/infiniband/xr0/ports/1/hw_counters/* | awk '{ n += $1 } END { print n }'
}

# over_own COMMAND...: run it; its messages are those of xr0, which has counted them
over_own() {
	local before

	before=$(counted_own)
	"$@" || return 1
	sleep 0.1	# the kernel reads counters every ten milliseconds
	[ $(($(counted_own) - before)) -ge 100 ] || not_so "xr0 has counted a hundred"
}

# --- UCX

ucx_listens() {
	! kill -0 "$server" 2>/dev/null || in_xr ss -Hltn 'sport = 18610' | grep -q .
}

# ucx TRANSPORT WORD...: ucx_perftest between xr0 and $client_dev
ucx() {
	local transport=$1 server status=0

	shift
	in_xr env UCX_NET_DEVICES=xr0:1 UCX_IB_GID_INDEX="$server_gid" UCX_TLS="$transport" \
		timeout 60 ucx_perftest -p 18610 "$@" >"$work/server" 2>&1 &
	server=$!
	wait_until 30 ucx_listens
	"${client_enter[@]}" env UCX_NET_DEVICES="$client_dev:1" UCX_IB_GID_INDEX="$client_gid" \
		UCX_TLS="$transport" timeout 60 ucx_perftest -p 18610 "$@" 10.77.0.2 \
		>"$work/client" 2>&1 || status=1
	[ $status = 0 ] || kill "$server" 2>/dev/null || :
	wait "$server" || status=1
	grep -q '^Final: *100 ' "$work/client" || status=1
	[ $status = 0 ] || explain
	return $status
}

ucxs() {
	local kind

	needs ucx_perftest provider_ucx || return 0
	for kind in tag_bw tag_lat ucp_put_bw ucp_get ucp_fadd; do
		run "provider_ucx_$kind" 'V5 D2' \
			over_own ucx rc_v -t $kind -n 100 -w 10 -s "$(ucx_size $kind)"
	done
	run "provider_ucx_large" 'V5 D2' over_own ucx rc_v -t tag_bw -n 100 -w 10 -s 200000
	run "provider_ucx_ud" 'V5 D2' over_own ucx ud_verbs -t tag_bw -n 100 -w 10 -s 4096
}

ucx_size() { [ "$1" = ucp_fadd ] && echo 8 || echo 4096; }

# --- Open MPI, by UCX

mpi() {
	in_xr env UCX_NET_DEVICES=xr0:1 UCX_IB_GID_INDEX="$server_gid" timeout 120 mpirun.openmpi --allow-run-as-root --oversubscribe -n "$1" --mca pml ucx \
		--mca osc ucx -x UCX_TLS=rc_v,self -x UCX_NET_DEVICES -x UCX_IB_GID_INDEX \
		-x RDMAV_DRIVERS "$here/provider_mpi.py" >"$work/client" 2>&1 &&
		grep -qx right "$work/client" || { sed 's/^/# /' "$work/client"; return 1; }
}

# --- librpma

rpma_listens() { ! kill -0 "$server" 2>/dev/null || grep -q listens "$work/server"; }

rpma() {
	local status=0

	in_xr timeout 60 "$here/provider_rpma.py" server 10.77.0.2 >"$work/server" 2>&1 &
	server=$!
	wait_until 30 rpma_listens
	"${client_enter[@]}" timeout 60 "$here/provider_rpma.py" client "$1" >"$work/client" 2>&1 ||
		status=1
	[ $status = 0 ] || kill "$server" 2>/dev/null || :
	wait "$server" || status=1
	grep -qx right "$work/server" && grep -qx right "$work/client" || status=1
	[ $status = 0 ] || explain
	return $status
}

# --- Both providers: xr0, with its own, on one link; xr1, with that of rxe, on another

beside() {
	local gid peer one two status=0

	gid=$(verbs_gid xr1 "$(gid4_of 10.79.0.2)")
	peer=$(verbs_gid xr2 "$(gid4_of 10.79.0.3)")
	mkdir -p "$work/stock"
	both_ends "$work" ib_write_bw -m 1024 -s 4096 -n 2000 &
	one=$!
	(
		server_dev=xr1 server_gid=$gid server_ip=10.79.0.2 server_port=18620
		client_dev=xr2 client_gid=$peer client_enter=("${enter_yr[@]}")
		both_ends "$work/stock" ib_write_bw -m 1024 -s 4096 -n 2000
	) &
	two=$!
	wait $one || status=1
	wait $two || status=1
	[ $status = 0 ] || { explain; both_ends_said "$work/stock"; }
	return $status
}

# One program has both devices: it lists them, each with its provider's verbs.
one_program() {
	ibv_devinfo -v -d xr0 >"$work/own" 2>&1 && ibv_devinfo -v -d xr1 >"$work/other" 2>&1 ||
		{ sed 's/^/# /' "$work/own" "$work/other"; return 1; }
	ibv_devices >"$work/list" 2>&1
	grep -q xr0 "$work/list" && grep -q xr1 "$work/list" && grep -q rxe0 "$work/list" || {
		sed 's/^/# /' "$work/list"
		return 1
	}
}

XROCE_PACKAGES=programs "$top/selftests/vm/guest-packages.sh" unpack >"$work/packages" 2>&1 ||
	sed 's/^/# /' "$work/packages"
verbs_net_up
verbs_type=xroce pair_up direct
modprobe rdma_ucm
both_ends_gids
run provider_beside_devices V1 one_program
run provider_beside 'V1 V5' over_own beside
# Both ends are xr0: datagrams of UCX between rxe and xroce get lost, also with the provider of rxe.
client_dev=xr0 client_gid=$server_gid client_enter=("${enter_xr[@]}")
ucxs
! needs mpirun.openmpi provider_mpi || {
	run provider_mpi_2 'V5 D2' over_own mpi 2
	run provider_mpi_4 'V5 D2' over_own mpi 4
}
! needs librpma.so.0 provider_rpma || run provider_rpma 'V5 O5' over_own rpma 10.77.0.2
results
