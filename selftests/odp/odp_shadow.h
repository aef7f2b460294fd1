/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of an on-demand region (odp.h) whose pages other threads change while a peer
 * writes and reads them. A thread tells the model before and after it changes pages. So
 * the model knows of each access whether it must succeed, must fail, or may do either
 * because a change was under way. It knows of each slot its bytes, or two possible values.
 *
 *   a page:   life 1     | change |     life 2      | change |   life 3
 *             "aaaa"     |  a, 0  |  0  W "bb"  b   |  b, 0  |     0
 *
 * Any bytes read after a change has ended must be of the new life: nothing stale.
 */
#ifndef XROCE_ODP_SHADOW_H
#define XROCE_ODP_SHADOW_H

#include <stdatomic.h>

#include "odp.h"

#define ODP_PAGES_MAX	2048u
#define ODP_SLOT	64u		/* bytes that are written together */

/* The effect of a change on bytes. */
enum odp_change {
	ODP_KEEPS,
	ODP_MAY_LOSE,		/* at any time, until they are written again */
	ODP_LOSES,
};

/* The region and its peer; the number of its pages. */
extern struct odp odp;
extern size_t odp_pages;

/* Open a region over private memory; close it after comparing all pages with the model. */
bool odp_shadow_open(size_t pages);
void odp_shadow_close(void);

/*
 * Call these before and after changing pages. No other thread may change the same pages in
 * between. @base: pattern that replaces lost bytes, counted from the page's first byte; 0:
 * zeros. @prot: PROT_* of the pages from now on. Changes that keep bytes and rights need
 * not be told.
 */
void odp_shadow_begin(size_t page, size_t n, enum odp_change change,
		      uint8_t base);
void odp_shadow_end(size_t page, size_t n, int prot);

/**
 * struct mm_churn - a thread that changes pages during accesses
 * @change: makes one change; called again and again
 * @seed: for rand_r(3)
 * @done: calls of @change
 * @failed: calls that returned false
 */
struct mm_churn {
	bool (*change)(unsigned int *seed);
	unsigned int seed;
	atomic_uint done;
	atomic_uint failed;
};

/**
 * odp_shadow_run() - random accesses, and threads that change pages
 * @churn: one for each thread
 * @n: how many
 * @enough: returns true when the run may end
 *
 * Also ends when a check has failed. Notes the counters.
 */
void odp_shadow_run(struct mm_churn *churn, size_t n, bool (*enough)(void));

/* Accesses that were made, and those of them that were refused, as expected. */
extern unsigned int odp_accesses;
extern unsigned int odp_refusals;

/* Address of a page; a random number below @n. */
char *odp_page(size_t page);
uint32_t odp_below(unsigned int *seed, uint32_t n);

/* Prefetch these pages for writing, as far as they are accessible. */
void odp_bring(size_t page, size_t n);

/*
 * Fill pages at @from with the pattern @base, see odp_shadow_begin(); check that they have
 * it.
 */
void odp_fill(char *from, size_t n, uint8_t base);
bool odp_filled(const char *from, size_t n, uint8_t base);

#endif /* XROCE_ODP_SHADOW_H */
