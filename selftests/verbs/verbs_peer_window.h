/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The window of a requester: how many of the packets of long messages it sends before the peer
 * acknowledges them. Each message is all of "out", and they follow each other from PEER_PSN on.
 */
#ifndef XROCE_VERBS_PEER_WINDOW_H
#define XROCE_VERBS_PEER_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "verbs_peer.h"

#define PEER_WINDOW	128u			/* XR_SEND_WINDOW */
#define PEER_SILENT	33u			/* one more than XR_SEND_ACK */
#define PEER_LONG	(PEER_BYTES / PEER_MTU)	/* packets of a message */

/* Take packet @n, and compare all its bytes. */
void peer_expect_long(uint32_t n, bool ack);

/*
 * Take the packets from @n on, before @end, of @all. Once the peer has been slow, it is asked more
 * often than every PEER_SILENT packets.
 */
void peer_expect_window(uint32_t n, uint32_t end, uint32_t all);

#endif /* XROCE_VERBS_PEER_WINDOW_H */
