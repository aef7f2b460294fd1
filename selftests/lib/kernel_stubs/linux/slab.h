/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's allocation functions, with memory of the C library. */
#ifndef XROCE_TEST_LINUX_SLAB_H
#define XROCE_TEST_LINUX_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL_ACCOUNT	0

/* Number of allocations that succeed from now on; -1: all. */
extern int kernel_memory;

static inline void *kvmalloc_array(size_t n, size_t size, int gfp)
{
	(void)gfp;
	if (!kernel_memory)
		return NULL;
	if (kernel_memory > 0)
		kernel_memory--;
	return calloc(n, size);
}

#define kvcalloc(n, size, gfp)	kvmalloc_array(n, size, gfp)

#define kvfree(memory)	free(memory)

#endif /* XROCE_TEST_LINUX_SLAB_H */
