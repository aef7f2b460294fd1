/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinned memory: a range of a process's memory, or a list of physical pages,
 * held in place, and found again by its translation table alone. Regions that
 * share it count its users; it does not change as long as it has any.
 */
#ifndef _XR_PIN_H
#define _XR_PIN_H

#include <linux/refcount.h>
#include <linux/types.h>

#include "limit.h"
#include "mtt.h"
#include "run.h"

struct mm_struct;
struct xr_odp;
struct pid;
struct xr_owner;

/**
 * struct xr_pin - pinned memory, or what stands for it
 * @users: regions, and those who are making or unmaking one
 * @mm: address space whose count of pinned pages it is in; a reference to the
 *	structure, not to the memory. NULL: physical pages
 * @pid: process it was, with a reference; NULL: physical pages
 * @addr: first byte; 0: physical pages
 * @length: bytes
 * @writable: may be written to
 * @huge: each PMD_SIZE of it, naturally aligned, lies in a huge page and is
 *	pinned once; else each page is pinned
 * @runs: what is pinned, where that is less to keep than the table; always with
 *	@huge; else empty
 * @page_shift: log2 of the size of a block of @mtt
 * @offset: of the first byte in the first block
 * @sparse: on demand, and all of an address space: @mtt is empty, see odp.h
 * @mtt: blocks in order
 * @odp: it is not pinned at all, but on demand, see odp.h; else NULL
 * @charge: what it counts for, if it is pinned
 */
struct xr_pin {
	refcount_t users;
	struct mm_struct *mm;
	struct pid *pid;
	u64 addr;
	u64 length;
	bool writable;
	bool huge;
	struct xr_runs runs;
	u8 page_shift;
	bool sparse;
	u64 offset;
	struct xr_mtt mtt;
	struct xr_odp *odp;
	struct xr_charge charge;
};

struct xr_pin *xr_pin(const struct xr_owner *owner, struct pid *pid, u64 addr,
		      u64 length, bool writable);
struct xr_pin *xr_pin_get(struct xr_pin *pin);
void xr_pin_put(struct xr_pin *pin);
int xr_pin_account(struct mm_struct *mm, unsigned long nr);

#endif
