/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for regions, and its page frame numbers (/proc/self/pagemap), with which the
 * translation table of a region is compared.
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

/* Page frame number of the page at an address of this process; 0: not present. */
uint64_t mem_pfn(const void *addr);

/* Whether all bytes are zero. */
bool mem_zero(const void *addr, size_t bytes);

/* @pages of private memory, all present; NULL and a failed check on error. */
void *mem_map(size_t pages);

/**
 * mem_scattered() - memory in which no two adjacent pages are physically adjacent
 * @addr: where; NULL: anywhere
 * @pages: number of pages
 *
 * Return: the memory, for munmap(2), or NULL and a failed check.
 */
void *mem_scattered(void *addr, size_t pages);

/**
 * mem_pairs() - memory of pairs of physically adjacent pages
 * @odd: for each pair, whether its first page frame number is odd
 * @pairs: number of pairs
 *
 * Return: the memory, for munmap(2), or NULL and a failed check.
 */
void *mem_pairs(const bool *odd, size_t pairs);

/**
 * mem_again() - memory that maps the same 2,048 pages repeatedly, and the first of them
 *	twice at the start: no block of a region over it can be larger than a page
 * @pages: number of pages
 *
 * Return: the memory, for munmap(2), or NULL and a failed check.
 */
void *mem_again(size_t pages);

/* 2 MiB of private memory in one aligned huge page; NULL if the kernel gives none. */
void *mem_huge(void);

/**
 * mem_check_blocks() - check the translation table of a region
 * @q: the answer of MR_QUERY for a region over memory of this process
 *
 * The blocks must map every page to its frame. They must be the largest that do, up to
 * the smallest size with which one block holds the whole region. There must be no more
 * entries than the region needs.
 */
void mem_check_blocks(const struct xroce_mr_query *q);

#endif /* XROCE_MEM_H */
