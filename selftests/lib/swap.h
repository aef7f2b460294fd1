/* SPDX-License-Identifier: GPL-2.0-only */
/* Somewhere to swap to: compressed memory (zram). */
#ifndef XROCE_SWAP_H
#define XROCE_SWAP_H

#include <stdbool.h>
#include <stddef.h>

/* Return: whether there is swap now; if not, swap_off() need not be called. */
bool swap_on(void);
void swap_off(void);

/* Is the page, of private memory, in swap, and not in memory? */
bool swap_has(const void *addr);

/* Pages in swap, of the whole system. */
size_t swap_used(void);

/*
 * Page these out until they are. Return: how many are mapped no more; it can be
 * fewer, as another CPU may have some on a list of its own.
 */
size_t swap_out(void *addr, size_t pages);

#endif /* XROCE_SWAP_H */
