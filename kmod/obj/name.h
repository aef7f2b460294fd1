/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of regions, and where they are unique. */
#ifndef _XR_NAME_H
#define _XR_NAME_H

#include <linux/rhashtable-types.h>
#include <linux/types.h>

#include "uapi/xroce.h"

struct xr_owner;
struct xr_pd;

/**
 * struct xr_name - the name of a region, and where it is unique
 * @text: the name, padded with zeros; empty: the region has none
 * @owner: owner of the region
 * @pd: protection domain, if a file owns the region; NULL: a persistent region, whose name
 *	is unique on its link
 * @node: in the link's table of names, if @text is not empty
 *
 * All bytes before @node are the key of that table, so there must be no padding.
 */
struct xr_name {
	char text[XROCE_NAME_MAX];
	const struct xr_owner *owner;
	const struct xr_pd *pd;
	struct rhash_head node;
};

bool xr_name_ok(const char *text);
int xr_names_init(struct rhashtable *names);
int xr_name_take(struct rhashtable *names, struct xr_name *name,
		 const struct xr_owner *owner, const struct xr_pd *pd);
int xr_name_move(struct rhashtable *names, struct xr_name *from, struct xr_name *to,
		 const struct xr_owner *owner, const struct xr_pd *pd);
void xr_name_put(struct rhashtable *names, struct xr_name *name);

#endif
