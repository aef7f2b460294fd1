/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of regions: bytes in blocks of one size, found by a translation table. Regions
 * that share it count its users; it does not change as long as it has any.
 *
 * It is pinned (pin.h), physical pages (phys.h), or on demand (odp.h). Who makes one of
 * a kind has it in a structure of his own; here is what all have, and what is different
 * is behind xr_umem_ops. The data path calls none of these: it looks at
 * xr_umem::on_demand and xr_umem::sparse.
 */
#ifndef _XR_UMEM_H
#define _XR_UMEM_H

#include <linux/refcount.h>
#include <linux/types.h>

#include "mtt.h"

struct mm_struct;
struct pid;
struct xr_umem;
struct xroce_mr_query;

/**
 * struct xr_umem_ops - what is different from kind to kind
 * @release: it has no user any more; all of it goes. Sleeps
 * @query: what MR_QUERY says of this kind alone; NULL: nothing
 * @entry: as xr_umem_entry(); NULL: every entry is there
 */
struct xr_umem_ops {
	void (*release)(struct xr_umem *umem);
	void (*query)(const struct xr_umem *umem, struct xroce_mr_query *q);
	u64 (*entry)(const struct xr_umem *umem, u64 i);
};

/**
 * struct xr_umem - memory, the part of it that all kinds have
 * @users: regions, and those who are making or unmaking one
 * @ops: of its kind
 * @pid: process whose it is, or was, with a reference; NULL: nobody's
 * @addr: first byte; 0: physical pages
 * @length: bytes
 * @writable: may be written to
 * @on_demand: entries of @mtt come and go, see odp.h
 * @sparse: and are not there at all: it is all of an address space
 * @page_shift: log2 of the size of a block of @mtt
 * @offset: of the first byte in the first block
 * @mtt: blocks in order
 */
struct xr_umem {
	refcount_t users;
	const struct xr_umem_ops *ops;
	struct pid *pid;
	u64 addr;
	u64 length;
	bool writable;
	bool on_demand;
	bool sparse;
	u8 page_shift;
	u64 offset;
	struct xr_mtt mtt;
};

struct xr_umem *xr_umem_get(struct xr_umem *umem);
void xr_umem_put(struct xr_umem *umem);
void xr_umem_query(const struct xr_umem *umem, struct xroce_mr_query *q);
u64 xr_umem_entry(const struct xr_umem *umem, u64 i);
int xr_umem_account(struct mm_struct *mm, unsigned long nr);

#endif
