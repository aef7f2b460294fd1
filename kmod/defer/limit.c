// SPDX-License-Identifier: GPL-2.0-only
/* Limits of a queue pair's deferred frames, and the module parameters that change them. */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/time64.h>

#include "qp/qp.h"

#include "limit.h"

static unsigned int odp_defer_max = XR_QP_DEFERRED_MAX;
module_param(odp_defer_max, uint, 0644);
MODULE_PARM_DESC(odp_defer_max,
		 "packets of a queue pair deferred while on-demand memory is brought in, 0: none, RNR NAKs instead (256)");

/*
 * A fault takes longer than this only if it waits for a disk. The peer's retry timer is
 * longer: 67 ms with perftest.
 */
static unsigned int odp_defer_ms = 20;
module_param(odp_defer_ms, uint, 0644);
MODULE_PARM_DESC(odp_defer_ms,
		 "milliseconds after which a deferred packet is answered with an RNR NAK (20)");

/* Return: how many frames there may be, with one that waits for memory. */
u32 xr_defer_max_memory(void)
{
	return min(READ_ONCE(odp_defer_max), XR_QP_DEFERRED_MAX);
}

/* Return: how many frames there may be, with one that waits for those before it. */
u32 xr_defer_max_behind(const struct xr_qp *qp)
{
	if (qp->type != XROCE_QPT_RC || READ_ONCE(qp->defer.waiter.on))
		return xr_defer_max_memory();
	return XR_QP_EARLY_MAX;
}

/* Return: does no frame wait for memory? */
bool xr_defer_never(void)
{
	return !READ_ONCE(odp_defer_max);
}

/* Return: how long a frame waits for memory, in nanoseconds. */
u64 xr_defer_longest(void)
{
	return READ_ONCE(odp_defer_ms) * (u64)NSEC_PER_MSEC;
}
