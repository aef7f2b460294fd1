// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "live_mr.h"
#include "mem.h"
#include "rereg.h"

struct rereg rereg;

bool rereg_begin(void)
{
	int i;

	rereg.x = live_open();
	rereg.a = mem_scattered(NULL, REREG_PAGES);
	rereg.b = mem_scattered(NULL, REREG_PAGES + 1);
	if (!rereg.x || !rereg.a || !rereg.b)
		return false;
	for (i = 0; i < 2; i++) {
		rereg.pd[i] = live_pd(rereg.x);
		if (!probe_open(&rereg.qp[i], rereg.x, rereg.pd[i]))
			return false;
	}
	rereg.mr = mr_region(rereg.pd[0], rereg.a + REREG_OFFSET, REREG_LENGTH);
	rereg.mr.access = LW | RW | RR;
	rereg.mr.iova = REREG_IOVA;
	strcpy(rereg.mr.name, "again");
	return check(!xroce_mr_reg(rereg.x, &rereg.mr), "MR_REG");
}

void rereg_end(void)
{
	int i;

	xroce_mr_dereg(rereg.x, rereg.mr.mr);
	check(!live_pinned(), "%ld pages pinned", live_pinned());
	check(!live_vmpin(), "VmPin %ld", live_vmpin());
	for (i = 0; i < 2; i++)
		probe_close(&rereg.qp[i]);
	live_close(rereg.x);
	munmap(rereg.a, REREG_PAGES * MEM_PAGE);
	munmap(rereg.b, (REREG_PAGES + 1) * MEM_PAGE);
}

struct xroce_mr_rereg rereg_change(__u32 mask)
{
	return (struct xroce_mr_rereg){
		.mr = rereg.mr.mr,
		.mask = mask,
		.pd = rereg.pd[1],
		.access = LW | RW,
		.addr = (uintptr_t)rereg.b + 77,
		.length = REREG_PAGES * MEM_PAGE,
		.iova = REREG_IOVA + 0x10000001,
	};
}

void rereg_expect(const struct xroce_mr_reg *r, char *at)
{
	struct probe *in = &rereg.qp[r->pd == rereg.pd[1]];
	struct probe *out = &rereg.qp[r->pd != rereg.pd[1]];
	struct xroce_mr_query q = { .mr = r->mr };
	struct xroce_mpt e = {};
	int ret = xroce_mr_query(rereg.x, &q);

	check(!ret && q.pd == r->pd && q.access == r->access &&
	      q.lkey == r->lkey && q.rkey == r->rkey && q.iova == r->iova &&
	      q.length == r->length && q.addr == r->addr && q.sharers == 1 &&
	      !strcmp(q.name, r->name),
	      "%d: PD %u, access %#x, lkey %#x, rkey %#x, iova %#llx, length %llu, addr %#llx, sharers %u, name %s",
	      ret, q.pd, q.access, q.lkey, q.rkey, q.iova, q.length, q.addr,
	      q.sharers, q.name);
	live_map_get(LIVE_DEV, "mpt", r->mr, &e);
	check(e.key == r->lkey && e.state == XROCE_MPT_VALID &&
	      e.type == XROCE_MPT_MR && e.access == r->access &&
	      e.pd == r->pd && e.iova == r->iova && e.length == r->length,
	      "entry: key %#x, state %u, access %#x, PD %u, iova %#llx, length %llu",
	      e.key, e.state, e.access, e.pd, e.iova, e.length);
	if (!(r->access & RW)) {
		probe_refused(in, r->lkey, r->iova, XROCE_CAUSE_ACC_RIGHT);
		return;
	}
	/* The first bytes, those across a page border, and the last ones. */
	probe_lands(in, r->rkey, r->iova, 700, at);
	probe_lands(in, r->rkey, r->iova + MEM_PAGE - 300, 1000,
		    at + MEM_PAGE - 300);
	probe_lands(in, r->rkey, r->iova + r->length - 501, 501,
		    at + r->length - 501);
	probe_refused(in, r->rkey, r->iova + r->length,
		      XROCE_CAUSE_ACC_BOUNDS);
	probe_refused(out, r->rkey, r->iova, XROCE_CAUSE_ACC_PD);
}

void rereg_pages(const char *mem, __u64 *list, int n)
{
	int i;

	for (i = 0; i < n; i++)
		list[i] = mem_pfn(mem + i * MEM_PAGE) * MEM_PAGE;
}

void rereg_unchanged(const char *what, int ret, int want)
{
	check(ret == want, "%s: %d, not %d", what, ret, want);
	rereg_expect(&rereg.mr, rereg.a + REREG_OFFSET);
	check(live_pinned() == 4 && live_vmpin() == 16,
	      "%s: %ld pages pinned, VmPin %ld", what, live_pinned(),
	      live_vmpin());
	if (test_failed())
		note("after: %s", what);
}
