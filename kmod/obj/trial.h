/* SPDX-License-Identifier: GPL-2.0-only */
/* Trials of moderation: find out whether a completion queue gains by holding its events. */
#ifndef _XR_TRIAL_H
#define _XR_TRIAL_H

#include <linux/types.h>

/**
 * struct xr_trial - whether holding events pays for a queue
 * @holds: events are held now
 * @paid: the last trial has found that it pays
 * @step: of the trial; XR_TRIAL_STEPS: none is under way
 * @wasted: periods in a row that have ended with few completions
 * @waited: microseconds of all periods of the window
 * @left: windows until the next trial
 * @pause: windows between the last trial and the next one
 * @from: the queue's tail when the window began
 * @began: then, in nanoseconds of CLOCK_MONOTONIC
 * @least: the shortest window of the trial in nanoseconds, without and with holding
 *
 * Protected by the lock of the queue. All zero: a trial begins with the first window.
 */
struct xr_trial {
	bool holds;
	bool paid;
	u8 step;
	u8 wasted;
	u16 left;
	u16 pause;
	u32 waited;
	u32 from;
	u64 began;
	u64 least[2];
};

bool xr_trial_holds(struct xr_trial *t, u32 tail, u32 usec);
void xr_trial_period(struct xr_trial *t, u32 held, u32 usec);

#endif
