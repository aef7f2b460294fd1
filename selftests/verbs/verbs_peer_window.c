// SPDX-License-Identifier: GPL-2.0-only
#include "verbs_peer.h"
#include "verbs_peer_window.h"

static uint8_t long_opcode(uint32_t n)
{
	uint32_t in = n % PEER_LONG;

	return !in ? XROCE_RC_SEND_FIRST : in + 1 < PEER_LONG ? XROCE_RC_SEND_MIDDLE :
						XROCE_RC_SEND_LAST;
}

void peer_expect_long(uint32_t n, bool ack)
{
	peer_expect_data(long_opcode(n), n, n % PEER_LONG * PEER_MTU, PEER_MTU, ack);
}

void peer_expect_window(uint32_t n, uint32_t end, uint32_t all)
{
	uint32_t silent = 0;

	for (; n < end && !test_failed(); n++) {
		if (n + 1 == end || n + 1 == all) {
			peer_expect_long(n, true);
			silent = 0;
		} else if (peer_expect_asking(long_opcode(n), n, n % PEER_LONG * PEER_MTU,
					      PEER_MTU)) {
			silent = 0;
		} else {
			silent++;
			check(silent < PEER_SILENT, "%u packets up to %u ask for nothing", silent,
			      n);
		}
	}
}
