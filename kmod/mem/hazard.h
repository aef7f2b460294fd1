/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the data path keeps what it works on, a region or a window, until it has
 * copied. It costs no shared cache line: each CPU says in a variable of its own
 * what it is on. One is enough, as a kfunc is on a single one, cannot sleep, and
 * is not interrupted by another. Who takes the object away marks it, then waits
 * until no CPU is on it; there is no grace period to wait for.
 *
 * While it holds something a CPU waits for nobody, so that one may wait under any
 * lock: it takes no lock and allocates nothing. With PREEMPT_RT it is not preempted
 * either, and there locks and the allocators sleep.
 */
#ifndef _XR_HAZARD_H
#define _XR_HAZARD_H

#include <linux/percpu.h>

DECLARE_PER_CPU(const void *, xr_hazard);

/*
 * Say that this CPU is on @what, in softirq. Look for the mark afterwards.
 *
 * Softirqs are not preempted, and do not nest on a CPU, but with PREEMPT_RT: there
 * preemption is disabled until xr_hazard_clear(), so that xr_hazard and xr_odp_found are
 * this access's alone.
 */
static inline void xr_hazard_set(const void *what)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	this_cpu_write(xr_hazard, what);
	/* Pairs with xr_hazard_wait(): it sees us, or we see the mark. */
	smp_mb();
}

static inline void xr_hazard_clear(void)
{
	/* The copy is over for who sees this; pairs with xr_hazard_wait(). */
	smp_store_release(this_cpu_ptr(&xr_hazard), NULL);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
}

/* Wait until no CPU is on @what. The mark has been set. */
static inline void xr_hazard_wait(const void *what)
{
	int cpu;

	/* Pairs with xr_hazard_set(). */
	smp_mb();
	for_each_possible_cpu(cpu)
		/* A copy of at most one frame. */
		smp_cond_load_acquire(per_cpu_ptr(&xr_hazard, cpu), VAL != what);
}

/*
 * Wait until no CPU is on what it is on now, whatever that is: memory is reached by
 * several regions and windows.
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
