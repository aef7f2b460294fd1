#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sockets of the kernel over verbs devices, xroce with xroce and with rxe: reliable datagrams
# (RDS), and streams (SMC-R).
#
# usage: rds.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/ulp.sh"

rows=("$@")
work_up

# talks rds|smc: sockets of that kind talk over the devices
talks() {
	local module=$1 status try

	[ "$1" != rds ] || module=rds_rdma
	modprobe $module
	# SMC chooses TCP as long as it does not know a device, and if a peer takes seconds to answer.
	for try in 1 2 3; do
		status=0
		timeout 60 python3 -SI "$here/$1_test.py" $host4 $target4 >"$work/said" 2>&1 ||
			status=1
		! ulp_worked || break
		echo "# $1, attempt $try: no requests"
		status=1
		sleep 1
	done
	[ $status = 0 ] || sed 's/^/# /' "$work/said"
	# Nothing of xroce may keep a module from going.
	wait_until 30 modprobe -r $module || status=1
	return $status
}

needs_module
needs_verbs
ulp_needs python3 rds_rdma.ko
echo 'TAP version 13'
module_up
verbs_module_up
kinds=rds
# The newest kernels of Debian are without it.
if modinfo smc >/dev/null 2>&1; then
	kinds='rds smc'
else
	echo '# no smc.ko'
fi
pairs=('xroce xroce' 'xroce rxe' 'rxe xroce')
# Linux 7.3 crashes when rds_rdma is unloaded after a connection of rxe, even to another rxe.
if [ "$(uname -r | cut -d . -f 1)" -ge 7 ]; then
	pairs=('xroce xroce')
fi
for pair in "${pairs[@]}"; do
	for kind in $kinds; do
		name=${kind}_${pair/ /_}
		wanted "$name" || continue
		undo_mark
		# shellcheck disable=SC2086
		ulp_up $pair
		run "$name" 'K6 K1' talks $kind
		undo_to_mark || result 1 "${name}_down" 'K6'
	done
done
results
