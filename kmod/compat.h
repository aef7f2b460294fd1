/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux 6.12 is what is written for. Here is what later ones have changed. */
#ifndef _XROCE_COMPAT_H
#define _XROCE_COMPAT_H

#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
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

/*
 * Whether the caller has @cap over @mm, the memory of @task, in the user
 * namespace that memory was made in. Under the task's exec_update_lock, so that
 * the two belong together.
 */
#ifdef __has_include		/* sparse has not */
#if __has_include("linux/sched/exec_state.h")
#define XR_EXEC_STATE
#endif
#endif

#ifdef XR_EXEC_STATE
#include <linux/sched/exec_state.h>

static inline bool xr_mm_capable(struct task_struct *task,
				 struct mm_struct *mm, int cap)
{
	bool ret;

	rcu_read_lock();
	ret = ns_capable(rcu_dereference(task->exec_state)->user_ns, cap);
	rcu_read_unlock();
	return ret;
}
#else
static inline bool xr_mm_capable(struct task_struct *task,
				 struct mm_struct *mm, int cap)
{
	return ns_capable(mm->user_ns, cap);
}
#endif

#endif /* _XROCE_COMPAT_H */
