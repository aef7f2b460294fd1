/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocations of the kernel's that fail because a test wants them to, on a kernel
 * with CONFIG_FAULT_INJECTION (debug.config).
 */
#ifndef XROCE_FAULT_H
#define XROCE_FAULT_H

#include "live.h"

/* live_main() where the kernel can do it; else the plan is skipped. */
int fault_main(int argc, char **argv, const struct test *tests, size_t n);

/*
 * Of what this thread allocates from now on, the @nth fails, a single one, whatever
 * it is for. Whoever prints, maps or waits meanwhile may be the one who is hit.
 */
void fault_nth(unsigned int nth);

/* No more of it. Return: whether it has failed. */
bool fault_nth_end(void);

/* Whose allocations fail by chance. */
enum fault_whose {
	FAULT_DATA_PATH,	/* pages for who cannot wait, and objects such as skbs */
	FAULT_WORKERS,		/* all of the kernel's workers' */
};

/* @percent of a hundred fail, until fault_chance_end(), which says how many have. */
void fault_chance(enum fault_whose whose, unsigned int percent);
unsigned int fault_chance_end(void);

#endif /* XROCE_FAULT_H */
