// SPDX-License-Identifier: GPL-2.0-only
/* Request packets that the peer misses: see holes.h. */
#include <linux/ktime.h>
#include <linux/string.h>

#include "holes.h"
#include "psn.h"

/* Return: position of the first one that is not before @psn. All are outstanding. */
static u32 xr_holes_find(const struct xr_send *s, u32 psn)
{
	const struct xr_score_seen *seen = s->score.seen;
	u32 low = 0, high = seen->holes, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (xr_psn_distance(seen->hole[mid].psn, s->una) < xr_psn_distance(psn, s->una))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * xr_holes_miss() - note that the peer misses a packet
 * @s: the send side
 * @psn: its PSN, which is outstanding
 * @lost: packets before this PSN that the peer misses are lost
 *
 * Before, xr_holes_pass() has been called. Without room the peer will say so again.
 */
void xr_holes_miss(struct xr_send *s, u32 psn, u32 lost)
{
	struct xr_score_seen *seen = s->score.seen;
	u32 at = xr_holes_find(s, psn);

	if (at < seen->holes && seen->hole[at].psn == psn) {
		if (seen->hole[at].at && xr_psn_distance(lost, s->una) >
					 xr_psn_distance(seen->hole[at].top, s->una)) {
			seen->hole[at].at = 0;
			seen->due++;
		}
		return;
	}
	if (seen->holes == XR_HOLES)
		return;
	memmove(&seen->hole[at + 1], &seen->hole[at], (seen->holes - at) * sizeof(*seen->hole));
	seen->hole[at].psn = psn;
	seen->hole[at].tries = 0;
	seen->hole[at].at = 0;
	seen->holes++;
	seen->due++;
}

/* Forget those that are acknowledged. */
void xr_holes_pass(struct xr_send *s)
{
	u32 out = xr_psn_distance(s->top, s->una), n = 0;
	struct xr_score_seen *seen = s->score.seen;

	while (n < seen->holes && xr_psn_distance(seen->hole[n].psn, s->una) >= out) {
		seen->due -= !seen->hole[n].at;
		n++;
	}
	seen->holes -= n;
	memmove(seen->hole, &seen->hole[n], seen->holes * sizeof(*seen->hole));
}

/*
 * Return: whether one is to be sent again; @psn: out: the first one; @tries: out: how often it was
 * sent again before.
 */
bool xr_holes_next(const struct xr_send *s, u32 *psn, u32 *tries)
{
	const struct xr_score_seen *seen = s->score.seen;
	u32 i;

	for (i = 0; seen->due && i < seen->holes; i++) {
		*psn = seen->hole[i].psn;
		*tries = seen->hole[i].tries;
		if (!seen->hole[i].at)
			return true;
	}
	return false;
}

/* True if the packet, which may be acknowledged by now, has been missed by the peer. */
bool xr_holes_had(const struct xr_send *s, u32 psn)
{
	const struct xr_score_seen *seen = s->score.seen;
	u32 i;

	for (i = 0; i < seen->holes; i++)
		if (seen->hole[i].psn == psn)
			return true;
	return false;
}

/* The packet, of xr_holes_next(), has been sent again. */
void xr_holes_sent(struct xr_send *s, u32 psn)
{
	struct xr_score_seen *seen = s->score.seen;
	u32 at = xr_holes_find(s, psn);

	seen->hole[at].at = ktime_get_ns();
	seen->hole[at].tries++;
	seen->hole[at].top = s->top;
	seen->due--;
}

/* Packets sent again @timeout nanoseconds before @now, or earlier, have been lost, too. */
void xr_holes_overdue(struct xr_send *s, u64 now, u64 timeout)
{
	struct xr_score_seen *seen = s->score.seen;
	u32 i;

	for (i = 0; i < seen->holes; i++) {
		if (!seen->hole[i].at || now - seen->hole[i].at < timeout)
			continue;
		seen->hole[i].at = 0;
		seen->due++;
	}
}

/* Everything is sent again in order. */
void xr_holes_reset(struct xr_send *s)
{
	if (!s->score.seen)
		return;
	s->score.seen->holes = 0;
	s->score.seen->due = 0;
}
