/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of regions: bytes in blocks of one size, with a translation table. Regions that
 * share memory are counted as its users. It does not change while it has any, but for pages that
 * a consumer in the kernel names (obj/fast.h).
 *
 * There are five kinds: pinned (pin.h), physical pages (phys.h), on demand (odp.h), the kernel's
 * (kernel.h), and null memory (odp/null.c). The first three have structures that contain this one.
 * Functions that differ between kinds are in xr_umem_ops. The data path calls none of them: it
 * checks xr_umem::on_demand and xr_umem::sparse.
 */
#ifndef _XR_UMEM_H
#define _XR_UMEM_H

#include <linux/refcount.h>
#include <linux/types.h>

#include "mtt.h"

struct mm_struct;
struct pid;
struct xr_owner;
struct xr_umem;
struct xroce_mr_query;

/**
 * struct xr_umem_ops - functions of a kind of memory
 * @release: frees memory that has no user any more. Sleeps
 * @query: fills in the members of MR_QUERY that only this kind has; NULL: none
 * @entry: as xr_umem_entry(); NULL: entries are as the table has them
 */
struct xr_umem_ops {
	void (*release)(struct xr_umem *umem);
	void (*query)(const struct xr_umem *umem, struct xroce_mr_query *q);
	u64 (*entry)(const struct xr_umem *umem, u64 i);
};

/**
 * struct xr_umem - memory, the part that all kinds have
 * @users: regions, and tasks that are making or removing one
 * @ops: of its kind
 * @pid: process that it belongs or belonged to, with a reference; NULL: physical pages
 * @addr: first byte; 0: physical pages
 * @length: bytes
 * @writable: may be written to
 * @on_demand: entries of @mtt come and go, see odp.h
 * @sparse: a whole address space on demand; its entries are in children, @mtt has none
 * @null: null memory, which has @on_demand and @sparse, too, but nothing to be faulted in
 * @page_shift: log2 of the size of a block of @mtt in bytes
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
	bool null;
	u8 page_shift;
	u64 offset;
	struct xr_mtt mtt;
};

struct xr_umem *xr_umem_get(struct xr_umem *umem);
void xr_umem_put(struct xr_umem *umem);
void xr_umem_query(const struct xr_umem *umem, struct xroce_mr_query *q);
u64 xr_umem_entry(const struct xr_umem *umem, u64 i);

#endif
