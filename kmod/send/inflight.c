// SPDX-License-Identifier: GPL-2.0-only
/* Telling congestion control of the packets that are under way. */
#include <linux/container_of.h>

#include "xroce_map.h"

#include "qp/qp.h"

#include "cc.h"
#include "inflight.h"
#include "rtt.h"

/* The packet that was timed is acknowledged, or a response to it has arrived. */
void xr_inflight_measured(struct xr_send *s)
{
	const struct xr_qp *qp = container_of(s, struct xr_qp, send);
	u32 inflight = 0;

	if (unlikely(!s->cc.ops)) {
		s->rtt.timing = false;
		return;
	}
	/* A late response may acknowledge what is about to be sent again. */
	if (xr_psn_diff(s->psn, s->una) > 0)
		inflight = xr_inflight_requests(s) + xr_inflight_responses(s);
	s->window = xr_cc_measured(&s->cc, &s->rtt, inflight, READ_ONCE(qp->map->req_cnps),
				   s->window);
}
