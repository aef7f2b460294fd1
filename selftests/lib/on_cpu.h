/* SPDX-License-Identifier: GPL-2.0-only */
/* Pinning a thread to a CPU. */
#ifndef XROCE_ON_CPU_H
#define XROCE_ON_CPU_H

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "harness.h"

/* Let thread @tid, or the caller if @tid is 0, run on CPU @cpu only. */
static inline bool on_cpu(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return check(!sched_setaffinity(tid, sizeof(set), &set), "CPU %d: %s", cpu,
		     strerror(errno));
}

#endif /* XROCE_ON_CPU_H */
