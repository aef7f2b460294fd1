/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fault injection into the kernel's allocations, with CONFIG_FAULT_INJECTION
 * (debug.config).
 */
#ifndef XROCE_FAULT_H
#define XROCE_FAULT_H

#include "live.h"

/* harness_main(), or skip all tests if the kernel has no fault injection. */
int fault_harness_main(int argc, char **argv);

/* live_main(), or skip all tests if the kernel has no fault injection. */
int fault_main(int argc, char **argv);

/*
 * Let the @nth allocation of this thread from now on fail, whatever it is for. Calls that
 * print, map or wait would be hit, too.
 */
void fault_nth(unsigned int nth);

/* Stop that. Return: whether the allocation has failed. */
bool fault_nth_end(void);

/* Stop that. Return: how many allocations were missing to the one that fails; 0: it has failed. */
unsigned int fault_nth_left(void);

/* Whose allocations fail at random. */
enum fault_whose {
	FAULT_DATA_PATH,	/* atomic allocations of pages; skbs and the like */
	FAULT_WORKERS,		/* all allocations of the kernel's workers */
};

/* Let @percent of them fail until fault_chance_end(), which returns the number of failures. */
void fault_chance(enum fault_whose whose, unsigned int percent);
unsigned int fault_chance_end(void);

#endif /* XROCE_FAULT_H */
