#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sockets of the kernel over verbs devices of xroce: reliable datagrams (RDS), and streams (SMC-R).
#
# usage: rds.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/net.sh"
. "$here/../lib/serve.sh"
. "$here/../lib/verbs.sh"
. "$here/../lib/ulp.sh"

rows=("$@")
work=$(mktemp -d /dev/shm/rds-XXXXXX)
undo+=(work_down)

work_down() { rm -rf "$work"; }

# talks PROGRAM MODULE...: the sockets of PROGRAM.py talk over the devices
talks() {
	local program=$1 module status=0
	shift

	for module; do
		modprobe "$module"
	done
	timeout 60 python3 "$here/$program.py" $host4 $target4 >"$work/said" 2>&1 || status=1
	ulp_worked || status=1
	[ $status = 0 ] || sed 's/^/# /' "$work/said"
	# Nothing of xroce may keep a module from going.
	for module; do
		wait_until 30 modprobe -r "$module" || status=1
	done
	return $status
}

needs_module
needs_verbs
ulp_needs python3 rds_rdma.ko smc.ko
echo 'TAP version 13'
module_up
verbs_module_up
if some_wanted rds_xroce_xroce; then
	undo_mark
	ulp_up xroce xroce
	run rds_xroce_xroce 'K6 K1' talks rds_test rds_rdma
	undo_to_mark || result 1 rds_down 'K6'
fi
if some_wanted smc_xroce_xroce; then
	undo_mark
	ulp_up xroce xroce
	run smc_xroce_xroce 'K6' talks smc_test smc
	undo_to_mark || result 1 smc_down 'K6'
fi
results
