// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Counters by name; causes of refusals and drops, which have the names of their counters. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"

/* Fields that are not shown come behind those of causes. */
#define INDEX(field)	(offsetof(struct xroce_stat, field) / sizeof(__u64))
_Static_assert(INDEX(op_memory) - INDEX(inv_opcode) ==
	       XROCE_CAUSE_OP_MEMORY - XROCE_CAUSE_INV_OPCODE &&
	       INDEX(drop_tx) - INDEX(drop_length) == XROCE_DROP_TX - XROCE_DROP_LENGTH,
	       "each cause has a counter");

const char *xroce_cause_str(__u32 cause)
{
	if (cause == XROCE_CAUSE_NONE)
		return "none";
	if (cause <= XROCE_CAUSE_OP_MEMORY)
		return xroce_link_counters[INDEX(inv_opcode) + cause - 1].name;
	if (cause >= XROCE_DROP_LENGTH && cause <= XROCE_DROP_TX)
		return xroce_link_counters[INDEX(drop_length) + cause - XROCE_DROP_LENGTH].name;
	return "unknown";
}

/* Find a counter by its name, in a table of @n. Return: NULL: there is none. */
static const struct counter *find(const struct counter *table, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

int xroce_link_counter(const char *netdev, const char *name, __u64 *value)
{
	const struct counter *c = find(xroce_link_counters, LINK_COUNTERS, name);
	struct xroce_stat sums;
	int err = c ? xroce_stat_read(netdev, &sums) : -EINVAL;

	if (!err)
		*value = counter_value(c, &sums);
	return err;
}

int xroce_mr_counter(const char *netdev, __u32 mr, const char *name, __u64 *value)
{
	const struct counter *c = find(xroce_mr_counters, MR_COUNTERS, name);
	int fd = c ? xroce_mr_stat_open(netdev) : -EINVAL;
	struct xroce_mr_stat sums;
	int err;

	if (fd < 0)
		return fd;
	err = xroce_map_read(fd, mr, &sums, sizeof(sums));
	close(fd);
	if (!err)
		*value = counter_value(c, &sums);
	return err;
}
