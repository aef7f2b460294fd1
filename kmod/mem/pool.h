/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Free runs of 8-byte entries in contiguous extents of memory. This needs nothing from
 * the kernel except its types and bit operations, so that tests can compile it.
 *
 * A run describes itself. An entry in use has its two low bits clear, as the physical
 * address of a page has. In the first and the last entry of a free run these bits say that
 * the run is free; the entries also have its length, and the next and the previous run of
 * about that length. So tables have no header, a free run can be as short as one entry,
 * and the only separate data is the first free run of each length.
 *
 *	first entry	kind:2 next:31 previous:31
 *	second, last	XR_POOL_RUN_TAIL:2 length:62
 *
 * All other entries of a free run have the two low bits clear as well, so that an extent
 * can be read in the order of addresses, see xr_pool_next().
 *
 * Callers serialise: xr_pool_lock in mtt.c.
 */
#ifndef _XR_POOL_H
#define _XR_POOL_H

#include <linux/types.h>

/* Entries of an extent: 4 MiB, the buddy allocator's largest block. */
#define XR_EXTENT_SHIFT		19
#define XR_EXTENT_ENTRIES	(1u << XR_EXTENT_SHIFT)
#define XR_EXTENT_BYTES		((size_t)XR_EXTENT_ENTRIES * sizeof(u64))
/* An entry's number has 31 bits; the highest means "none". */
#define XR_EXTENTS_MAX		4095u
#define XR_POOL_RUN_NONE		0x7fffffffu

/* The two low bits of an entry. */
#define XR_POOL_RUN_KIND		3u
enum {
	XR_POOL_RUN_USED,		/* in use, or inside a free run */
	XR_POOL_RUN_HEAD,		/* first of a free run of several */
	XR_POOL_RUN_TAIL,		/* second or last of a free run */
	XR_POOL_RUN_SINGLE,		/* free run of one entry */
};

/*
 * Classes of length: one for each length below 64, then 32 for each power of two. The last
 * one is that of a whole extent.
 */
#define XR_POOL_EXACT		64u
#define XR_POOL_CLASSES		(XR_POOL_EXACT + 32 * (XR_EXTENT_SHIFT - 6) + 1)
#define XR_POOL_WORDS		((XR_POOL_CLASSES + 63) / 64)

/**
 * struct xr_pool - free runs
 * @extent: memory of each extent; NULL: there is none
 * @room: length of @extent, up to XR_EXTENTS_MAX
 * @extents: how many there are
 * @runs: free runs
 * @taken: runs in use
 * @used: entries in use
 * @some: bit w: @has[w] is not zero
 * @has: bit of a class: there is a free run of that class
 * @first: for each class: number of the first entry of its first run, if there is one
 *
 * An entry's number is its extent's number, then (19 low bits) its index in the extent.
 */
struct xr_pool {
	u64 **extent;
	u32 room;
	u32 extents;
	u64 runs;
	u64 taken;
	u64 used;
	u64 some;
	u64 has[XR_POOL_WORDS];
	u32 first[XR_POOL_CLASSES];
};

static inline u64 *xr_pool_at(const struct xr_pool *pool, u32 at)
{
	return pool->extent[at >> XR_EXTENT_SHIFT] +
	       (at & (XR_EXTENT_ENTRIES - 1));
}

void xr_pool_add(struct xr_pool *pool, u32 id, u64 *memory);
u64 *xr_pool_remove(struct xr_pool *pool, u32 id);
u32 xr_pool_alloc(struct xr_pool *pool, u32 count);
bool xr_pool_free(struct xr_pool *pool, u32 at, u32 count);
u32 xr_pool_next(const struct xr_pool *pool, u32 *at, u32 end);

#endif
