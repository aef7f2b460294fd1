#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A test whose links judge no packet (no_packets in tap.sh) fails if one comes. The script runs
# itself by run.sh, as such a test: XROCE_SENDS is the address that it then sends to, or "nothing".
set -eu

. "$(dirname "$0")/../lib/net.sh"

link_down() { in_xr "$top/build/user/xroce" link del dev x0; }

# sends ADDRESS PORT: a packet, which nobody receives
sends() { echo -n 'a packet that is long enough' >"/dev/udp/$1/$2"; }

# as_a_test ADDRESS: what run.sh says of it; the line in the trace buffer is for this script only
as_a_test() {
	XROCE_SENDS=$1 "$top/selftests/run.sh" each no_packets.sh
	: >/sys/kernel/tracing/trace
}

complains() {
	local said

	said=$(as_a_test "$1")
	grep -qx 'ok no_packets_inner U5' <<<"$said" &&
		grep -q '^not ok no_packets.sh # packets came to a link that judges none' <<<"$said" ||
		{ sed 's/^/# said: /' <<<"$said"; return 1; }
}

passes() {
	local said

	said=$(as_a_test nothing)
	grep -qx 'ok no_packets_inner U5' <<<"$said" && ! grep -q '^not ok' <<<"$said" ||
		{ sed 's/^/# said: /' <<<"$said"; return 1; }
}

echo 'TAP version 13'
if [ -z "${XROCE_SENDS:-}" ]; then
	[ -w /sys/kernel/tracing/trace ] || { echo '1..0 # SKIP no tracefs'; exit 4; }
	run no_packets_passes U5 passes
	run no_packets_complains4 U5 complains 10.77.0.2
	run no_packets_complains6 U5 complains fd77::2
	results
	exit
fi
no_packets
net_up
module_up
in_xr "$top/build/user/xroce" link add dev x0 >/dev/null
undo+=(link_down)
if [ "$XROCE_SENDS" = nothing ]; then
	run no_packets_inner U5 sends 10.77.0.2 4792
else
	run no_packets_inner U5 sends "$XROCE_SENDS" 4791
	wait_until 10 grep -q 'small\.bpf\.c: ' /sys/kernel/tracing/trace
fi
results
