/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes that a process makes to its private memory, for odp_shadow_run(): of some
 * pages, told to the model. Several threads may make them at a time.
 */
#ifndef XROCE_MM_CHURN_H
#define XROCE_MM_CHURN_H

#include "odp_shadow.h"

bool odp_unmap(unsigned int *seed);	/* and map anew */
bool odp_move(unsigned int *seed);	/* away, and other pages in */
bool odp_drop(unsigned int *seed);	/* MADV_DONTNEED */
bool odp_let_go(unsigned int *seed);	/* MADV_FREE; false: none was dropped */
bool odp_fork(unsigned int *seed);	/* and write on both sides */
bool odp_page_out(unsigned int *seed);	/* false: none is in swap */
bool odp_protect(unsigned int *seed);	/* and as it was */

/* Pages that have been dropped by odp_let_go(), and swapped by odp_page_out(). */
extern atomic_uint odp_dropped;
extern atomic_uint odp_swapped;

/* Sleep for a random time of at most @most_ms, and of this. */
extern unsigned int odp_rest_ms;
void odp_rest(unsigned int *seed, unsigned int most_ms);

/* Private memory where nothing is mapped, like what is around it. */
bool odp_map_at(char *at, size_t len);

#endif /* XROCE_MM_CHURN_H */
