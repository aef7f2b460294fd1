// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moderation of completion events. A completion that would notify the owner of an armed queue is
 * held: the queue stays armed, and only counts it. The queue fires when there are enough of them,
 * when the period since the first has passed, and at once when the caller says so.
 *
 * The timer belongs to the CPU of the first completion, where the following ones are expected and
 * their lines are cached: another CPU would only be woken up for it. It is not cancelled when
 * enough completions have come, as it would soon be started again: on expiry it continues until the
 * period of those that are held then is over, so it expires at most once in each period.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include "uapi/xroce.h"

#include "timer_compat.h"

#include "moderation.h"

/* What is tried with XROCE_MODERATION_AUTO. */
#define XR_MODERATION_AUTO_COUNT	16
#define XR_MODERATION_AUTO_USEC		200

/* True if the numbers are in range. Both are 0, or none; or @count is XROCE_MODERATION_AUTO. */
bool xr_moderation_ok(u32 count, u32 usec)
{
	if (!usec)
		return !count || count == XROCE_MODERATION_AUTO;
	return count && count <= XROCE_MODERATION_COUNT_MAX && usec <= XROCE_MODERATION_USEC_MAX;
}

/*
 * Of numbers that are not too large. If one of them is 0, or @count is 1, nothing is held, unless
 * @count is XROCE_MODERATION_AUTO.
 */
struct xr_moderation xr_moderation_of(u32 count, u32 usec)
{
	if (count == XROCE_MODERATION_AUTO)
		return (struct xr_moderation){
			.count = XR_MODERATION_AUTO_COUNT,
			.usec = XR_MODERATION_AUTO_USEC,
			.tried = true,
		};
	if (count <= 1 || !usec)
		return (struct xr_moderation){};
	return (struct xr_moderation){ .count = count, .usec = usec };
}

/* The numbers that xr_moderation_of() has got; those that moderate nothing are 0. */
u32 xr_moderation_count(const struct xr_moderation *by)
{
	return by->tried ? XROCE_MODERATION_AUTO : by->count;
}

u32 xr_moderation_usec(const struct xr_moderation *by)
{
	return by->tried ? 0 : by->usec;
}

/* @expired calls xr_moderator_expired() under the lock of the queue. */
void xr_moderator_init(struct xr_moderator *m, enum hrtimer_restart (*expired)(struct hrtimer *))
{
	hrtimer_setup(&m->timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_SOFT);
}

/* The period begins. */
static void xr_moderator_begin(struct xr_moderator *m)
{
	struct hrtimer *timer = &m->timer;

	m->due = ktime_add_us(ktime_get(), m->by.usec);
	if (!hrtimer_is_queued(timer) || ktime_after(hrtimer_get_expires(timer), m->due))
		hrtimer_start(timer, m->due, HRTIMER_MODE_ABS_PINNED_SOFT);
}

/**
 * xr_moderator_holds() - hold an event?
 * @m: of a queue that is moderated, and armed for the completion that has just been added
 * @now: the event must not be held
 * @tail: completions that the queue has had, modulo 2^32
 *
 * Return: true: the queue stays armed; false: it fires now.
 */
bool xr_moderator_holds(struct xr_moderator *m, bool now, u32 tail)
{
	if (m->by.tried && !xr_trial_holds(&m->trial, tail, m->by.usec))
		now = true;
	if (now || m->held + 1 >= m->by.count) {
		m->held = 0;
		return false;
	}
	if (!m->held++)
		xr_moderator_begin(m);
	return true;
}

/* Hold nothing any more. Return: whether something was held: the queue fires now. */
bool xr_moderator_release(struct xr_moderator *m)
{
	bool held = m->held;

	m->held = 0;
	return held;
}

/* Moderate a queue by @by from now on. Return: whether something was held: the queue fires now. */
static bool xr_moderator_change(struct xr_moderator *m, struct xr_moderation by)
{
	m->by = by;
	m->trial = (struct xr_trial){};
	return xr_moderator_release(m);
}

/* Give a queue a moderation of its own. Return: as xr_moderator_change(). */
bool xr_moderator_own(struct xr_moderator *m, struct xr_moderation by)
{
	m->own = true;
	return xr_moderator_change(m, by);
}

/*
 * Give a queue the moderation of its link, unless it has one of its own. Return: as
 * xr_moderator_change().
 */
bool xr_moderator_follow(struct xr_moderator *m, struct xr_moderation by)
{
	return !m->own && xr_moderator_change(m, by);
}

/**
 * xr_moderator_expired() - the timer has expired
 * @m: its moderator
 * @again: out: what the timer's function returns
 *
 * Return: whether the queue fires now.
 */
bool xr_moderator_expired(struct xr_moderator *m, enum hrtimer_restart *again)
{
	*again = HRTIMER_NORESTART;
	/* If another CPU has started it again meanwhile, it expires again. */
	if (!m->held || hrtimer_is_queued(&m->timer))
		return false;
	if (!ktime_before(ktime_get(), m->due)) {
		if (m->by.tried)
			xr_trial_period(&m->trial, m->held, m->by.usec);
		return xr_moderator_release(m);
	}
	hrtimer_set_expires(&m->timer, m->due);
	*again = HRTIMER_RESTART;
	return false;
}
