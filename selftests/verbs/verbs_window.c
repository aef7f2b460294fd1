// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "harness.h"
#include "rng.h"
#include "verbs_window.h"

bool window_open(struct window *w, struct ibv_pd *pd, enum ibv_mw_type type)
{
	*w = (struct window){ .mw = ibv_alloc_mw(pd, type) };
	return check(w->mw, "window: %s", strerror(errno));
}

void window_close(struct window *w)
{
	check(!w->mw || !ibv_dealloc_mw(w->mw), "window");
	w->mw = NULL;
}

bool window_is_two(const struct window *w)
{
	return w->mw->type == IBV_MW_TYPE_2;
}

void window_choose(struct window *w, uint32_t size)
{
	/* Many have the words of atomics, which are at the beginning. */
	w->off = rng_below(2) ? rng_below(size) : 0;
	w->len = 1 + rng_below(size - w->off);
	w->key = ibv_inc_rkey(w->mw->rkey);
	if (window_is_two(w))
		w->key = (w->key & ~0xffu) | rng_below(256);
}

void windows_bound(struct window *w, uint32_t n, uint32_t posted)
{
	for (; n--; w++)
		if (w->state == WINDOW_BINDING && (int32_t)(posted - w->bind) > 0)
			w->state = WINDOW_BOUND;
}

struct window *window_any(struct window *w, uint32_t n, bool two)
{
	w += rng_below(n);
	return w->state == WINDOW_BOUND && (!two || window_is_two(w)) ? w : NULL;
}
