// SPDX-License-Identifier: GPL-2.0-only
/*
 * Re-registering: what changes and what stays.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "rereg.h"
#include "traffic.h"

/* All seven masks, and back again. */
TEST(rereg_combinations, "R5 R9 P2", "memory, domain and rights in any combination")
{
	struct xroce_mr_rereg c;
	struct xroce_mr_reg was, now;
	__u32 mask;

	if (!rereg_begin())
		return;
	for (mask = 1; mask < 8; mask++) {
		was = now = rereg.mr;
		c = rereg_change(mask);
		if (mask & PD)
			now.pd = c.pd;
		if (mask & ACCESS)
			now.access = c.access = mask & TRANSLATION ? LW | RW :
								     LW | RR;
		if (mask & TRANSLATION) {
			now.addr = c.addr;
			now.length = c.length;
			now.iova = c.iova;
		}
		if (!check_is(xroce_mr_rereg(rereg.x, &c), 0, "mask %u", mask))
			break;
		check(c.lkey == c.rkey && c.lkey >> 8 == was.mr &&
		      c.lkey != was.lkey, "mask %u: keys %#x, %#x, were %#x",
		      mask, c.lkey, c.rkey, was.lkey);
		now.lkey = now.rkey = c.lkey;
		rereg_expect(&now, mask & TRANSLATION ? rereg.b + 77 :
							 rereg.a + REREG_OFFSET);
		check(live_pinned() == (mask & TRANSLATION ? 5 : 4),
		      "mask %u: %ld pages pinned", mask, live_pinned());
		/* The old key gives access in neither domain. */
		probe_refused(&rereg.qp[0], was.rkey, was.iova,
			      XROCE_CAUSE_ACC_KEY);
		probe_refused(&rereg.qp[1], was.rkey, now.iova,
			      XROCE_CAUSE_ACC_KEY);

		c = rereg_change(mask);
		c.pd = was.pd;
		c.access = was.access;
		c.addr = was.addr;
		c.length = was.length;
		c.iova = was.iova;
		check_is(xroce_mr_rereg(rereg.x, &c), 0, "mask %u, back", mask);
		rereg.mr.lkey = rereg.mr.rkey = c.lkey;
		rereg_expect(&rereg.mr, rereg.a + REREG_OFFSET);
		check(live_pinned() == 4, "mask %u: %ld pages pinned", mask,
		      live_pinned());
	}
	rereg_end();
}

/* The new domain has a member, the old one has none. */
TEST(rereg_domain, "P1 R5", "the region is a member of the new domain only")
{
	struct xroce_pd_query q[2];
	struct xroce_mr_rereg c;
	__u32 own, other;

	if (!rereg_begin())
		return;
	own = live_pd(rereg.x);
	other = live_pd(rereg.x);
	c = rereg_change(PD);
	c.pd = own;
	check(!xroce_mr_rereg(rereg.x, &c), "to a domain of its own");
	check(xroce_pd_del(rereg.x, own) == -EBUSY, "PD_DEL with the region");
	c.pd = other;
	check(!xroce_mr_rereg(rereg.x, &c), "to another");
	q[0] = (struct xroce_pd_query){ .pd = own };
	q[1] = (struct xroce_pd_query){ .pd = other };
	check(!xroce_pd_query(rereg.x, &q[0]) &&
	      !xroce_pd_query(rereg.x, &q[1]) &&
	      q[0].mrs == 0 && q[1].mrs == 1, "%u and %u members", q[0].mrs,
	      q[1].mrs);
	check(!xroce_pd_del(rereg.x, own), "PD_DEL without");
	c.pd = own;
	check(xroce_mr_rereg(rereg.x, &c) == -ENOENT, "to a deleted domain");
	check(xroce_pd_del(rereg.x, other) == -EBUSY, "PD_DEL with the region");
	rereg_end();
}

/* A region has an R_Key only with a remote right; gaining one creates the key. */
TEST(rereg_remote_key, "R5 R1", "an R_Key exists only with a remote right")
{
	struct xroce_mr_rereg c;

	if (!rereg_begin())
		return;
	c = rereg_change(ACCESS);
	c.access = LW;
	check(!xroce_mr_rereg(rereg.x, &c) && c.lkey && !c.rkey,
	      "lkey %#x, rkey %#x", c.lkey, c.rkey);
	probe_refused(&rereg.qp[0], c.lkey, REREG_IOVA, XROCE_CAUSE_ACC_RIGHT);
	c = rereg_change(ACCESS);
	check(!xroce_mr_rereg(rereg.x, &c) && c.rkey == c.lkey, "rkey %#x",
	      c.rkey);
	probe_lands(&rereg.qp[0], c.rkey, REREG_IOVA, 100,
		    rereg.a + REREG_OFFSET);
	rereg_end();
}

/* A virtual region becomes physical, then physical over other pages, then virtual again. */
TEST(rereg_kinds, "R5 R4", "virtual, physical, and virtual again")
{
	struct xroce_mr_query q = {};
	struct xroce_mr_rereg c;
	__u64 list[REREG_PAGES];
	int i;

	if (!rereg_begin())
		return;
	for (i = 0; i < 2; i++) {
		char *mem = i ? rereg.a : rereg.b;

		rereg_pages(mem, list, REREG_PAGES);
		c = rereg_change(TRANSLATION);
		c.flags = XROCE_F_PHYS;
		c.addr = 0;
		c.pages = (uintptr_t)list;
		c.npages = REREG_PAGES;
		c.page_shift = MEM_PAGE_SHIFT;
		c.offset = 5;
		c.length = REREG_PAGES * MEM_PAGE - 9;
		check(!xroce_mr_rereg(rereg.x, &c), "to physical");
		q.mr = rereg.mr.mr;
		q.flags = 0;
		check(!xroce_mr_query(rereg.x, &q) && q.flags == XROCE_F_PHYS &&
		      !q.addr && !q.pid && q.pages == REREG_PAGES &&
		      q.offset == 5 && q.length == c.length && q.rkey == c.rkey,
		      "flags %#x, addr %#llx, pid %u, pages %llu, offset %llu",
		      q.flags, q.addr, q.pid, q.pages, q.offset);
		check(!live_pinned() && !live_vmpin(), "%ld pinned, VmPin %ld",
		      live_pinned(), live_vmpin());
		probe_lands(&rereg.qp[0], c.rkey, c.iova, 900, mem + 5);
		probe_lands(&rereg.qp[0], c.rkey, c.iova + MEM_PAGE - 100, 900,
			    mem + 5 + MEM_PAGE - 100);
		probe_refused(&rereg.qp[0], c.rkey, c.iova + c.length,
			      XROCE_CAUSE_ACC_BOUNDS);
	}
	c = rereg_change(TRANSLATION | PD | ACCESS);
	check(!xroce_mr_rereg(rereg.x, &c), "to virtual");
	q.flags = 0;
	check(!xroce_mr_query(rereg.x, &q) && !q.flags &&
	      q.pid == (__u32)getpid(), "flags %#x, pid %u", q.flags, q.pid);
	check(live_pinned() == 5, "%ld pages pinned", live_pinned());
	probe_lands(&rereg.qp[1], c.rkey, c.iova, 900, rereg.b + 77);
	rereg_end();
}

/* Memory that was pinned for reading is pinned for writing, if the mapping allows it. */
TEST(rereg_gains_write, "R5 R2", "memory that was pinned for reading gains write access")
{
	struct xroce_mr_rereg c;

	if (!rereg_begin())
		return;
	check(!xroce_mr_dereg(rereg.x, rereg.mr.mr), "dereg");
	rereg.mr.access = RR;
	check(!xroce_mr_reg(rereg.x, &rereg.mr), "MR_REG");
	mprotect(rereg.a, REREG_PAGES * MEM_PAGE, PROT_READ);
	c = rereg_change(ACCESS);
	rereg_unchanged("memory that is read-only", xroce_mr_rereg(rereg.x, &c),
			-EFAULT);
	mprotect(rereg.a, REREG_PAGES * MEM_PAGE, PROT_READ | PROT_WRITE);
	c = rereg_change(ACCESS);
	check(!xroce_mr_rereg(rereg.x, &c), "local and remote write");
	rereg.mr.access = c.access;
	rereg.mr.lkey = rereg.mr.rkey = c.lkey;
	rereg_expect(&rereg.mr, rereg.a + REREG_OFFSET);
	check(live_pinned() == 4 && live_vmpin() == 16, "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	rereg_end();
}

/* A new key byte differs from the last four, and is unpredictable. */
TEST(rereg_keys, "R5 R9", "each change makes a new key byte")
{
	__u32 last[5] = { ~0u, ~0u, ~0u, ~0u };
	struct xroce_mr_rereg c;
	int i, j, steps = 0;

	if (!rereg_begin())
		return;
	last[4] = rereg.mr.lkey;
	for (i = 0; i < 500 && !test_failed(); i++) {
		c = rereg_change(ACCESS);
		check(!xroce_mr_rereg(rereg.x, &c) &&
		      c.lkey >> 8 == rereg.mr.mr,
		      "change %d: key %#x", i, c.lkey);
		for (j = 1; j < 5; j++)
			check(c.lkey != last[j], "change %d: key %#x again", i,
			      c.lkey);
		steps += ((c.lkey - last[4]) & 0xff) == 1;
		memmove(last, last + 1, 4 * sizeof(last[0]));
		last[4] = c.lkey;
	}
	/* Expected by chance: about two. */
	check(steps < 15, "%d key bytes follow their predecessor", steps);
	rereg_end();
}

static bool more_written(void *arg)
{
	return live_stat().write > *(__u64 *)arg;
}

/*
 * Packets with the old key arrive all the time. After the change they write neither to the
 * old memory nor to the new.
 */
TEST(rereg_traffic, "R5 R7", "under traffic, old or new memory and never a mixture")
{
	struct traffic *traffic = traffic_new();
	struct xroce_mr_rereg c;
	char *now, *next;
	__u64 before;
	pid_t sender;
	__u32 qpn;
	int round;

	if (!traffic || !rereg_begin())
		return;
	memset(rereg.a, 0, REREG_PAGES * MEM_PAGE);
	memset(rereg.b, 0, REREG_PAGES * MEM_PAGE);
	sender = traffic_start(traffic, "c0", LIVE_DEV);
	for (round = 0; round < 60 && !test_failed(); round++) {
		now = round & 1 ? rereg.b : rereg.a;
		next = round & 1 ? rereg.a : rereg.b;
		qpn = qp_in(rereg.x, rereg.pd[0], XROCE_QPS_RTS);
		before = live_stat().write + 1 + round % 7;
		traffic->target[0].rkey = rereg.mr.rkey;
		traffic->target[0].iova = REREG_IOVA + MEM_PAGE - 500;
		__atomic_store_n(&traffic->target[0].qpn, qpn,
				 __ATOMIC_RELEASE);
		check(live_wait(more_written, &before), "no traffic");
		c = rereg_change(TRANSLATION);
		c.addr = (uintptr_t)next;
		c.length = REREG_PAGES * MEM_PAGE;
		c.iova = REREG_IOVA;
		check(!xroce_mr_rereg(rereg.x, &c), "change");
		memset(now, 0, REREG_PAGES * MEM_PAGE);
		traffic_goes_on(traffic, 15);
		check(mem_zero(now, REREG_PAGES * MEM_PAGE),
		      "in the old memory");
		check(mem_zero(next, REREG_PAGES * MEM_PAGE),
		      "in the new memory");
		traffic->target[0].qpn = 0;
		traffic_goes_on(traffic, 0);
		check(!xroce_qp_del(rereg.x, qpn), "QP_DEL");
		rereg.mr.rkey = c.rkey;
		probe_lands(&rereg.qp[0], c.rkey, REREG_IOVA, 100, next);
		memset(next, 0, REREG_PAGES * MEM_PAGE);
	}
	traffic_stop(sender);
	munmap(traffic, sizeof(*traffic));
	rereg_end();
}

TEST_MAIN(live_main);
