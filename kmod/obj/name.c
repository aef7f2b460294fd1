// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of regions: a check whether a name is allowed, and a table for each link that keeps
 * names unique. A name is never compared with names of other owners, so that nobody can
 * find them out by trying.
 */
#include <linux/rhashtable.h>

#include "xroce_name.h"

#include "own/owner.h"

#include "name.h"

static const struct rhashtable_params xr_name_params = {
	.key_len = offsetof(struct xr_name, node),
	.head_offset = offsetof(struct xr_name, node),
	.automatic_shrinking = true,
};

static_assert(offsetof(struct xr_name, node) ==
	      XROCE_NAME_MAX + 2 * sizeof(void *));

/* True if @text, XROCE_NAME_MAX bytes from user space, is a valid name, or empty. */
bool xr_name_ok(const char *text)
{
	return strnlen(text, XROCE_NAME_MAX) < XROCE_NAME_MAX &&
	       xroce_name_check(text) == XROCE_NAME_OK;
}

int xr_names_init(struct rhashtable *names)
{
	return rhashtable_init(names, &xr_name_params);
}

static void xr_name_scope(struct xr_name *name, const struct xr_owner *owner,
			  const struct xr_pd *pd)
{
	name->owner = owner;
	name->pd = xr_owner_persistent(owner) ? NULL : pd;
}

/**
 * xr_name_take() - enter the name of a new region into the table
 * @names: the link's table; the link's lock is held
 * @name: the name; if its text is empty, nothing is done
 * @owner: owner of the region
 * @pd: protection domain of the region
 *
 * Return: 0; -EEXIST: another region has the name; -ENOMEM.
 */
int xr_name_take(struct rhashtable *names, struct xr_name *name,
		 const struct xr_owner *owner, const struct xr_pd *pd)
{
	int ret;

	if (!*name->text)
		return 0;
	xr_name_scope(name, owner, pd);
	ret = rhashtable_lookup_insert_fast(names, &name->node, xr_name_params);
	return ret && ret != -EEXIST ? -ENOMEM : ret;
}

/**
 * xr_name_move() - give the name of a region to the one that replaces it
 * @names: the link's table; the link's lock is held
 * @from: name of the old region, in the table unless its text is empty
 * @to: name of the new region, which gets the same text
 * @owner: owner of the new region
 * @pd: protection domain of the new region, which may differ from the old one's
 *
 * Return: 0; -EEXIST: another region has the name in @pd; -ENOMEM. On failure nothing has
 * changed.
 */
int xr_name_move(struct rhashtable *names, struct xr_name *from, struct xr_name *to,
		 const struct xr_owner *owner, const struct xr_pd *pd)
{
	int ret;

	if (!*from->text)
		return 0;
	memcpy(to->text, from->text, sizeof(to->text));
	xr_name_scope(to, owner, pd);
	if (from->pd == to->pd)
		return rhashtable_replace_fast(names, &from->node, &to->node,
					       xr_name_params);
	ret = xr_name_take(names, to, owner, pd);
	if (!ret)
		xr_name_put(names, from);
	return ret;
}

/* Remove the name of a region from the table. The link's lock is held. */
void xr_name_put(struct rhashtable *names, struct xr_name *name)
{
	if (*name->text)
		rhashtable_remove_fast(names, &name->node, xr_name_params);
}
