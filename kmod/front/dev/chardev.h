/* SPDX-License-Identifier: GPL-2.0-only */
/* The front end: an open file of /dev/xroce, and the handlers of its commands. */
#ifndef _XR_DEV_CHARDEV_H
#define _XR_DEV_CHARDEV_H

#include <linux/mutex.h>

#include "xroce_cmd.h"

#include "obj/link.h"

/**
 * struct xr_ctx - an open file
 * @lock: serialises setting @link
 * @link: the link that the file uses; NULL until LINK_USE, never changed afterwards
 * @own: the owner of the file's objects
 */
struct xr_ctx {
	struct mutex lock;
	struct xr_link *link;
	struct xr_owner own;
};

struct xr_owner *xr_new_owner(struct xr_ctx *ctx, struct xr_link *link,
			      u32 flags);

/* Handle a command; @link is NULL if it does not work on the file's link. Return: 0 or an errno. */
typedef int xr_handler(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);

/* link.c */
xr_handler xr_do_link_add, xr_do_link_maps, xr_do_link_del, xr_do_link_query, xr_do_link_use;
xr_handler xr_do_link_prog;

/* mr.c */
xr_handler xr_do_mr_reg, xr_do_mr_dereg, xr_do_mr_query, xr_do_mr_reg_phys, xr_do_mr_reg_shared;
xr_handler xr_do_mr_rereg, xr_do_mr_advise;

/* mw.c */
xr_handler xr_do_mw_add, xr_do_mw_del, xr_do_mw_query, xr_do_mw_bind, xr_do_mw_inval;

/* qp.c */
xr_handler xr_do_qp_add, xr_do_qp_modify, xr_do_qp_del, xr_do_qp_query, xr_do_qp_send;

/* cc.c */
xr_handler xr_do_link_cc, xr_do_qp_cc, xr_do_cc_query;

/* moderation.c */
xr_handler xr_do_link_moderate, xr_do_cq_moderate;

/* limit.c */
xr_handler xr_do_limit_set, xr_do_limit_query;

#endif
