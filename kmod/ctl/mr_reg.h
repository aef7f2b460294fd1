/* SPDX-License-Identifier: GPL-2.0-only */
/* Registering, re-registering, querying and deregistering regions. */
#ifndef _XR_MR_REG_H
#define _XR_MR_REG_H

#include <linux/types.h>

#include "uapi/xroce.h"

struct pid;
struct xr_link;
struct xr_mr;
struct xr_owner;
struct xr_phys;
struct xr_umem;
struct xroce_mr_advise;
struct xroce_mr_query;
struct xroce_mr_reg;
struct xroce_mr_reg_phys;
struct xroce_mr_reg_shared;
struct xroce_mr_rereg;

/* The key by which peers name a region; 0: they have no rights. */
static inline u32 xr_mr_rkey(u32 access, u32 lkey)
{
	return access & XROCE_ACCESS_REMOTE ? lkey : 0;
}

bool xr_access_ok(u32 access);
bool xr_iova_ok(u64 iova, u64 length);
struct xr_mr *xr_mr_new(struct xr_owner *owner, struct xr_umem *umem, u64 iova,
			u32 access, u32 flags, const char *name);
struct pid *xr_mr_process(u32 flags, u32 nr);
struct xr_umem *xr_mr_pin(const struct xr_owner *caller, const struct xr_owner *owner,
			  struct pid *pid, u64 addr, u64 length, u32 access);
int xr_mr_reg(struct xr_link *link, struct xr_owner *caller,
	      struct xr_owner *owner, struct xroce_mr_reg *r);
int xr_mr_reg_phys(struct xr_link *link, struct xr_owner *caller,
		   struct xr_owner *owner, const struct xr_phys *phys,
		   struct xroce_mr_reg_phys *r);
int xr_mr_reg_kernel(struct xr_link *link, struct xr_owner *owner, u32 pd, u32 *lkey);
int xr_mr_reg_null(struct xr_link *link, struct xr_owner *owner, u32 pd, u32 *lkey);
struct xr_mr *xr_mr_alloc(struct xr_link *link, struct xr_owner *owner, u32 pd, u32 pages,
			  u32 *key);
int xr_mr_reg_shared(struct xr_link *link, struct xr_owner *caller,
		     struct xr_owner *owner, struct xroce_mr_reg_shared *r);

/* mr_rereg.c */
int xr_mr_rereg(struct xr_link *link, struct xr_owner *caller,
		const struct xr_phys *phys, struct xroce_mr_rereg *r);

/* mr_dereg.c */
void xr_mr_unlink(struct xr_link *link, struct xr_mr *mr);
void xr_mr_free(struct xr_mr *mr);
int xr_mr_dereg(struct xr_link *link, struct xr_owner *caller, u32 index);

/* mr_query.c */
int xr_mr_query(struct xr_link *link, struct xr_owner *caller, struct xroce_mr_query *q);

/* mr_entries.c */
int xr_mr_entries(struct xr_link *link, struct xr_owner *caller, u32 index,
		  u64 first, u32 *count, u64 *entry);

/* mr_advise.c */
int xr_mr_advise(struct xr_link *link, struct xr_owner *caller,
		 struct xroce_mr_advise *a);

#endif
