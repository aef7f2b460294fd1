// SPDX-License-Identifier: GPL-2.0-only
/* Registering memory, successfully or not. */
#include <stdint.h>

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
