/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What all links, queue pairs and regions have counted at one time. */
#ifndef _XROCE_SAMPLE_H
#define _XROCE_SAMPLE_H

#include <net/if.h>

#include "libxroce.h"

struct sample_link {
	char dev[IF_NAMESIZE];
	struct xroce_link_query query;
	struct xroce_stat stat;
};

struct sample_qp {
	__u32 link;		/* number of the link */
	const char *dev;	/* in this sample's links */
	struct xroce_qp_query query;
};

struct sample_mr {
	__u32 link;
	const char *dev;
	struct xroce_mr_query query;
	bool counted;		/* @stat is there */
	struct xroce_mr_stat stat;
};

/**
 * struct sample - counters of what is in this network namespace
 * @time: when, seconds of CLOCK_MONOTONIC
 * @links: by number
 * @qps: by link and number
 * @mrs: by link and handle
 * @nlinks: how many
 * @nqps: how many
 * @nmrs: how many
 */
struct sample {
	double time;
	struct sample_link *links;
	struct sample_qp *qps;
	struct sample_mr *mrs;
	size_t nlinks;
	size_t nqps;
	size_t nmrs;
};

/**
 * sample_take() - look at all
 * @netdev: only at this device's link; NULL: at all
 * @s: out: for sample_free()
 *
 * What goes while this looks is left out.
 *
 * Return: an exit status; what is wrong has been said, and @s is empty.
 */
int sample_take(const char *netdev, struct sample *s);

/* Give its memory back; it is empty then. */
void sample_free(struct sample *s);

/* What a sample has of the same object, or NULL. */
const struct sample_link *sample_find_link(const struct sample *s,
					   const struct sample_link *link);
const struct sample_qp *sample_find_qp(const struct sample *s,
				       const struct sample_qp *qp);
const struct sample_mr *sample_find_mr(const struct sample *s,
				       const struct sample_mr *mr);

#endif /* _XROCE_SAMPLE_H */
