/* SPDX-License-Identifier: GPL-2.0-only */
/* Pinned memory: a range of a process's memory. */
#ifndef _XR_PIN_H
#define _XR_PIN_H

#include <linux/types.h>

struct pid;
struct xr_owner;
struct xr_umem;

struct xr_umem *xr_pin(const struct xr_owner *caller, const struct xr_owner *owner,
		       struct pid *pid, u64 addr, u64 length, bool writable);

#endif
