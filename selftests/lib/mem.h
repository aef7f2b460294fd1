/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for regions, and where it physically is (/proc/self/pagemap): what a
 * region says of itself is compared with that.
 */
#ifndef XROCE_MEM_H
#define XROCE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxroce.h"

#define MEM_PAGE	4096ull
#define MEM_PAGE_SHIFT	12
#define MEM_HUGE	(2ull << 20)
#define MEM_HUGE_SHIFT	21

/* Page frame number behind an address of ours; 0: nothing there. */
uint64_t mem_pfn(const void *addr);

/* Whether all bytes are zero. */
bool mem_zero(const void *addr, size_t bytes);

/* @pages of private memory, all there; NULL and a failed check if not. */
void *mem_map(size_t pages);

/**
 * mem_scattered() - memory no two neighbouring pages of which are neighbours
 *	physically
 * @addr: where; NULL: anywhere
 * @pages: how many
 *
 * Return: the memory, for munmap(2), or NULL and a failed check.
 */
void *mem_scattered(void *addr, size_t pages);

/**
 * mem_pairs() - memory of pairs of pages that are neighbours physically
 * @odd: for each pair, whether its first page frame number is odd
 * @pairs: how many
 *
 * Return: the memory, for munmap(2), or NULL and a failed check.
 */
void *mem_pairs(const bool *odd, size_t pairs);

/**
 * mem_again() - 2,048 pages, mapped again and again, the first one twice: no block
 *	of a region over it can be larger than a page
 * @pages: how many
 *
 * Return: the memory, for munmap(2), or NULL and a failed check.
 */
void *mem_again(size_t pages);

/* 2 MiB of private memory, aligned, a huge page; NULL: not to be had. */
void *mem_huge(void);

/**
 * mem_check_blocks() - does a region have the right translation table?
 * @q: what MR_QUERY says of a region over memory of ours
 *
 * Its blocks have to put every page where it is, there may be no larger block
 * that does, unless a smaller one could hold the whole region, and no entry more
 * than the region needs.
 */
void mem_check_blocks(const struct xroce_mr_query *q);

#endif /* XROCE_MEM_H */
