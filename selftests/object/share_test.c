// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regions that share memory and translation table with another region.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live_mr.h"
#include "mem.h"
#include "probe.h"

#define LW	XROCE_ACCESS_LOCAL_WRITE
#define RW	XROCE_ACCESS_REMOTE_WRITE
#define RR	XROCE_ACCESS_REMOTE_READ

#define PAGES	5
#define LENGTH	(4 * MEM_PAGE + 99)
#define IOVA	0x5000000ull

/* A region, and a queue pair in its domain and in another one. */
static struct {
	struct xroce *x;
	__u32 pd[2];
	struct probe qp[2];
	char *mem;
	struct xroce_mr_reg r;
} t;

static bool begin(__u32 access)
{
	int i;

	t.x = live_open();
	t.mem = mem_scattered(NULL, PAGES);
	if (!t.x || !t.mem)
		return false;
	for (i = 0; i < 2; i++) {
		t.pd[i] = live_pd(t.x);
		if (!probe_open(&t.qp[i], t.x, t.pd[i]))
			return false;
	}
	t.r = mr_region(t.pd[0], t.mem + 8, LENGTH);
	t.r.access = access;
	t.r.iova = IOVA;
	return check(!xroce_mr_reg(t.x, &t.r), "MR_REG");
}

static void end(void)
{
	int i;

	check(!live_pinned(), "%ld pages pinned", live_pinned());
	check(!live_vmpin(), "VmPin %ld", live_vmpin());
	for (i = 0; i < 2; i++)
		probe_close(&t.qp[i]);
	live_close(t.x);
	munmap(t.mem, PAGES * MEM_PAGE);
}

static struct xroce_mr_reg_shared sharing(__u32 from)
{
	return (struct xroce_mr_reg_shared){
		.from = from,
		.pd = t.pd[1],
		.access = LW | RW,
		.iova = IOVA + 0x777777,
	};
}

static void sharers(__u32 mr, __u32 want)
{
	struct xroce_mr_query q = { .mr = mr };
	int ret = xroce_mr_query(t.x, &q);

	check(!ret && q.sharers == want, "%d: %u sharers, not %u", ret,
	      q.sharers, want);
}

/* Address, domain and rights are its own; memory and length are shared. */
TEST(share_region, "R6 R8 P2", "two regions share one table")
{
	struct xroce_mr_reg_shared s, more;
	struct xroce_mr_query q = {}, from;

	if (!begin(LW | RW | RR))
		return;
	s = sharing(t.r.mr);
	strcpy(s.name, "shared");
	check(!xroce_mr_reg_shared(t.x, &s), "MR_REG_SHARED");
	from = q = (struct xroce_mr_query){ .mr = t.r.mr };
	q.mr = s.mr;
	check(!xroce_mr_query(t.x, &q) && !xroce_mr_query(t.x, &from) &&
	      s.length == LENGTH && q.length == LENGTH && q.iova == s.iova &&
	      q.pd == t.pd[1] && q.access == (LW | RW) && q.rkey == s.rkey &&
	      q.rkey != from.rkey && q.mr != from.mr && q.addr == from.addr &&
	      q.pages == from.pages && q.page_shift == from.page_shift &&
	      q.offset == from.offset && q.pid == (__u32)getpid() &&
	      !strcmp(q.name, "shared"),
	      "length %llu, iova %#llx, PD %u, access %#x, rkey %#x, name %s",
	      q.length, q.iova, q.pd, q.access, q.rkey, q.name);
	sharers(t.r.mr, 2);
	sharers(s.mr, 2);
	/* The memory is pinned and counted once. */
	check(live_pinned() == PAGES && live_vmpin() == 4 * PAGES,
	      "%ld pages pinned, VmPin %ld", live_pinned(), live_vmpin());

	probe_lands(&t.qp[0], t.r.rkey, IOVA + 4000, 1000, t.mem + 8 + 4000);
	probe_lands(&t.qp[1], s.rkey, s.iova + 4000, 1000, t.mem + 8 + 4000);
	probe_lands(&t.qp[1], s.rkey, s.iova + LENGTH - 1, 1,
		    t.mem + 8 + LENGTH - 1);
	probe_refused(&t.qp[1], s.rkey, s.iova + LENGTH,
		      XROCE_CAUSE_ACC_BOUNDS);
	probe_refused(&t.qp[1], s.rkey, IOVA, XROCE_CAUSE_ACC_BOUNDS);
	probe_refused(&t.qp[0], s.rkey, s.iova, XROCE_CAUSE_ACC_PD);
	probe_refused(&t.qp[1], t.r.rkey, IOVA, XROCE_CAUSE_ACC_PD);

	/* A read-only region that shares with the sharing region. */
	more = sharing(s.mr);
	more.access = RR;
	check(!xroce_mr_reg_shared(t.x, &more), "MR_REG_SHARED of a sharer");
	sharers(more.mr, 3);
	probe_refused(&t.qp[1], more.rkey, more.iova, XROCE_CAUSE_ACC_RIGHT);
	check(!xroce_mr_dereg(t.x, more.mr), "dereg");
	sharers(t.r.mr, 2);

	/* It works on after the first region is deregistered. */
	check(!xroce_mr_dereg(t.x, t.r.mr), "dereg");
	sharers(s.mr, 1);
	check(live_pinned() == PAGES && live_vmpin() == 4 * PAGES,
	      "%ld pages pinned, VmPin %ld", live_pinned(), live_vmpin());
	probe_refused(&t.qp[0], t.r.rkey, IOVA, XROCE_CAUSE_ACC_KEY);
	probe_lands(&t.qp[1], s.rkey, s.iova, 500, t.mem + 8);
	check(!xroce_mr_dereg(t.x, s.mr), "dereg");
	end();
}

/* When one region changes to other memory, the other keeps the old memory. */
TEST(share_one_changes, "R6 R5", "one region changes its memory, the other does not")
{
	char *other = mem_scattered(NULL, 3);
	struct xroce_mr_reg_shared s;
	struct xroce_mr_rereg c;

	if (!other || !begin(LW | RW))
		return;
	s = sharing(t.r.mr);
	check(!xroce_mr_reg_shared(t.x, &s), "MR_REG_SHARED");
	c = (struct xroce_mr_rereg){
		.mr = t.r.mr,
		.mask = XROCE_REREG_TRANSLATION,
		.addr = (uintptr_t)other,
		.length = 3 * MEM_PAGE,
		.iova = IOVA,
	};
	check(!xroce_mr_rereg(t.x, &c), "MR_REREG");
	sharers(t.r.mr, 1);
	sharers(s.mr, 1);
	check(live_pinned() == PAGES + 3, "%ld pages pinned", live_pinned());
	probe_lands(&t.qp[0], c.rkey, IOVA, 900, other);
	probe_lands(&t.qp[1], s.rkey, s.iova, 900, t.mem + 8);

	/* Each region has its own rights and domain. */
	c.mask = XROCE_REREG_PD;
	c.mr = s.mr;
	c.pd = t.pd[0];
	check(!xroce_mr_rereg(t.x, &c), "MR_REREG");
	probe_lands(&t.qp[0], c.rkey, s.iova, 900, t.mem + 8);
	check(!xroce_mr_dereg(t.x, s.mr) && !xroce_mr_dereg(t.x, t.r.mr),
	      "dereg");
	munmap(other, 3 * MEM_PAGE);
	end();
}

static void refuse(struct xroce *x, struct xroce_mr_reg_shared s, int want,
		   const char *what)
{
	int ret = xroce_mr_reg_shared(x, &s);

	check(ret == want, "%s: %d, not %d", what, ret, want);
	sharers(t.r.mr, 1);
}

TEST(share_refused, "R6 R2 R10", "invalid rights, owners and ranges are refused")
{
	struct xroce *y = live_open();
	struct xroce_mr_reg_shared good, s;

	if (!y || !begin(RR))
		return;
	good = sharing(t.r.mr);
	refuse(t.x, good, -EACCES, "local write, pinned for reading");
	good.access = RR;
#define BAD(change, want)	\
	(s = good, (change), refuse(t.x, s, want, #change))
	BAD(s.access = RW, -EINVAL);
	BAD(s.access = 1u << 25, -EINVAL);
	BAD(s.from ^= 1, -ENOENT);
	BAD(s.from = 0xffffffff, -ENOENT);
	BAD(s.pd = 0x123456, -ENOENT);
	BAD(s.iova = -(LENGTH - 1), -EINVAL);
	BAD(s.flags = XROCE_F_PID, -EINVAL);
	BAD(memset(s.name, 'n', sizeof(s.name)), -EINVAL);
	/* A persistent region needs a persistent domain. */
	BAD(s.flags = XROCE_F_PERSISTENT, -EPERM);
#undef BAD
	good.pd = live_pd(y);
	refuse(y, good, -EPERM, "of another file");
	live_drop_cap(CAP_NET_ADMIN);
	refuse(y, good, -ENOENT, "and out of sight");
	good.pd = t.pd[0];
	good.flags = XROCE_F_PERSISTENT;
	refuse(t.x, good, -EPERM, "persistent without CAP_NET_ADMIN");
	live_restore_caps();
	good.flags = 0;
	check(!xroce_mr_reg_shared(t.x, &good), "and without");
	check(!xroce_mr_dereg(t.x, good.mr) && !xroce_mr_dereg(t.x, t.r.mr),
	      "dereg");
	xroce_close(y);
	end();
}

/* A persistent region outlives the first region and its file; others can share it. */
TEST(share_outlives, "R6 R7", "a sharing region outlives the first region's file")
{
	struct xroce_mr_reg_shared s, own;
	struct xroce *x = live_open(), *y;
	char *mem = mem_map(3);
	struct xroce_mr_reg r;
	__u32 pd;

	if (!x || !mem)
		return;
	r = mr_region(live_pd(x), mem, 3 * MEM_PAGE);
	check(!xroce_mr_reg(x, &r), "MR_REG");
	s = (struct xroce_mr_reg_shared){
		.flags = XROCE_F_PERSISTENT, .from = r.mr, .access = LW,
	};
	check(!xroce_pd_add(x, XROCE_F_PERSISTENT, &pd), "PD_ADD");
	s.pd = pd;
	check(!xroce_mr_reg_shared(x, &s), "MR_REG_SHARED");
	xroce_close(x);
	check(live_pinned() == 3 && live_vmpin() == 12, "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());

	y = live_open();
	own = (struct xroce_mr_reg_shared){
		.from = s.mr, .pd = live_pd(y), .access = LW,
	};
	live_drop_cap(CAP_NET_ADMIN);
	check(xroce_mr_reg_shared(y, &own) == -ENOENT, "without CAP_NET_ADMIN");
	live_restore_caps();
	check(!xroce_mr_reg_shared(y, &own), "of a persistent one");
	check(!xroce_mr_dereg(y, s.mr), "dereg");
	check(live_pinned() == 3, "%ld pinned", live_pinned());
	check(!xroce_pd_del(y, pd), "PD_DEL");
	xroce_close(y);
	check(!live_vmpin(), "VmPin %ld", live_vmpin());
	live_check_idle(LIVE_DEV);
	munmap(mem, 3 * MEM_PAGE);
}

TEST_MAIN(live_main);
