/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many frames of a queue pair are deferred, and for how long. Those of a user and of a link
 * have limits, too: own/limit.h.
 */
#ifndef _XR_DEFER_LIMIT_H
#define _XR_DEFER_LIMIT_H

#include <linux/types.h>

struct xr_qp;

/*
 * Maximum number of frames of a queue pair that wait for on-demand memory; the module parameter
 * odp_defer_max may lower it. Soft-RoCE has at most half as many packets outstanding.
 */
#define XR_QP_DEFERRED_MAX	256u

/* Maximum number of frames behind a hole, and limit of the distance of their PSNs from it. */
#define XR_QP_EARLY_MAX		1024u
#define XR_EARLY_PSNS		8192u

u32 xr_defer_max_memory(void);
u32 xr_defer_max_behind(const struct xr_qp *qp);
bool xr_defer_never(void);
u64 xr_defer_longest(void);

#endif
