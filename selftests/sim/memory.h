/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of the simulator, without which it ends. */
#ifndef XROCE_SIM_MEMORY_H
#define XROCE_SIM_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

static inline void *memory_check(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "sim: no memory\n");
	exit(1);
}

/* Zeroed; the caller frees it. */
static inline void *memory_new(size_t n, size_t size)
{
	return memory_check(calloc(n ?: 1, size));
}

/* The same memory, for more. */
static inline void *memory_more(void *memory, size_t n, size_t size)
{
	return memory_check(reallocarray(memory, n, size));
}

#endif /* XROCE_SIM_MEMORY_H */
