/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hazard pointers: how the data path keeps a region or window alive until it has finished
 * copying. They cost no shared cache line: each CPU writes to a variable of its own which
 * object it is using. One variable is enough, because a kfunc uses one object at a time,
 * cannot sleep, and is not interrupted by another kfunc. To take an object away, mark it,
 * then wait until no CPU is using it. There is no grace period to wait for.
 *
 * While a CPU's hazard pointer is set, the CPU takes no lock, allocates nothing and never
 * blocks. So xr_hazard_wait() may be called under any lock. With PREEMPT_RT, where locks
 * and allocators sleep, preemption is disabled as well.
 */
#ifndef _XR_HAZARD_H
#define _XR_HAZARD_H

#include <linux/percpu.h>

DECLARE_PER_CPU(const void *, xr_hazard);

/*
 * Set this CPU's hazard pointer to @what, in softirq. Check for the mark afterwards.
 *
 * Softirqs are not preempted and do not nest on a CPU. With PREEMPT_RT they can be
 * preempted, so preemption is disabled until xr_hazard_clear(): no other access changes
 * xr_hazard and xr_odp_found meanwhile.
 */
static inline void xr_hazard_set(const void *what)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	this_cpu_write(xr_hazard, what);
	/*
	 * Pairs with xr_hazard_wait() and xr_hazard_wait_all(): either they see the pointer,
	 * or we see the mark.
	 */
	smp_mb();
}

static inline void xr_hazard_clear(void)
{
	/*
	 * A CPU that sees this sees the copy complete; pairs with xr_hazard_wait() and
	 * xr_hazard_wait_all().
	 */
	smp_store_release(this_cpu_ptr(&xr_hazard), NULL);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
}

/* Wait until no CPU is using @what. The caller has marked it. */
static inline void xr_hazard_wait(const void *what)
{
	int cpu;

	/* Pairs with xr_hazard_set(). */
	smp_mb();
	for_each_possible_cpu(cpu)
		/* For at most the copy of one frame. */
		smp_cond_load_acquire(per_cpu_ptr(&xr_hazard, cpu), VAL != what);
}

/*
 * Wait until each CPU has finished with the object that it is using now, whichever it is:
 * several regions and windows may refer to the same memory.
 */
static inline void xr_hazard_wait_all(void)
{
	const void *what;
	int cpu;

	/* Pairs with xr_hazard_set(). */
	smp_mb();
	for_each_possible_cpu(cpu) {
		what = READ_ONCE(*per_cpu_ptr(&xr_hazard, cpu));
		smp_cond_load_acquire(per_cpu_ptr(&xr_hazard, cpu),
				      !VAL || VAL != what);
	}
}

#endif
