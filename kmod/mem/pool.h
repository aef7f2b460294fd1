/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Free runs of 8-byte entries in contiguous extents of memory. It needs nothing
 * of the kernel but its types and bit operations, so that tests compile it,
 * too.
 *
 * Where a run lies is said in the run itself: an entry in use has its two low
 * bits clear, as a physical address of a page has, and those of a free run's
 * first and last entry say that it is free, how long it is, and which are the
 * next and the previous of about its length. So tables have no header, a free
 * run can be as short as one entry, and nothing is kept beside them but where
 * the first free run of each length is.
 *
 *	first entry	kind:2 next:31 previous:31
 *	second, last	XR_PFN_RUN_TAIL:2 length:62
 *
 * All other entries of a free run have the two low bits clear as well, so that
 * an extent can be read in the order of addresses, see xr_pool_next().
 *
 * Who calls sees to it that one does at a time.
 */
#ifndef _XR_POOL_H
#define _XR_POOL_H

#include <linux/types.h>

/* Entries of an extent: 4 MiB, the buddy allocator's largest block. */
#define XR_EXTENT_SHIFT		19
#define XR_EXTENT_ENTRIES	(1u << XR_EXTENT_SHIFT)
#define XR_EXTENT_BYTES		((size_t)XR_EXTENT_ENTRIES * sizeof(u64))
/* An entry's number has 31 bits, and the last number is none's. */
#define XR_EXTENTS_MAX		4095u
#define XR_PFN_RUN_NONE		0x7fffffffu

/* The two low bits of an entry. */
#define XR_PFN_RUN_KIND		3u
enum {
	XR_PFN_RUN_USED,		/* in use, or inside a free run */
	XR_PFN_RUN_HEAD,		/* first of a free run of several */
	XR_PFN_RUN_TAIL,		/* second or last of one */
	XR_PFN_RUN_SINGLE,		/* free, its neighbours are not */
};

/*
 * Classes of length: one for each length below 64, then 32 for each power of
 * two, the last one being that of a whole extent.
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
 * @has: bit of a class: there is a free run of it
 * @first: entry number of the first one, if there is one
 *
 * An entry's number is its extent's, then its place there.
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
