#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Verbs for consumers in the kernel: kverbs.ko is one, and runs a row each time it is loaded.
#
# usage: kverbs.sh [PART]...   only tests whose name has one of the PARTs
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/ulp.sh"

rows=("$@")
work_up

# Beside the module under test: build/kmod or build/kmod-SUITE.
build=${verbs_module%/*}
module=$top/build/selftests/kverbs${build##*/kmod}/kverbs.ko

row() {
	if insmod "$module" dev=hr "row=$1" 2>/dev/null; then
		rmmod kverbs
	else
		dmesg | grep 'kverbs: ' | tail -n 1 | sed 's/^/# /'
		return 1
	fi
}

needs_module
needs_verbs
echo 'TAP version 13'
if [ -z "${XROCE_ULP_UP:-}" ]; then
	module_up
	verbs_module_up
	ulp_up xroce xroce
fi
if [ -n "${XROCE_PROGRAMS_BY:-}" ]; then	# see mutate.sh
	XROCE_ULP_UP=1 "$XROCE_PROGRAMS_BY" with kverbs.sh
	exit
fi
for name in access bounds invalid old_key rights domain twice remote remote_refused all_memory \
	staged partly dereg limits advise atomic atomic_refused post_refused region_refused \
	datagram_refused create_refused completions_gone inv_follows; do
	run "kverbs_$name" 'K1' row $name
done
for name in interrupt interrupt_poll error drain fails_many full full_sends inline handler settle \
	stops srq srq_limit srq_last srq_fatal srq_refused; do
	run "kverbs_$name" 'K1 V8' row $name
done
for name in moderation moderation_gone moderation_refused; do
	run "kverbs_$name" 'V6' row $name
done

# ib_core measures the queues that are made while this is on, and changes their moderation.
adaptive() {
	local status=0

	if row moderation_adaptive >"$work/off" || ! grep -q 'not measured' "$work/off"; then
		echo '# it is measured by default'
		return 1
	fi
	rdma dev set hr adaptive-moderation on || return 1
	row moderation_adaptive || status=1
	rdma dev set hr adaptive-moderation off || status=1
	return $status
}
run kverbs_moderation_adaptive 'V6 K1' adaptive

# The row deletes the VLAN device.
vlan_gone() {
	ip link add link h0 name h0.5 type vlan id 5 && ip addr add 10.82.0.1/24 dev h0.5 &&
		ip link set h0.5 up && wait_until 10 verbs_has_gid hr "$(gid4_of 10.82.0.1)" &&
		row vlan_gone
}
run kverbs_vlan_gone 'K1 D1' vlan_gone

# Nothing is left of all this: what remains is the connection manager's.
left() {
	rdma resource show mr >"$work/left"
	! grep -q kverbs "$work/left" || { sed 's/^/# /' "$work/left"; return 1; }
}
run kverbs_nothing_left 'K1' left
results
