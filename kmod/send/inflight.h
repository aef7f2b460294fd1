/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets that are under way: of requests, and of responses to READs. The lock of the send side is
 * held.
 */
#ifndef _XR_SEND_INFLIGHT_H
#define _XR_SEND_INFLIGHT_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "psn.h"
#include "send.h"

/* Request packets that are sent, since the last rewind, and have not arrived, as far as known. */
static inline u32 xr_inflight_requests(const struct xr_send *s)
{
	u32 sent = xr_psn_distance(s->psn, s->una) - s->extra;

	/* Since a rewind others may be known. */
	return sent - min(sent, s->score.requests);
}

/* Packets of READ responses that are missing, but for the last one of each. */
static inline u32 xr_inflight_responses(const struct xr_send *s)
{
	return s->extra - min(s->extra, s->score.responses);
}

/* True if no packet outstanding has asked for a response. */
static inline bool xr_inflight_unasked(const struct xr_send *s)
{
	return s->silent && !s->reads && !s->force && s->una != s->psn &&
	       s->silent >= xr_psn_distance(s->psn, s->una);
}

/* The last packet asks for a response. */
static inline void xr_inflight_asked(struct xr_send *s)
{
	s->silent = 0;
	s->owed = false;
}

void xr_inflight_measured(struct xr_send *s);

#endif
