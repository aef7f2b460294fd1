// SPDX-License-Identifier: GPL-2.0-only
/* Drawing the keys of regions and windows. See key.h. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "key.h"

/*
 * Draw the index at position @place among all that can be drawn; those of the reserve
 * come last.
 */
static u32 xr_key_draw(struct xr_keys *keys, u32 place)
{
	u32 *reserve = keys->free + keys->entries - keys->nr_reserve;
	u32 index;

	if (place < keys->nr_free) {
		index = keys->free[place];
		keys->free[place] = keys->free[--keys->nr_free];
	} else {
		index = reserve[place - keys->nr_free];
		reserve[place - keys->nr_free] = reserve[0];
		keys->nr_reserve--;
	}
	return index;
}

/* Make an index available for drawing. */
static void xr_key_free(struct xr_keys *keys, u32 index)
{
	if (test_bit(index, keys->reserved))
		keys->free[keys->entries - ++keys->nr_reserve] = index;
	else
		keys->free[keys->nr_free++] = index;
}

/**
 * xr_keys_init() - make a table of indices, all of them free
 * @keys: filled in
 * @entries: number of indices, including index 0, which is never given out
 *
 * Return: 0 or -ENOMEM. In both cases xr_keys_exit() frees what was allocated.
 */
int xr_keys_init(struct xr_keys *keys, u32 entries)
{
	u32 i, index;

	*keys = (struct xr_keys){
		.entries = entries,
		.nr_free = entries - 1,
		.room = clamp(entries / 16, 1u, XR_KEY_WAIT),
	};
	keys->free = kvmalloc_array(entries, sizeof(*keys->free),
				    GFP_KERNEL_ACCOUNT);
	keys->reserved = kvcalloc(BITS_TO_LONGS(entries),
				  sizeof(*keys->reserved), GFP_KERNEL_ACCOUNT);
	keys->waiting = kvmalloc_array(keys->room, sizeof(*keys->waiting),
				       GFP_KERNEL_ACCOUNT);
	keys->bytes = kvmalloc_array(entries, sizeof(*keys->bytes),
				     GFP_KERNEL_ACCOUNT);
	if (!keys->free || !keys->reserved || !keys->waiting || !keys->bytes)
		return -ENOMEM;
	for (i = 1; i < entries; i++)
		keys->free[i - 1] = i;
	for (i = 0; i < entries / XR_KEY_RESERVE; i++) {
		index = xr_key_draw(keys, get_random_u32_below(keys->nr_free));
		__set_bit(index, keys->reserved);
		xr_key_free(keys, index);
	}
	/* A random history, because with zeros no first key would have the byte 0. */
	get_random_bytes(keys->bytes, entries * sizeof(*keys->bytes));
	return 0;
}

void xr_keys_exit(struct xr_keys *keys)
{
	kvfree(keys->free);
	kvfree(keys->reserved);
	kvfree(keys->waiting);
	kvfree(keys->bytes);
}

/* Make the index that has waited longest available. At least one must wait. */
static void xr_key_waited(struct xr_keys *keys)
{
	u32 index = keys->waiting[keys->oldest];

	keys->oldest = (keys->oldest + 1) % keys->room;
	keys->nr_waiting--;
	xr_key_free(keys, index);
}

/**
 * xr_key_take() - take an index
 * @keys: the table
 * @reserve: the index may be one of the reserve
 *
 * Return: the index; 0: all indices that the caller may have are taken.
 */
u32 xr_key_take(struct xr_keys *keys, bool reserve)
{
	u32 places;

	for (;;) {
		places = keys->nr_free + (reserve ? keys->nr_reserve : 0);
		if (places)
			return xr_key_draw(keys, get_random_u32_below(places));
		if (!keys->nr_waiting)
			return 0;
		xr_key_waited(keys);
	}
}

/**
 * xr_key_byte() - draw the byte of an index's next key
 * @keys: the table
 * @index: an index that the caller has taken
 *
 * The byte is recorded as used. If the user chooses the byte, xr_key_chosen() is called
 * instead.
 *
 * Return: the byte, which is none of the last XR_KEY_BYTES of the index.
 */
u8 xr_key_byte(struct xr_keys *keys, u32 index)
{
	u32 had = keys->bytes[index];
	u8 byte;

	do {
		byte = get_random_u8();
	} while (byte == (u8)had || byte == (u8)(had >> 8) ||
		 byte == (u8)(had >> 16) || byte == (u8)(had >> 24));
	keys->bytes[index] = had << 8 | byte;
	return byte;
}

/**
 * xr_key_chosen() - record the byte of an index's next key, which the user has chosen
 * @keys: the table
 * @index: an index that the caller has taken
 * @byte: the byte
 */
void xr_key_chosen(struct xr_keys *keys, u32 index, u8 byte)
{
	keys->bytes[index] = keys->bytes[index] << 8 | byte;
}

/**
 * xr_key_put() - give an index back
 * @keys: the table
 * @index: the index, whose last key must be invalid by now
 */
void xr_key_put(struct xr_keys *keys, u32 index)
{
	if (keys->nr_waiting == keys->room)
		xr_key_waited(keys);
	keys->waiting[(keys->oldest + keys->nr_waiting++) % keys->room] = index;
}
