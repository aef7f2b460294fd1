/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings: memory that the module shares with a program, a header followed by entries. The
 * program can write to all of it at any time, so the module reads each word once and checks
 * it before use.
 */
#ifndef _XR_RING_H
#define _XR_RING_H

#include <linux/list.h>
#include <linux/types.h>

#include "uapi/xroce.h"

struct vm_area_struct;
struct xr_owner;

/**
 * struct xr_ring - memory shared with a program
 * @mem: the header, XROCE_RING_HEADER bytes, and the entries; NULL: no ring
 * @bytes: length of @mem in bytes, whole pages
 * @offset: offset for mmap(2), unique among the owner's rings
 * @node: in the owner's list of rings, under the link's lock
 */
struct xr_ring {
	void *mem;
	u64 bytes;
	u64 offset;
	struct list_head node;
};

static inline void *xr_ring_entries(const struct xr_ring *ring)
{
	return ring->mem + XROCE_RING_HEADER;
}

int xr_ring_alloc(struct xr_ring *ring, u64 bytes);
void xr_ring_publish(struct xr_ring *ring, struct xr_owner *owner);
void xr_ring_free(struct xr_ring *ring);
void xr_ring_retire(struct xr_ring *ring);
int xr_ring_mmap(struct xr_owner *owner, struct vm_area_struct *vma);

#endif
