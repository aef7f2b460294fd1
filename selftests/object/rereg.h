/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A region of the real module that is re-registered: its state, valid changes of it, and
 * checks of it by query and by packet.
 */
#ifndef XROCE_REREG_H
#define XROCE_REREG_H

#include <stdbool.h>

#include "live.h"
#include "probe.h"

#define LW		XROCE_ACCESS_LOCAL_WRITE
#define RW		XROCE_ACCESS_REMOTE_WRITE
#define RR		XROCE_ACCESS_REMOTE_READ
#define TRANSLATION	XROCE_REREG_TRANSLATION
#define PD		XROCE_REREG_PD
#define ACCESS		XROCE_REREG_ACCESS

#define REREG_PAGES	4
#define REREG_OFFSET	0x123
#define REREG_LENGTH	(3 * MEM_PAGE + 17)
#define REREG_IOVA	0x700000000fffull

/**
 * struct rereg - a region, and what changes of it need
 * @x: handle on LIVE_DEV
 * @pd: two protection domains
 * @qp: a queue pair in each
 * @a: memory of REREG_PAGES; the region lies over it from REREG_OFFSET on
 * @b: other memory, one page more
 * @mr: the region, in the first domain; a test that changes the region updates it
 */
struct rereg {
	struct xroce *x;
	__u32 pd[2];
	struct probe qp[2];
	char *a, *b;
	struct xroce_mr_reg mr;
};

extern struct rereg rereg;

/* Make all of it. Return: false, with a failed check, on error. */
bool rereg_begin(void);

/* Take it down, and check that nothing is left. */
void rereg_end(void);

/* A change to all of @b: other memory, length, address, domain and rights. */
struct xroce_mr_rereg rereg_change(__u32 mask);

/* The physical addresses of @n pages. */
void rereg_pages(const char *mem, __u64 *list, int n);

/* Check query, map entry and packets against @r, over the memory at @at. */
void rereg_expect(const struct xroce_mr_reg *r, char *at);

/*
 * Check that the change @what has failed with @want, and that the region is as before, for
 * packets too. @ret: the result of the change.
 */
void rereg_unchanged(const char *what, int ret, int want);

#endif /* XROCE_REREG_H */
