/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings: memory that the module shares with a program, a header followed by entries. The
 * program can write to all of it at any time, so the module reads each word once and checks
 * it before use.
 *
 * There are two layouts. Functions of the data path are compiled for each of them: they are
 * always inlined, and their callers pass a constant.
 */
#ifndef _XR_RING_H
#define _XR_RING_H

#include <linux/list.h>
#include <linux/types.h>
#include <rdma/rdma_user_rxe.h>

#include "uapi/xroce.h"

struct vm_area_struct;
struct xr_owner;

/**
 * enum xr_format - layout of a queue's header and entries
 * @XR_FORMAT_OWN: of uapi/xroce.h. An index counts all entries so far, and all entries can
 *	be used
 * @XR_FORMAT_RXE: of rdma/rdma_user_rxe.h, for verbs devices. An index is the position of
 *	an entry, so one entry is always empty
 */
enum xr_format {
	XR_FORMAT_OWN,
	XR_FORMAT_RXE,
};

/**
 * struct xr_ring - memory shared with a program
 * @mem: the header, xr_ring_header() bytes, and the entries; NULL: no ring
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

/* Bytes of a ring's header. */
static inline u32 xr_ring_header(enum xr_format format)
{
	return format == XR_FORMAT_RXE ? offsetof(struct rxe_queue_buf, data) :
					 XROCE_RING_HEADER;
}

static inline void *xr_ring_entries(const struct xr_ring *ring, enum xr_format format)
{
	return ring->mem + xr_ring_header(format);
}

int xr_ring_alloc(struct xr_ring *ring, enum xr_format format, u32 entries, u32 stride);
void xr_ring_publish(struct xr_ring *ring, struct xr_owner *owner);
void xr_ring_replace(struct xr_ring *ring, struct xr_ring *other);
void xr_ring_free(struct xr_ring *ring);
void xr_ring_retire(struct xr_ring *ring);
int xr_ring_mmap(struct xr_owner *owner, struct vm_area_struct *vma);

#endif
