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

/* mr.c */
int xr_do_mr_reg(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_mr_dereg(struct xr_ctx *ctx, struct xr_link *link,
		   union xroce_cmd *arg);
int xr_do_mr_query(struct xr_ctx *ctx, struct xr_link *link,
		   union xroce_cmd *arg);
int xr_do_mr_reg_phys(struct xr_ctx *ctx, struct xr_link *link,
		      union xroce_cmd *arg);
int xr_do_mr_reg_shared(struct xr_ctx *ctx, struct xr_link *link,
			union xroce_cmd *arg);
int xr_do_mr_rereg(struct xr_ctx *ctx, struct xr_link *link,
		   union xroce_cmd *arg);
int xr_do_mr_advise(struct xr_ctx *ctx, struct xr_link *link,
		    union xroce_cmd *arg);

/* mw.c */
int xr_do_mw_add(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_mw_del(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_mw_query(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_mw_bind(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_mw_inval(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);

/* qp.c */
int xr_do_qp_add(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_qp_modify(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_qp_del(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_qp_query(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);
int xr_do_qp_send(struct xr_ctx *ctx, struct xr_link *link, union xroce_cmd *arg);

/* limit.c */
int xr_do_limit_set(struct xr_ctx *ctx, struct xr_link *unused,
		    union xroce_cmd *arg);
int xr_do_limit_query(struct xr_ctx *ctx, struct xr_link *unused,
		      union xroce_cmd *arg);

#endif
