/* SPDX-License-Identifier: GPL-2.0-only */
/* The front end: an open file of /dev/xroce, and the handlers of its commands. */
#ifndef _XR_CHARDEV_H
#define _XR_CHARDEV_H

#include <linux/mutex.h>

#include "uapi/xroce.h"

#include "obj/link.h"

struct mm_struct;

/**
 * struct xr_ctx - an open file
 * @lock: serialises setting @link
 * @link: the link that the file uses; NULL until LINK_USE, never changed afterwards
 * @mm: address space of the process that opened the file; a reference to the structure only
 * @own: the owner of the file's objects
 */
struct xr_ctx {
	struct mutex lock;
	struct xr_link *link;
	struct mm_struct *mm;
	struct xr_owner own;
};

/* The structure of any command. Each begins with its size and flags. */
union xr_arg {
	u32 size;
	struct {
		u32 size;
		u32 flags;
	} head;
	struct xroce_link_add link_add;
	struct xroce_link_maps link_maps;
	struct xroce_link_del link_del;
	struct xroce_link_query link_query;
	struct xroce_link_use link_use;
	struct xroce_link_prog link_prog;
	struct xroce_pd_add pd_add;
	struct xroce_pd_del pd_del;
	struct xroce_pd_query pd_query;
	struct xroce_mr_reg mr_reg;
	struct xroce_mr_dereg mr_dereg;
	struct xroce_mr_query mr_query;
	struct xroce_mr_reg_phys mr_reg_phys;
	struct xroce_mr_reg_shared mr_reg_shared;
	struct xroce_mr_rereg mr_rereg;
	struct xroce_mr_advise mr_advise;
	struct xroce_qp_add qp_add;
	struct xroce_qp_modify qp_modify;
	struct xroce_qp_del qp_del;
	struct xroce_qp_query qp_query;
	struct xroce_cq_add cq_add;
	struct xroce_cq_del cq_del;
	struct xroce_srq_add srq_add;
	struct xroce_srq_modify srq_modify;
	struct xroce_srq_del srq_del;
	struct xroce_srq_query srq_query;
	struct xroce_mw_add mw_add;
	struct xroce_mw_del mw_del;
	struct xroce_mw_query mw_query;
	struct xroce_mw_bind mw_bind;
	struct xroce_mw_inval mw_inval;
	struct xroce_sq_add sq_add;
	struct xroce_sq_del sq_del;
	struct xroce_sq_apply sq_apply;
	struct xroce_mtt_query mtt_query;
	struct xroce_mtt_read mtt_read;
	struct xroce_limit_set limit_set;
	struct xroce_limit_query limit_query;
};

struct xr_owner *xr_new_owner(struct xr_ctx *ctx, struct xr_link *link,
			      u32 flags);

/* chardev_mr.c */
int xr_do_mr_reg(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_mr_dereg(struct xr_ctx *ctx, struct xr_link *link,
		   union xr_arg *arg);
int xr_do_mr_query(struct xr_ctx *ctx, struct xr_link *link,
		   union xr_arg *arg);
int xr_do_mr_reg_phys(struct xr_ctx *ctx, struct xr_link *link,
		      union xr_arg *arg);
int xr_do_mr_reg_shared(struct xr_ctx *ctx, struct xr_link *link,
			union xr_arg *arg);
int xr_do_mr_rereg(struct xr_ctx *ctx, struct xr_link *link,
		   union xr_arg *arg);
int xr_do_mr_advise(struct xr_ctx *ctx, struct xr_link *link,
		    union xr_arg *arg);

/* chardev_mw.c */
int xr_do_mw_add(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_mw_del(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_mw_query(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_mw_bind(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_mw_inval(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_sq_add(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_sq_del(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);
int xr_do_sq_apply(struct xr_ctx *ctx, struct xr_link *link, union xr_arg *arg);

/* chardev_limit.c */
int xr_do_limit_set(struct xr_ctx *ctx, struct xr_link *unused,
		    union xr_arg *arg);
int xr_do_limit_query(struct xr_ctx *ctx, struct xr_link *unused,
		      union xr_arg *arg);

#endif
