/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the module says of itself to a descriptor: links, objects with their
 * attributes and their entries in the maps, pins, and the pool of tables. A command
 * that has failed leaves no difference.
 */
#ifndef XROCE_INVENTORY_H
#define XROCE_INVENTORY_H

#include "live.h"

#define INVENTORY_ROOM	(64u << 10)

struct inventory {
	size_t bytes;
	unsigned int objects;
	__u8 byte[INVENTORY_ROOM];
};

/* Look. What only counts events is left out. */
void inventory_take(int fd, struct inventory *v);

/* Return: whether they are the same; a failed check if not. */
bool inventory_same(const struct inventory *was, const struct inventory *is,
		    const char *when);

#endif /* XROCE_INVENTORY_H */
