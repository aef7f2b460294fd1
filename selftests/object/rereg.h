/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A region of the real module that is re-registered: what it is, what it may
 * become, and whether it is that, for queries and for packets.
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
 * struct rereg - a region, and what it takes to change it
 * @x: handle on LIVE_DEV
 * @pd: two protection domains
 * @qp: a queue pair in each
 * @a: what the region lies over from REREG_OFFSET on, REREG_PAGES
 * @b: other memory, a page more
 * @mr: the region, of the first domain; a test that changes it says so here
 */
struct rereg {
	struct xroce *x;
	__u32 pd[2];
	struct probe qp[2];
	char *a, *b;
	struct xroce_mr_reg mr;
};

extern struct rereg rereg;

/* Make all of it. Return: false and a failed check if that does not work. */
bool rereg_begin(void);

/* Take it down, and check that nothing is left. */
void rereg_end(void);

/* A change to all of @b: other memory, length, address, domain and rights. */
struct xroce_mr_rereg rereg_change(__u32 mask);

/* The physical addresses of @n pages. */
void rereg_pages(const char *mem, __u64 *list, int n);

/* The region, its entry and what packets find are as @r says, over @at. */
void rereg_expect(const struct xroce_mr_reg *r, char *at);

/*
 * A change, @what, had the result @ret, which has to be the error @want: the
 * region is what it was, for packets too.
 */
void rereg_unchanged(const char *what, int ret, int want);

#endif /* XROCE_REREG_H */
