/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Counters of all links, queue pairs and regions at one time. */
#ifndef _XROCE_SAMPLE_H
#define _XROCE_SAMPLE_H

#include <net/if.h>

#include "libxroce.h"
#include "xroce_map.h"

struct sample_link {
	char dev[IF_NAMESIZE];
	struct xroce_link_query query;
	bool limited;			/* @limits and @user are valid */
	struct xroce_limit_query limits;
	struct xroce_limit_query user;	/* likewise of the caller */
	struct xroce_stat stat;
};

struct sample_qp {
	__u32 link;		/* number of the link */
	const char *dev;	/* points into @links of the same sample */
	struct xroce_qp_query query;
};

struct sample_mr {
	__u32 link;
	const char *dev;
	struct xroce_mr_query query;
	bool counted;		/* @stat is valid */
	struct xroce_mr_stat stat;
};

/**
 * struct sample - counters of this network namespace
 * @time: time of the sample, seconds of CLOCK_MONOTONIC
 * @links: links, sorted by number
 * @qps: queue pairs, sorted by link and number
 * @mrs: regions, sorted by link and handle
 * @nlinks: number of links
 * @nqps: number of queue pairs
 * @nmrs: number of regions
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
 * sample_take() - read the counters of all links, queue pairs and regions
 * @netdev: name of the device whose link is read; NULL: all links
 * @s: out: to be freed by sample_free()
 *
 * Objects that are deleted meanwhile may be missing.
 *
 * Return: an exit status; after an error has been printed, @s is empty.
 */
int sample_take(const char *netdev, struct sample *s);

/* Free the memory of a sample and make it empty. */
void sample_free(struct sample *s);

/* Find the same object in another sample. Return: the object, or NULL. */
const struct sample_link *sample_find_link(const struct sample *s,
					   const struct sample_link *link);
const struct sample_qp *sample_find_qp(const struct sample *s,
				       const struct sample_qp *qp);
const struct sample_mr *sample_find_mr(const struct sample *s,
				       const struct sample_mr *mr);

#endif /* _XROCE_SAMPLE_H */
