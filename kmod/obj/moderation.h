/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moderation of completion events: an armed completion queue notifies its owner when a number of
 * completions has arrived, or a time has passed since the first of them.
 */
#ifndef _XR_MODERATION_H
#define _XR_MODERATION_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/types.h>

#include "trial.h"

/**
 * struct xr_moderation - how events are moderated
 * @count: completions that make an event; 0: each one does, and @usec is 0. Never 1
 * @usec: microseconds since the first of them, after which fewer make one
 * @tried: only while it pays, which each queue tries
 */
struct xr_moderation {
	u16 count;
	u16 usec;
	bool tried;
};

/**
 * struct xr_moderator - the events of a completion queue
 * @by: how they are moderated
 * @held: completions, since the queue was armed, that would have made an event without @by; fewer
 *	than its count
 * @own: @by is of this queue, not of its link
 * @trial: whether it pays, if @by is tried
 * @due: when those that are held make an event
 * @timer: runs while completions are held, and may do so for longer
 *
 * All of it is under the lock of the queue.
 */
struct xr_moderator {
	struct xr_moderation by;
	u16 held;
	bool own;
	struct xr_trial trial;
	ktime_t due;
	struct hrtimer timer;
};

bool xr_moderation_ok(u32 count, u32 usec);
struct xr_moderation xr_moderation_of(u32 count, u32 usec);
void xr_moderator_init(struct xr_moderator *m, enum hrtimer_restart (*expired)(struct hrtimer *));
bool xr_moderator_holds(struct xr_moderator *m, bool now, u32 tail);
u32 xr_moderation_count(const struct xr_moderation *by);
u32 xr_moderation_usec(const struct xr_moderation *by);
bool xr_moderator_own(struct xr_moderator *m, struct xr_moderation by);
bool xr_moderator_follow(struct xr_moderator *m, struct xr_moderation by);
bool xr_moderator_release(struct xr_moderator *m);
bool xr_moderator_expired(struct xr_moderator *m, enum hrtimer_restart *again);

#endif
