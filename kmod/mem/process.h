/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a process, the caller's or another's. */
#ifndef _XR_PROCESS_H
#define _XR_PROCESS_H

struct mm_struct;
struct pid;

struct mm_struct *xr_process_mm(struct pid *pid);

#endif
