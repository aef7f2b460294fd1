// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of regions: which ones are allowed, and a table for each link that keeps
 * them unique. Another user's names are never compared: they must not be
 * discoverable by trying.
 */
#include <linux/rhashtable.h>

#include "xroce_text.h"

#include "own/owner.h"

#include "name.h"

static const struct rhashtable_params xr_name_params = {
	.key_len = offsetof(struct xr_name, node),
	.head_offset = offsetof(struct xr_name, node),
	.automatic_shrinking = true,
};

static_assert(offsetof(struct xr_name, node) ==
	      XROCE_NAME_MAX + 2 * sizeof(void *));

/* Text from user space, of XROCE_NAME_MAX bytes. */
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
 * xr_name_take() - make the name of a new region its own
 * @names: the link's; its lock is held
 * @name: the name
 * @owner: whose region it is
 * @pd: its protection domain
 *
 * Return: 0, -EEXIST or -ENOMEM.
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
 * xr_name_move() - let another region take the place of one
 * @names: the link's; its lock is held
 * @from: in the table
 * @to: has the same text, and perhaps another protection domain
 * @owner: as of xr_name_take(), for @to
 * @pd: likewise
 *
 * Return: 0, or -EEXIST or -ENOMEM, and nothing has changed.
 */
int xr_name_move(struct rhashtable *names, struct xr_name *from, struct xr_name *to,
		 const struct xr_owner *owner, const struct xr_pd *pd)
{
	int ret;

	if (!*to->text)
		return 0;
	xr_name_scope(to, owner, pd);
	if (from->pd == to->pd)
		return rhashtable_replace_fast(names, &from->node, &to->node,
					       xr_name_params);
	ret = xr_name_take(names, to, owner, pd);
	if (!ret)
		xr_name_put(names, from);
	return ret;
}

/* The region goes. The link's lock is held. */
void xr_name_put(struct rhashtable *names, struct xr_name *name)
{
	if (*name->text)
		rhashtable_remove_fast(names, &name->node, xr_name_params);
}
