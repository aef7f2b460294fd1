/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that the module reports to a descriptor: links, objects with attributes and
 * map entries, pins, and the pool of tables. A failed command leaves it unchanged.
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

/* Take the inventory, without event counters. */
void inventory_take(int fd, struct inventory *v);

/* Return: whether they are equal; if not, a check fails. */
bool inventory_same(const struct inventory *was, const struct inventory *is,
		    const char *when);

#endif /* XROCE_INVENTORY_H */
