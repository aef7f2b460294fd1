/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap space in compressed memory (zram). */
#ifndef XROCE_SWAP_H
#define XROCE_SWAP_H

#include <stdbool.h>
#include <stddef.h>

/* Return: whether there is swap space now; if not, swap_off() need not be called. */
bool swap_on(void);
void swap_off(void);

/* Whether a page of private memory is in swap and not in memory. */
bool swap_has(const void *addr);

/* Number of pages in swap, in the whole system. */
size_t swap_used(void);

/*
 * Page out this memory, with several attempts. Return: number of pages that are no longer
 * mapped; some may stay, as they can be on a list of another CPU.
 */
size_t swap_out(void *addr, size_t pages);

#endif /* XROCE_SWAP_H */
