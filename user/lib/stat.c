// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Counters by name. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"

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
