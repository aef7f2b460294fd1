// SPDX-License-Identifier: GPL-2.0-only
/* Registering memory, successfully or not. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "live_mr.h"
#include "mem.h"

struct xroce_mr_reg mr_region(__u32 pd, const void *addr, __u64 length)
{
	return (struct xroce_mr_reg){
		.pd = pd,
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)addr,
		.length = length,
	};
}

struct xroce_mr_query mr_check_blocks(struct xroce *x, __u32 mr,
				      const void *addr)
{
	struct xroce_mr_query q = { .mr = mr };
	int ret = xroce_mr_query(x, &q);

	if (check(!ret, "query: %d", ret)) {
		q.addr = (uintptr_t)addr;
		mem_check_blocks(&q);
	}
	return q;
}

void mr_refused(struct xroce *x, struct xroce_mr_reg r, int want)
{
	int ret = xroce_mr_reg(x, &r);

	check(ret == want, "addr %#llx, length %llu, access %#x: %d, not %d",
	      r.addr, r.length, r.access, ret, want);
	if (!ret)
		xroce_mr_dereg(x, r.mr);
}

void mr_accepted(struct xroce *x, struct xroce_mr_reg r)
{
	mr_refused(x, r, 0);
}

struct xroce_mr_stat mr_counters(__u32 mr)
{
	int fd = xroce_pin_open(LIVE_DEV, "mr_stat");
	int cpus = libbpf_num_possible_cpus(), cpu;
	struct xroce_mr_stat *percpu = calloc(cpus, sizeof(*percpu));
	struct xroce_mr_stat sum = {};
	size_t i;

	check(fd >= 0 && !bpf_map_lookup_elem(fd, &mr, percpu), "mr_stat: %s",
	      strerror(errno));
	for (cpu = 0; cpu < cpus; cpu++)
		for (i = 0; i < sizeof(sum) / sizeof(__u64); i++)
			((__u64 *)&sum)[i] += ((__u64 *)&percpu[cpu])[i];
	free(percpu);
	close(fd);
	return sum;
}
