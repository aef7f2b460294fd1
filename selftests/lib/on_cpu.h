/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a thread may run. */
#ifndef XROCE_ON_CPU_H
#define XROCE_ON_CPU_H

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "harness.h"

/* Thread @tid, or with 0 the caller, runs on CPU @cpu alone. */
static inline bool on_cpu(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return check(!sched_setaffinity(tid, sizeof(set), &set), "CPU %d: %s", cpu,
		     strerror(errno));
}

#endif /* XROCE_ON_CPU_H */
