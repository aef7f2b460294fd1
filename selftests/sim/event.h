/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated clock, and what happens when. Events of the same time happen in the order in which
 * they were started, so a run can be repeated.
 */
#ifndef XROCE_SIM_EVENT_H
#define XROCE_SIM_EVENT_H

#include <linux/types.h>

/**
 * struct event - something that happens once after each event_start()
 * @run: what
 * @arg: its argument
 * @at: when, in nanoseconds
 * @order: number of the start
 * @place: in the heap, from 1 on; 0: it is not started
 *
 * The owner embeds it, sets @run and @arg, and stops it before it is freed.
 */
struct event {
	void (*run)(void *arg);
	void *arg;
	u64 at;
	u64 order;
	u32 place;
};

/* Set the clock to 0, and forget all events. */
void events_reset(void);

/* It shall happen at @at, and not when it was to happen before. */
void event_start(struct event *e, u64 at);
void event_stop(struct event *e);

/* Let everything happen that happens before @end, which is the time then. */
void events_until(u64 end);

#endif /* XROCE_SIM_EVENT_H */
