/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys of regions and windows (IBTA 10.6.2): an index of 24 bits and a byte.
 *
 * Neither can be told from keys seen before: the index is drawn at random from
 * those that are free, the byte from those that the index has not had lately.
 * How long a key that is no longer valid stays so:
 *
 * - An index that is given back waits until XR_KEY_WAIT more have been, or, in a
 *   table of less than 65,536 entries, a 16th as many as it has; sooner only
 *   when there is no other.
 * - The byte is none of the last XR_KEY_BYTES that the index had, unless the user
 *   of a window chose it.
 *
 * So a key does not come again before its index has had four others: in a table
 * of 65,536 entries or more that is not full, not before 20,480 more have been
 * given back. A full table with a single place that changes hands still has
 * four others in between, and then one chance in 252.
 *
 * A user can tell which indices he never gets, however many he takes, or how often.
 * So that these are not just those that others have, an eighth of them, drawn at
 * random when the table is made, is a reserve, which is for administrators alone.
 *
 * Taking and giving back cost the same for any number of keys. The memory is 8
 * bytes and a bit an index, and 16 KiB. Like the pool of tables it needs nothing of
 * a kernel that a test cannot have. Who calls sees to it that one does at a time.
 */
#ifndef _XR_KEY_H
#define _XR_KEY_H

#include <linux/types.h>

#define XR_KEY_WAIT	4096u
#define XR_KEY_BYTES	4
#define XR_KEY_RESERVE	8	/* one index of so many */

/**
 * struct xr_keys - indices that are free, and the bytes they had
 * @entries: indices are below it
 * @free: indices that can be drawn, in no order: at its end those of the reserve, the
 *	others at its beginning
 * @nr_free: how many at the beginning
 * @nr_reserve: how many at the end
 * @reserved: which indices are of the reserve
 * @waiting: indices given back lately, a ring
 * @room: length of @waiting
 * @oldest: place of the oldest one in @waiting
 * @nr_waiting: how many
 * @bytes: of each index the last four bytes, the latest one lowest
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
