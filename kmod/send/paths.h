/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several paths, for RC, if the link has them (LINK_MAPS): switches and bonds choose a path by the
 * UDP source port, so requests go out from several ports, the one of the queue pair and those
 * behind it. XR_PATHS_CHUNK PSNs have the same one, so that batches stay together. A packet that is
 * sent again has the next port: it takes another path than the one that has lost it.
 *
 * Packets overtake each other then. So that is done only as long as the peer is known to keep what
 * comes too early. Where nothing is lost that would never be known: once there is enough to send,
 * two packets change places, and the answer shows it.
 *
 * The lock of the send side is held for all functions.
 */
#ifndef _XR_SEND_PATHS_H
#define _XR_SEND_PATHS_H

#include <linux/types.h>

#include "send.h"

struct udphdr;

/* The lowest UDP source port; the last one is U16_MAX. */
#define XR_SPORT_BASE	0xc000

/* PSNs with the same port. */
#define XR_PATHS_CHUNK	16u

/* True if the requests of the queue pair may have several ports. */
static inline bool xr_paths_many(const struct xr_send *s)
{
	return unlikely(s->paths > 1);
}

void xr_paths_port(const struct xr_send *s, u32 psn, u32 again, struct udphdr *udp);
void xr_paths_try(struct xr_send *s);

#endif
