// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free runs in the extents of the MTT pool; mtt.c gets the extents. See pool.h.
 *
 * Allocation takes the end of a free run from the first list whose runs are all long
 * enough; freeing looks at the entries before and behind the run. The cost of neither
 * depends on the number of runs: to free a table and allocate another takes 350
 * instructions with 10 tables as with 100,000 (selftests/bench/pool.sh). A tree of free
 * runs would be 16 levels deep, each of them a cache line.
 *
 * The shortest list that is long enough gives best fit to within 1/32. Extents needed for
 * the same tables, each replaced six times (selftests/unit/fit_test, 100 rounds):
 *
 *				this	best fit	first fit
 *	powers of two		6.00	6.00		6.72
 *	any length		15.09	14.93		15.54
 */
#include <linux/bitops.h>
#include <linux/errno.h>

#include "pool.h"

#define XR_LINK_BITS	31
/* Runs of the request's own class that are examined before giving up. */
#define XR_POOL_LOOKS	256

static u32 xr_pool_run_kind(u64 entry)
{
	return entry & XR_POOL_RUN_KIND;
}

static u32 xr_pool_run_next(u64 head)
{
	return head >> 2 & XR_POOL_RUN_NONE;
}

static u32 xr_pool_run_prev(u64 head)
{
	return head >> (2 + XR_LINK_BITS);
}

static u64 xr_pool_run_head(u32 kind, u32 next, u32 prev)
{
	return kind | (u64)next << 2 | (u64)prev << (2 + XR_LINK_BITS);
}

/* The length of a free run, from its first entry. */
static u32 xr_pool_run_length(const u64 *head)
{
	return xr_pool_run_kind(*head) == XR_POOL_RUN_SINGLE ? 1 : head[1] >> 2;
}

static void xr_pool_run_set_length(u64 *head, u32 count)
{
	head[1] = (u64)count << 2 | XR_POOL_RUN_TAIL;
	head[count - 1] = head[1];
}

static u32 xr_pool_class(u32 count)
{
	u32 power;

	if (count < XR_POOL_EXACT)
		return count;
	power = fls(count) - 1;
	return XR_POOL_EXACT + 32 * (power - 6) + (count >> (power - 5) & 31);
}

/* The first class whose runs all have at least @count entries. */
static u32 xr_pool_class_above(u32 count)
{
	if (count >= XR_POOL_EXACT)
		count += (1u << (fls(count) - 6)) - 1;
	return xr_pool_class(count);
}

static void xr_pool_link(struct xr_pool *pool, u32 at, u32 count)
{
	u32 class = xr_pool_class(count), word = class / 64;
	u64 *head = xr_pool_at(pool, at), *next;
	u32 second = XR_POOL_RUN_NONE;

	if (pool->has[word] >> class % 64 & 1) {
		second = pool->first[class];
		next = xr_pool_at(pool, second);
		*next = xr_pool_run_head(xr_pool_run_kind(*next), xr_pool_run_next(*next), at);
	}
	pool->first[class] = at;
	pool->has[word] |= 1ull << class % 64;
	pool->some |= 1ull << word;
	pool->runs++;
	*head = xr_pool_run_head(count == 1 ? XR_POOL_RUN_SINGLE : XR_POOL_RUN_HEAD, second,
				 XR_POOL_RUN_NONE);
	if (count > 1)
		xr_pool_run_set_length(head, count);
}

static void xr_pool_unlink(struct xr_pool *pool, u32 at, u32 count)
{
	u32 class = xr_pool_class(count), word = class / 64;
	u64 head = *xr_pool_at(pool, at);
	u32 next = xr_pool_run_next(head), prev = xr_pool_run_prev(head);
	u64 *link;

	if (next != XR_POOL_RUN_NONE) {
		link = xr_pool_at(pool, next);
		*link = xr_pool_run_head(xr_pool_run_kind(*link), xr_pool_run_next(*link),
					 prev);
	}
	if (prev != XR_POOL_RUN_NONE) {
		link = xr_pool_at(pool, prev);
		*link = xr_pool_run_head(xr_pool_run_kind(*link), next,
					 xr_pool_run_prev(*link));
	} else if (next != XR_POOL_RUN_NONE) {
		pool->first[class] = next;
	} else {
		pool->has[word] &= ~(1ull << class % 64);
		if (!pool->has[word])
			pool->some &= ~(1ull << word);
	}
	pool->runs--;
}

/**
 * xr_pool_add() - add an extent, all of it free
 * @pool: the pool
 * @id: unused extent number below @pool->room
 * @memory: XR_EXTENT_ENTRIES zeros
 */
void xr_pool_add(struct xr_pool *pool, u32 id, u64 *memory)
{
	pool->extent[id] = memory;
	pool->extents++;
	xr_pool_link(pool, id << XR_EXTENT_SHIFT, XR_EXTENT_ENTRIES);
}

/**
 * xr_pool_remove() - remove an extent
 * @pool: the pool
 * @id: its number; all of it is free
 *
 * Return: its memory.
 */
u64 *xr_pool_remove(struct xr_pool *pool, u32 id)
{
	u64 *memory = pool->extent[id];

	xr_pool_unlink(pool, id << XR_EXTENT_SHIFT, XR_EXTENT_ENTRIES);
	pool->extent[id] = NULL;
	pool->extents--;
	return memory;
}

/* Return: a free run of at least @count entries, or XR_POOL_RUN_NONE. */
static u32 xr_pool_find(const struct xr_pool *pool, u32 count)
{
	u32 class = xr_pool_class_above(count), word = class / 64, look, at;
	u64 bits = pool->has[word] & ~0ull << class % 64;

	if (!bits) {
		/*
		 * The words above this one. The shift is defined, as there are fewer than
		 * 64 words.
		 */
		bits = pool->some & ~0ull << (word + 1);
		if (bits) {
			word = __ffs64(bits);
			bits = pool->has[word];
		}
	}
	if (bits)
		return pool->first[word * 64 + __ffs64(bits)];

	/* Runs of the request's own class may be long enough or too short. */
	class = xr_pool_class(count);
	if (!(pool->has[class / 64] >> class % 64 & 1))
		return XR_POOL_RUN_NONE;
	at = pool->first[class];
	for (look = 0; look < XR_POOL_LOOKS && at != XR_POOL_RUN_NONE; look++) {
		if (xr_pool_run_length(xr_pool_at(pool, at)) >= count)
			return at;
		at = xr_pool_run_next(*xr_pool_at(pool, at));
	}
	return XR_POOL_RUN_NONE;
}

/**
 * xr_pool_alloc() - take a run
 * @pool: the pool
 * @count: entries; 1 to XR_EXTENT_ENTRIES
 *
 * The two low bits of each entry are clear on return, and the user of the run must leave
 * them clear. The other bits are undefined.
 *
 * Return: number of the first entry, or XR_POOL_RUN_NONE: no free run is long enough
 * (or, above 64 entries, none that is up to 1/32 longer was among the first 256
 * looked at).
 */
u32 xr_pool_alloc(struct xr_pool *pool, u32 count)
{
	u32 at = xr_pool_find(pool, count), have, left;
	u64 *head, *run;

	if (at == XR_POOL_RUN_NONE)
		return at;
	head = xr_pool_at(pool, at);
	have = xr_pool_run_length(head);
	left = have - count;
	/* The first entries stay free, often in the same list. */
	run = head + left;
	if (left > 1 && xr_pool_class(left) == xr_pool_class(have)) {
		xr_pool_run_set_length(head, left);
	} else {
		xr_pool_unlink(pool, at, have);
		if (have > 1)
			head[1] = 0;
		if (left)
			xr_pool_link(pool, at, left);
		else
			*run = 0;
	}
	run[count - 1] = 0;
	pool->taken++;
	pool->used += count;
	return at + left;
}

/**
 * xr_pool_free() - give a run back
 * @pool: the pool
 * @at: number of its first entry
 * @count: entries, as allocated
 *
 * Return: whether all of the extent is free now.
 */
bool xr_pool_free(struct xr_pool *pool, u32 at, u32 count)
{
	u32 place = at & (XR_EXTENT_ENTRIES - 1), more;
	u64 *run = xr_pool_at(pool, at);

	pool->taken--;
	pool->used -= count;
	if (place + count < XR_EXTENT_ENTRIES &&
	    xr_pool_run_kind(run[count]) != XR_POOL_RUN_USED) {
		more = xr_pool_run_length(run + count);
		xr_pool_unlink(pool, at + count, more);
		run[count] = 0;
		if (more > 1)
			run[count + 1] = 0;
		count += more;
	}
	if (place && xr_pool_run_kind(run[-1]) != XR_POOL_RUN_USED) {
		more = xr_pool_run_kind(run[-1]) == XR_POOL_RUN_SINGLE ? 1 : run[-1] >> 2;
		run -= more;
		at -= more;
		if (more > 1)
			run[more - 1] = 0;
		count += more;
		if (more > 1 && xr_pool_class(more) == xr_pool_class(count)) {
			xr_pool_run_set_length(run, count);
			return count == XR_EXTENT_ENTRIES;
		}
		xr_pool_unlink(pool, at, more);
	}
	xr_pool_link(pool, at, count);
	return count == XR_EXTENT_ENTRIES;
}

/**
 * xr_pool_next() - the next free run in the order of addresses
 * @pool: the pool
 * @at: in: number of the entry to begin at; out: the run's first entry, or @end
 * @end: number behind the last entry that may be a run's first, in the same
 *	extent
 *
 * Reads all the entries in between. The pool may have changed since the previous call:
 * an entry that is inside a free run now is taken for one in use.
 *
 * Return: length of the run; 0: there is none.
 */
u32 xr_pool_next(const struct xr_pool *pool, u32 *at, u32 end)
{
	const u64 *entry = xr_pool_at(pool, *at);
	u32 kind;

	for (; *at < end; ++*at, entry++) {
		kind = xr_pool_run_kind(*entry);
		if (kind == XR_POOL_RUN_HEAD || kind == XR_POOL_RUN_SINGLE)
			return xr_pool_run_length(entry);
	}
	return 0;
}
