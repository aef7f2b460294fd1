// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of regions: which ones are allowed, and a table for each link that keeps
 * them unique. Another user's names are never compared: they must not be
 * discoverable by trying.
 */
#include <linux/rhashtable.h>

#include "xroce_text.h"

#include "link.h"
#include "mr.h"
#include "name.h"

static const struct rhashtable_params xr_name_params = {
	.key_len = sizeof(struct xr_name),
	.key_offset = offsetof(struct xr_mr, name),
	.head_offset = offsetof(struct xr_mr, named),
	.automatic_shrinking = true,
};

static_assert(sizeof(struct xr_name) ==
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

static void xr_name_scope(struct xr_link *link, struct xr_mr *mr)
{
	mr->name.owner = mr->owner;
	mr->name.pd = xr_owner_persistent(mr->owner) ? NULL : mr->pd;
}

/**
 * xr_name_take() - make the name of a new region its own
 * @link: where; its lock is held
 * @mr: the region, which has its owner and protection domain
 *
 * Return: 0, -EEXIST or -ENOMEM.
 */
int xr_name_take(struct xr_link *link, struct xr_mr *mr)
{
	int ret;

	lockdep_assert_held(&link->lock);
	if (!*mr->name.text)
		return 0;
	xr_name_scope(link, mr);
	ret = rhashtable_lookup_insert_fast(&link->names, &mr->named,
					    xr_name_params);
	return ret && ret != -EEXIST ? -ENOMEM : ret;
}

/**
 * xr_name_move() - let another region take the place of one
 * @link: where; its lock is held
 * @from: has the name
 * @to: has the same text, and perhaps another protection domain
 *
 * Return: 0, or -EEXIST or -ENOMEM, and nothing has changed.
 */
int xr_name_move(struct xr_link *link, struct xr_mr *from, struct xr_mr *to)
{
	int ret;

	lockdep_assert_held(&link->lock);
	if (!*to->name.text)
		return 0;
	xr_name_scope(link, to);
	if (from->name.pd == to->name.pd)
		return rhashtable_replace_fast(&link->names, &from->named,
					       &to->named, xr_name_params);
	ret = xr_name_take(link, to);
	if (!ret)
		xr_name_put(link, from);
	return ret;
}

/* The region goes. The link's lock is held. */
void xr_name_put(struct xr_link *link, struct xr_mr *mr)
{
	lockdep_assert_held(&link->lock);
	if (*mr->name.text)
		rhashtable_remove_fast(&link->names, &mr->named,
				       xr_name_params);
}
