/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys of regions and windows (IBTA 10.6.2): an index of 24 bits and a key byte.
 *
 * Neither can be predicted from earlier keys: the index is drawn at random from the free
 * ones, the byte at random from those that the index has not had recently. How long an
 * invalid key stays invalid:
 *
 * - An index that was given back is not drawn until XR_KEY_WAIT more indices have been
 *   given back, or a 16th of the table in a table of less than 65,536 entries. It is drawn
 *   earlier only if no other index is left.
 * - The byte differs from the last XR_KEY_BYTES of the index, unless the user of a window,
 *   or a consumer in the kernel, has chosen it.
 *
 * Without chosen bytes, a key therefore cannot recur before its index has had four other
 * keys. If the index is given back with each key, in a table of 65,536 entries or more
 * that is not full, that takes at least 20,480 more returns of indices. In a full table of
 * which one index is freed and taken again and again, the key cannot recur before four
 * others either, and then recurs with a probability of 1/252.
 *
 * A user who takes many indices learns which ones are never available. If these were
 * exactly the indices of other users, the user would know them. So an eighth of the
 * indices, drawn at random when the table is made, is a reserve for administrators.
 *
 * Taking and giving back take constant time, except that xr_key_take() may have to pass
 * over up to XR_KEY_WAIT waiting indices if none is free. The memory is 8 bytes and a bit
 * per index, plus at most 16 KiB. As with mem/pool.h, only types, bit operations,
 * allocation and random numbers of the kernel are used, so that tests compile the file.
 *
 * xr_key_take() and xr_key_put() are called under the link's lock. xr_key_byte() and
 * xr_key_chosen() touch only the bytes of one index: for a published window, or a region that
 * work requests register, they are called under its lock, otherwise under the link's lock.
 */
#ifndef _XR_KEY_H
#define _XR_KEY_H

#include <linux/types.h>

#define XR_KEY_WAIT	4096u
#define XR_KEY_BYTES	4
#define XR_KEY_RESERVE	8	/* one index in eight is of the reserve */

/**
 * struct xr_keys - free indices, and the last key bytes of all indices
 * @entries: number of indices, including index 0
 * @free: array of @entries: the indices that can be drawn, in no order; those of the
 *	reserve are at its end, the others at its beginning
 * @nr_free: number of indices at the beginning of @free
 * @nr_reserve: number of indices at the end of @free
 * @reserved: bitmap of the indices of the reserve
 * @waiting: ring of indices that were given back recently and cannot be drawn yet
 * @room: size of @waiting in entries
 * @oldest: position in @waiting of the index that has waited longest
 * @nr_waiting: number of indices in @waiting
 * @bytes: the last four key bytes of each index, the latest in the low byte
 */
struct xr_keys {
	u32 entries;
	u32 *free;
	u32 nr_free;
	u32 nr_reserve;
	unsigned long *reserved;
	u32 *waiting;
	u32 room;
	u32 oldest;
	u32 nr_waiting;
	u32 *bytes;
};

int xr_keys_init(struct xr_keys *keys, u32 entries);
void xr_keys_exit(struct xr_keys *keys);
u32 xr_key_take(struct xr_keys *keys, bool reserve);
u8 xr_key_byte(struct xr_keys *keys, u32 index);
void xr_key_chosen(struct xr_keys *keys, u32 index, u8 byte);
void xr_key_put(struct xr_keys *keys, u32 index);

#endif
