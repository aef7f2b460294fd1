// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trials of moderation. To hold events saves the work of waking up their owner, and delays what the
 * owner would do next. Which of both prevails depends on the load: it pays while many requests are
 * under way, and is only latency where the owner waits for each of them. It shows in the time that
 * a number of completions takes, a window.
 *
 * A trial consists of windows without and with holding in turn. Pauses of the load make a window
 * longer, never shorter, so the shortest ones of both kinds are compared. Holding must be better by
 * a sixteenth. A trial that has the same result as the one before doubles the time to the next.
 *
 * A trial costs little where holding is of no use: it does not begin if few completions come within
 * a period, and it ends, as holding does, after some periods with few of them.
 */
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "trial.h"

/* Completions of a window. */
#define XR_TRIAL_WINDOW	256
/* Windows of a trial, of both kinds in turn. */
#define XR_TRIAL_STEPS	6
/* Windows from one trial to the next. */
#define XR_TRIAL_PAUSE_MIN	8
#define XR_TRIAL_PAUSE_MAX	4096
/* With fewer completions a period was wasted; after so many of these a trial or holding ends. */
#define XR_TRIAL_FEW	2
#define XR_TRIAL_WASTED_TRIED	2
#define XR_TRIAL_WASTED_HELD	8

static void xr_trial_end(struct xr_trial *t, bool pays)
{
	bool same = t->pause && pays == t->paid;

	t->pause = same ? min(2 * t->pause, XR_TRIAL_PAUSE_MAX) : XR_TRIAL_PAUSE_MIN;
	t->left = t->pause;
	t->step = XR_TRIAL_STEPS;
	t->wasted = 0;
	t->paid = pays;
	t->holds = pays;
}

static void xr_trial_begin(struct xr_trial *t)
{
	t->step = 0;
	t->wasted = 0;
	t->holds = false;
	t->least[0] = U64_MAX;
	t->least[1] = U64_MAX;
}

/* A window of a trial has taken @took nanoseconds. @usec is as in xr_trial_holds(). */
static void xr_trial_step(struct xr_trial *t, u64 took, u32 usec)
{
	u64 *least = &t->least[t->holds];

	*least = min(*least, took);
	if (!t->step && took > (u64)XR_TRIAL_WINDOW * usec * NSEC_PER_USEC / XR_TRIAL_FEW) {
		xr_trial_end(t, false);
		return;
	}
	if (++t->step == XR_TRIAL_STEPS)
		xr_trial_end(t, t->least[1] < t->least[0] - t->least[0] / 16);
	else
		t->holds = t->step % 2;
}

/**
 * xr_trial_holds() - should events be held now?
 * @t: of a queue that is armed for the completion that has just been added
 * @tail: completions that the queue has had, modulo 2^32
 * @usec: the period: microseconds that they can be held
 *
 * Return: whether they should.
 */
bool xr_trial_holds(struct xr_trial *t, u32 tail, u32 usec)
{
	u32 n = tail - t->from;
	u64 now, took;

	if (likely(n < XR_TRIAL_WINDOW))
		return t->holds;
	now = ktime_get_ns();
	/* A queue that was not armed, or has just been made, says nothing. */
	took = div_u64((now - t->began) * XR_TRIAL_WINDOW, n);
	if (t->step < XR_TRIAL_STEPS && t->began)
		xr_trial_step(t, took, usec);
	else if (!t->left || !--t->left)
		xr_trial_begin(t);
	t->from = tail;
	t->began = now;
	t->waited = 0;
	return t->holds;
}

/*
 * A period of @usec has ended with @held completions, not because there were enough of them. Pauses
 * of the load do not count: of a pause, at most one period is a part.
 */
void xr_trial_period(struct xr_trial *t, u32 held, u32 usec)
{
	bool tries = t->step < XR_TRIAL_STEPS;

	t->wasted = held < XR_TRIAL_FEW ? t->wasted + 1 : 0;
	t->waited += usec;
	if (t->wasted == (tries ? XR_TRIAL_WASTED_TRIED : XR_TRIAL_WASTED_HELD))
		xr_trial_end(t, false);
	/* The window already takes longer than one without holding. */
	else if (tries && t->waited * NSEC_PER_USEC > t->least[0])
		xr_trial_end(t, false);
}
