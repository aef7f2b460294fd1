/* SPDX-License-Identifier: GPL-2.0-only */
/* Timer functions that Linux 6.12 does not have yet. */
#ifndef _XR_TIMER_COMPAT_H
#define _XR_TIMER_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#ifndef timer_container_of
#define timer_container_of	from_timer
#endif

#endif
