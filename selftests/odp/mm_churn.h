/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes that a process makes to its private memory, for odp_shadow_run(). Each changes a
 * few pages and tells the model. Several threads may call these at a time.
 */
#ifndef XROCE_MM_CHURN_H
#define XROCE_MM_CHURN_H

#include "odp_shadow.h"

/* Reserve addresses outside the region, before threads change it; release them. */
bool mm_churn_open(void);
void mm_churn_close(void);

bool odp_unmap(unsigned int *seed);	/* and map new pages */
bool odp_move(unsigned int *seed);	/* out of the region, and other pages in */
bool odp_drop(unsigned int *seed);	/* MADV_DONTNEED */
bool odp_let_go(unsigned int *seed);	/* MADV_FREE; false: none was dropped */
bool odp_fork(unsigned int *seed);	/* and write in parent and child */
bool odp_page_out(unsigned int *seed);	/* false: none is in swap */
bool odp_protect(unsigned int *seed);	/* and restore the rights */

/* Pages that odp_let_go() has dropped, and that odp_page_out() has swapped out. */
extern atomic_uint odp_dropped;
extern atomic_uint odp_swapped;

/* Sleep for a random time of at most @most_ms and at most odp_rest_ms. */
extern unsigned int odp_rest_ms;
void odp_rest(unsigned int *seed, unsigned int most_ms);

/* Map private memory where nothing is mapped, as the memory around it. */
bool odp_map_at(char *at, size_t len);

#endif /* XROCE_MM_CHURN_H */
