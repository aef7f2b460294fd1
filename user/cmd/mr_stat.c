// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Counters of regions, from the map "mr_stat". */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "counter.h"
#include "dev.h"
#include "message.h"
#include "mr_stat.h"
#include "print.h"

int mr_stat_find(const char *netdev)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = xroce_pin_open(netdev, "mr_stat");

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.max_entries == 1) {
		close(fd);
		return -EOVERFLOW;
	}
	return fd;
}

int mr_stat_open(const char *netdev)
{
	int fd = mr_stat_find(netdev);

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
