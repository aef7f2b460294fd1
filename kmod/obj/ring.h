/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that the module shares with a program: a header, then entries. The
 * program can write all of it at any time, so that whoever reads it here reads
 * each word once and believes nothing.
 */
#ifndef _XR_RING_H
#define _XR_RING_H

#include <linux/list.h>
#include <linux/types.h>

#include "uapi/xroce.h"

struct vm_area_struct;
struct xr_owner;

/**
 * struct xr_ring - shared memory
 * @mem: the header
 * @bytes: length, whole pages
 * @offset: by which mmap(2) names it; unique among the owner's
 * @node: in the owner's list, under the link's lock
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
