/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of a on-demand region (odp.h) whose pages other threads change while a
 * peer writes and reads them. Who changes pages says so before and after. Then it
 * is known of each access whether it had to succeed, or could not, or whether
 * both is right because the change went on meanwhile; and of each slot what it
 * holds, or that it holds one of two things.
 *
 *   a page:   life 1     | change |     life 2      | change |   life 3
 *             "aaaa"     |  a, 0  |  0  W "bb"  b   |  b, 0  |     0
 *
 * Whatever is read after a change is over must be of the new life: nothing stale.
 */
#ifndef XROCE_ODP_SHADOW_H
#define XROCE_ODP_SHADOW_H

#include <stdatomic.h>

#include "odp.h"

#define ODP_PAGES_MAX	2048u
#define ODP_SLOT	64u		/* bytes that are written together */

/* What a change does to bytes. */
enum odp_change {
	ODP_KEEPS,
	ODP_MAY_LOSE,		/* at any time, until they are written to again */
	ODP_LOSES,
};

/* The region, its pages, and its peer. */
extern struct odp odp;
extern size_t odp_pages;

/* Open, over private memory; or close, after all pages have been compared. */
bool odp_shadow_open(size_t pages);
void odp_shadow_close(void);

/*
 * Threads that change pages: before and after. Nobody else changes them between
 * these. @base: pattern of the bytes that take the place of those that are lost, as
 * of the page's first one; 0: zeros. @prot: PROT_*, as it is from now on. What keeps
 * bytes and rights need not be told.
 */
void odp_shadow_begin(size_t page, size_t n, enum odp_change change,
		      uint8_t base);
void odp_shadow_end(size_t page, size_t n, int prot);

/**
 * struct mm_churn - what goes on beside accesses
 * @change: do it once; called until all is over
 * @seed: for rand_r(3)
 * @done: how often it was
 * @failed: how often it returned false
 */
struct mm_churn {
	bool (*change)(unsigned int *seed);
	unsigned int seed;
	atomic_uint done;
	atomic_uint failed;
};

/**
 * odp_shadow_run() - random accesses, and threads that change pages
 * @churn: a thread each
 * @n: how many
 * @enough: whether that goes on
 *
 * Ends when a check has failed, too. Notes what there was.
 */
void odp_shadow_run(struct mm_churn *churn, size_t n, bool (*enough)(void));

/* Accesses that have been made, and that were refused, as they had to be. */
extern unsigned int odp_accesses;
extern unsigned int odp_refusals;

/* Address of a page; a number below @n. */
char *odp_page(size_t page);
uint32_t odp_below(unsigned int *seed, uint32_t n);

/* Have these pages brought in to be written to, if they can be. */
void odp_bring(size_t page, size_t n);

/* Pages of @from that hold nothing but the pattern @base, as of odp_shadow_begin(). */
void odp_fill(char *from, size_t n, uint8_t base);
bool odp_filled(const char *from, size_t n, uint8_t base);

#endif /* XROCE_ODP_SHADOW_H */
