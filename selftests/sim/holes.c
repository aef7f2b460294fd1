// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include <linux/ktime.h>

#include "holes.h"
#include "memory.h"

/* Return: position of the first one that is not before @psn. */
static u32 find(const struct holes *h, u32 psn)
{
	u32 low = 0, high = h->n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if ((s32)(h->hole[mid].psn - psn) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void due(struct holes *h, struct hole *hole)
{
	hole->at = 0;
	h->due++;
}

void holes_miss(struct holes *h, u32 psn, u32 lost)
{
	u32 at = find(h, psn);

	if (at < h->n && h->hole[at].psn == psn) {
		if (h->hole[at].at && (s32)(lost - h->hole[at].top) > 0)
			due(h, &h->hole[at]);
		return;
	}
	if (h->n == h->room) {
		h->room = h->room ? 2 * h->room : 16;
		h->hole = memory_more(h->hole, h->room, sizeof(*h->hole));
	}
	memmove(&h->hole[at + 1], &h->hole[at], (h->n - at) * sizeof(*h->hole));
	h->hole[at].psn = psn;
	h->n++;
	due(h, &h->hole[at]);
}

void holes_pass(struct holes *h, u32 una)
{
	u32 n = find(h, una), i;

	if (!n)
		return;
	for (i = 0; i < n; i++)
		h->due -= !h->hole[i].at;
	h->n -= n;
	memmove(h->hole, &h->hole[n], h->n * sizeof(*h->hole));
}

struct hole *holes_next(const struct holes *h)
{
	u32 i;

	for (i = 0; h->due && i < h->n; i++)
		if (!h->hole[i].at)
			return &h->hole[i];
	return NULL;
}

void holes_sent(struct holes *h, struct hole *hole, u32 top)
{
	hole->at = ktime_get_ns();
	hole->top = top;
	h->due--;
}

void holes_overdue(struct holes *h, u64 timeout)
{
	u64 now = ktime_get_ns();
	u32 i;

	for (i = 0; i < h->n; i++)
		if (h->hole[i].at && now - h->hole[i].at >= timeout)
			due(h, &h->hole[i]);
}

void holes_close(struct holes *h)
{
	free(h->hole);
	*h = (struct holes){};
}
