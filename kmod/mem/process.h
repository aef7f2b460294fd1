/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a process, the caller's or another's. */
#ifndef _XR_PROCESS_H
#define _XR_PROCESS_H

struct mm_struct;
struct pid;
struct xr_owner;

struct mm_struct *xr_process_mm(const struct xr_owner *caller, struct pid *pid);

#endif
