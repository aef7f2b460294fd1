// SPDX-License-Identifier: GPL-2.0-only
/* UDP source ports of requests: see paths.h. */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/udp.h>
#include <net/xdp.h>

#include "xroce_wire.h"

#include "paths.h"
#include "psn.h"

/* Packets between two attempts to find out whether the peer keeps what comes too early. */
#define XR_PATHS_TRY	128u

/* Write the port of a packet. @again: attempts before; @udp: has the port of the queue pair. */
void xr_paths_port(const struct xr_send *s, u32 psn, u32 again, struct udphdr *udp)
{
	u32 n = (psn / XR_PATHS_CHUNK + again) % s->paths;

	if (s->asks)
		udp->source = htons(XR_SPORT_BASE | ((ntohs(udp->source) + n) &
						     (U16_MAX - XR_SPORT_BASE)));
}

/* Return: the PSN of the frame @i of the batch. */
static u32 xr_paths_psn(const struct xr_send *s, u32 i)
{
	const struct xroce_bth *bth = s->batch.frame[i]->data + s->header_len - sizeof(*bth);

	return ntohl(bth->apsn) & XROCE_PSN_MASK;
}

/*
 * A packet has been built for the first time. If it is not known whether the peer keeps what comes
 * too early, have the last two of the batch change places. A peer that does not keeps its answer
 * for the second one: a NAK, which is an attempt, so there must be more of these.
 */
void xr_paths_try(struct xr_send *s)
{
	u32 last = s->batch.count - 1;

	if (s->keeps != XR_KEEPS_UNKNOWN || s->discards || !s->attr.retry || s->batch.count < 2 ||
	    xr_psn_distance(s->psn, s->tried) < XR_PATHS_TRY ||
	    xr_paths_psn(s, last) != xr_psn_add(xr_paths_psn(s, last - 1), 1))
		return;
	swap(s->batch.frame[last], s->batch.frame[last - 1]);
	s->tried = s->psn;
}
