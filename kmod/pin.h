/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinning: a range of a process's memory, held in place, and found again by its
 * translation table alone.
 */
#ifndef _XR_PIN_H
#define _XR_PIN_H

#include <linux/types.h>

#include "mtt.h"

struct mm_struct;
struct pid;

/**
 * struct xr_pin - pinned memory
 * @mm: address space whose count of pinned pages it is in; a reference to the
 *	structure, not to the memory
 * @pid: process it was, with a reference
 * @addr: first byte
 * @length: bytes
 * @writable: pinned for writing
 * @page_shift: log2 of the size of a block of @mtt
 * @offset: of the first byte in the first block
 * @mtt: blocks in order
 */
struct xr_pin {
	struct mm_struct *mm;
	struct pid *pid;
	u64 addr;
	u64 length;
	bool writable;
	u8 page_shift;
	u64 offset;
	struct xr_mtt mtt;
};

int xr_pin(struct xr_pin *pin, struct pid *pid, u64 addr, u64 length,
	   bool writable);
void xr_unpin(struct xr_pin *pin);

#endif
