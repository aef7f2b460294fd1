// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Counters of regions, summed over the CPUs. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "cmd.h"
#include "libxroce.h"
#include "mr_stat.h"
#include "print.h"
#include "xroce_map.h"

#define COUNTER(name)	{ #name, offsetof(struct xroce_mr_stat, name) }

static const struct {
	const char *name;
	size_t offset;
} counters[] = {
	COUNTER(in_requests),
	COUNTER(in_packets),
	COUNTER(in_bytes),
	COUNTER(out_requests),
	COUNTER(out_packets),
	COUNTER(out_bytes),
	COUNTER(atomics),
	COUNTER(refused),
};

#define COUNTERS	(sizeof(counters) / sizeof(counters[0]))

_Static_assert(COUNTERS * sizeof(__u64) == sizeof(struct xroce_mr_stat),
	       "every counter has a name");

int mr_stat_open(const char *netdev)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = xroce_pin_open(netdev, "mr_stat");

	if (fd < 0) {
		fail("dev %s: mr_stat: %s", netdev, fd == -ENOENT ?
		     "it has no pinned map" : strerror(-fd));
		return -1;
	}
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.max_entries == 1) {
		fail("dev %s: its regions are not counted: the mpt has too many entries for that on as many CPUs",
		     netdev);
		close(fd);
		return -1;
	}
	return fd;
}

int mr_stat_print(const char *netdev, int fd, __u32 mr)
{
	int cpus = libbpf_num_possible_cpus(), cpu;
	struct xroce_mr_stat *stats;
	__u64 sum;
	size_t i;

	stats = calloc(cpus > 0 ? cpus : 1, sizeof(*stats));
	if (cpus < 0 || !stats || bpf_map_lookup_elem(fd, &mr, stats)) {
		free(stats);
		return fail("dev %s: mr_stat: %s", netdev, strerror(errno));
	}
	for (i = 0; i < COUNTERS; i++) {
		sum = 0;
		for (cpu = 0; cpu < cpus; cpu++)
			sum += *(__u64 *)((char *)&stats[cpu] +
					  counters[i].offset);
		print_num(counters[i].name, sum);
	}
	free(stats);
	return EXIT_OK;
}
