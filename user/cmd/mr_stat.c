// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Counters of regions, from the map "mr_stat". */
#include <errno.h>
#include <string.h>

#include "counter.h"
#include "dev.h"
#include "message.h"
#include "mr_stat.h"
#include "print.h"

int mr_stat_open(const char *netdev)
{
	int fd = xroce_mr_stat_open(netdev);

	if (fd >= 0)
		return fd;
	if (fd == -EOVERFLOW)
		fail("dev %s: its regions are not counted: mpt entries times CPUs exceed the limit for counters; make the link with a smaller mpt",
		     netdev);
	else
		fail("dev %s: mr_stat: %s", netdev, dev_pin_reason(fd));
	return -1;
}

int mr_stat_print(const char *netdev, int fd, __u32 mr)
{
	struct xroce_mr_stat sums;
	int err = xroce_map_read(fd, mr, &sums, sizeof(sums));
	size_t i;

	if (err)
		return fail("dev %s: mr_stat: %s", netdev, strerror(-err));
	for (i = 0; i < MR_COUNTERS; i++)
		print_num(xroce_mr_counters[i].name,
			  counter_value(&xroce_mr_counters[i], &sums));
	return EXIT_OK;
}
