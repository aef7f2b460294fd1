// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registering memory regions: range, rights, keys, and the entry in the map "mpt". No packets:
 * write_test and rxe_refuse_test have requests that are refused, lifetime_test the end of access.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live_mr.h"
#include "mem.h"

#define LW	XROCE_ACCESS_LOCAL_WRITE
#define RW	XROCE_ACCESS_REMOTE_WRITE
#define RR	XROCE_ACCESS_REMOTE_READ
#define RA	XROCE_ACCESS_REMOTE_ATOMIC
#define MW	XROCE_ACCESS_MW_BIND

static struct xroce_mr_reg region(__u32 pd, const void *addr, __u64 length)
{
	return (struct xroce_mr_reg){
		.pd = pd,
		.access = LW | RW | RR,
		.addr = (uintptr_t)addr,
		.length = length,
		.iova = (uintptr_t)addr,
	};
}

/* MR_QUERY and the map must report what was registered. */
static void check_region(struct xroce *x, const struct xroce_mr_reg *r)
{
	struct xroce_mr_query q = { .mr = r->mr };
	struct xroce_mpt e;
	int ret = xroce_mr_query(x, &q);

	check(!ret && q.mr == r->mr && q.pd == r->pd &&
	      q.access == r->access && q.lkey == r->lkey && q.rkey == r->rkey,
	      "%d: region %#x, PD %u, access %#x, lkey %#x, rkey %#x", ret,
	      q.mr, q.pd, q.access, q.lkey, q.rkey);
	check(q.iova == r->iova && q.length == r->length && q.addr == r->addr &&
	      q.flags == r->flags && q.pid == (__u32)getpid() &&
	      !strcmp(q.name, r->name),
	      "iova %#llx, length %llu, addr %#llx, flags %#x, pid %u, name %s",
	      q.iova, q.length, q.addr, q.flags, q.pid, q.name);
	check(r->lkey >> 8 == r->mr && r->mr && r->mr < LIVE_MPT_ENTRIES,
	      "handle %#x, lkey %#x", r->mr, r->lkey);
	check(r->rkey == (r->access & XROCE_ACCESS_REMOTE ? r->lkey : 0),
	      "rkey %#x, lkey %#x, access %#x", r->rkey, r->lkey, r->access);
	mem_check_blocks(&q);

	if (live_map_get(LIVE_DEV, "mpt", r->mr, &e))
		check(e.key == r->lkey && e.state == XROCE_MPT_VALID &&
		      e.type == XROCE_MPT_MR && e.access == r->access &&
		      e.pd == r->pd && e.iova == r->iova &&
		      e.length == r->length,
		      "entry: key %#x, state %u, type %u, access %#x, PD %u, iova %#llx, length %llu",
		      e.key, e.state, e.type, e.access, e.pd, e.iova, e.length);
}

static void check_gone(struct xroce *x, __u32 mr)
{
	static const struct xroce_mpt zero;
	struct xroce_mr_query q = { .mr = mr };
	struct xroce_mpt e;

	check_is(xroce_mr_query(x, &q), -ENOENT, "query of deregistered region %#x", mr);
	check_is(xroce_mr_dereg(x, mr), -ENOENT, "dereg of deregistered region %#x", mr);
	if (live_map_get(LIVE_DEV, "mpt", mr, &e))
		check(e.state == XROCE_MPT_FREE && !memcmp(&e, &zero, sizeof(e)),
		      "entry of deregistered region %#x: key %#x, state %u",
		      mr, e.key, e.state);
}

/* Register, check, deregister, check again. */
static void expect_region(struct xroce *x, struct xroce_mr_reg *r)
{
	int ret = xroce_mr_reg(x, r);

	if (!check(!ret, "addr %#llx, length %llu, access %#x: %d", r->addr,
		   r->length, r->access, ret))
		return;
	check_region(x, r);
	check_is(xroce_mr_dereg(x, r->mr), 0, "dereg");
	check_gone(x, r->mr);
}

static void expect_refused(struct xroce *x, struct xroce_mr_reg *r, int want)
{
	struct xroce_link_query q;
	int ret = xroce_mr_reg(x, r);

	check(ret == want, "addr %#llx, length %llu, access %#x: %d, not %d",
	      r->addr, r->length, r->access, ret, want);
	check(!xroce_link_find(LIVE_DEV, &q) && !q.mrs, "%u regions", q.mrs);
	check(!live_pinned(), "%ld pages are left pinned", live_pinned());
	if (!ret)
		xroce_mr_dereg(x, r->mr);
}

/* Any address, any length. */
PD_TEST(region_ranges, "R1 R7", "any first byte and length, and no page more than needed")
{
	static const struct {
		__u32 offset, length, pages;
	} rows[] = {
		{ 0, 1, 1 },		{ 4095, 1, 1 },
		{ 1, 4095, 1 },		{ 1, 4096, 2 },
		{ 4095, 2, 2 },		{ 0, 4096, 1 },
		{ 0, 4097, 2 },		{ 0, 8 * 4096, 8 },
		{ 7, 8 * 4096 - 7, 8 },	{ 4095, 6 * 4096 + 2, 8 },
		{ 3 * 4096, 4096, 1 },	{ 3 * 4096 - 1, 4098, 3 },
	};
	char *mem = mem_scattered(NULL, 8);
	struct xroce_mr_reg r;
	long pinned;
	size_t i;

	if (!mem)
		return;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		r = region(pd, mem + rows[i].offset, rows[i].length);
		check(!xroce_mr_reg(x, &r), "MR_REG");
		check_region(x, &r);
		pinned = live_pinned();
		check(pinned == rows[i].pages, "%u + %u: %ld pages pinned",
		      rows[i].offset, rows[i].length, pinned);
		check(!xroce_mr_dereg(x, r.mr), "dereg");
		check(!live_pinned(), "%ld pages pinned", live_pinned());
		check_gone(x, r.mr);
	}
	munmap(mem, 8 * MEM_PAGE);
}

/* Private memory: physically contiguous runs of random lengths. */
PD_TEST(region_chance_runs, "R1", "blocks are as large as possible")
{
	char *mem = mem_map(1024);
	struct xroce_mr_reg r;
	int i;

	if (!mem)
		return;
	for (i = 0; i < 50; i++) {
		r = region(pd, mem + i * 5003, i * 71237 + 1);
		expect_region(x, &r);
	}
	r = region(pd, mem, 1024 * MEM_PAGE);
	expect_region(x, &r);
	munmap(mem, 1024 * MEM_PAGE);
}

/* Pairs of contiguous pages are one entry each, unless a pair is not aligned to its size. */
PD_TEST(region_pairs, "R1", "a block holds contiguous pages only")
{
	static const struct {
		bool odd[3];
		__u32 shift;
	} rows[] = {
		{ { false, false, false }, 13 },
		{ { false, false, true }, 12 },
		{ { false, true, false }, 12 },
		{ { true, true, true }, 12 },
	};
	struct xroce_mr_query q;
	struct xroce_mr_reg r;
	size_t i;
	char *mem;
	int ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		mem = mem_pairs(rows[i].odd, 3);
		if (!mem)
			break;
		r = region(pd, mem, 6 * MEM_PAGE);
		check(!xroce_mr_reg(x, &r), "MR_REG");
		check_region(x, &r);
		q = (struct xroce_mr_query){ .mr = r.mr };
		ret = xroce_mr_query(x, &q);
		check(!ret && q.page_shift == rows[i].shift,
		      "row %zu: %d, page_shift %u", i, ret, q.page_shift);
		check(!xroce_mr_dereg(x, r.mr), "dereg");
		r = region(pd, mem + 5000, 13000);
		expect_region(x, &r);
		munmap(mem, 6 * MEM_PAGE);
	}
}

PD_TEST(region_bad_ranges, "R1", "empty, wrapping and unmapped ranges are refused")
{
	char *mem = mem_map(2);
	struct xroce_mr_reg r;

	if (!mem)
		return;
	munmap(mem + MEM_PAGE, MEM_PAGE);
	r = region(pd, mem, 0);
	expect_refused(x, &r, -EINVAL);
	r = region(pd, mem, 1 - (uintptr_t)mem);	/* wraps */
	r.iova = 0;
	expect_refused(x, &r, -EINVAL);
	r = region(pd, mem, UINT64_MAX);
	r.iova = 0;
	expect_refused(x, &r, -EINVAL);
	r = region(pd, mem, MEM_PAGE + 1);
	expect_refused(x, &r, -EFAULT);
	r = region(pd, NULL, MEM_PAGE);
	expect_refused(x, &r, -EFAULT);
	r = region(pd, (void *)0xffffffff81000000, MEM_PAGE);
	expect_refused(x, &r, -EFAULT);
	r = region(pd, (void *)0x7ffffffff000, MEM_PAGE);
	expect_refused(x, &r, -EFAULT);
	r = region(pd, (void *)0x7fffffffe000, 2 * MEM_PAGE);
	expect_refused(x, &r, -EFAULT);
	r = region(pd, (void *)0x0000900000000000, MEM_PAGE);
	expect_refused(x, &r, -EFAULT);
	r = region(pd, mem, MEM_PAGE);
	expect_region(x, &r);
	munmap(mem, MEM_PAGE);
}

/* The IOVA can be anything, as long as the range does not wrap. */
PD_TEST(region_iova, "R1", "the IOVA is freely chosen")
{
	char *mem = mem_map(1);
	struct xroce_mr_reg r;

	if (!mem)
		return;
	r = region(pd, mem + 100, 1000);
	r.iova = 0;
	expect_region(x, &r);
	r.iova = 0x123456789abcdef1;
	expect_region(x, &r);
	r.iova = -1000ull;		/* the last byte is 2^64 - 1 */
	expect_region(x, &r);
	r.iova = -999ull;
	expect_refused(x, &r, -EINVAL);
	r.iova = UINT64_MAX;
	expect_refused(x, &r, -EINVAL);
	r.length = 1;
	expect_region(x, &r);
	munmap(mem, MEM_PAGE);
}

/* All 32 sets of the first five rights; remote write and atomic need local write. */
PD_TEST(region_rights, "R1 R2", "every set of rights is registered or refused")
{
	char *mem = mem_map(1);
	struct xroce_mr_reg r;
	__u32 access;

	if (!mem)
		return;
	for (access = 0; access < 32; access++) {
		r = region(pd, mem, MEM_PAGE);
		r.access = access;
		if (!(access & LW) && access & (RW | RA))
			expect_refused(x, &r, -EINVAL);
		else
			expect_region(x, &r);
	}
	for (access = 32; access; access <<= 1) {
		r = region(pd, mem, MEM_PAGE);
		r.access = LW | access;
		/*
		 * FLUSH_PERSISTENT is among the refused: persistent memory cannot be
		 * registered.
		 */
		if (access == XROCE_ACCESS_FLUSH_GLOBAL)
			expect_region(x, &r);
		else if (access == XROCE_ACCESS_ON_DEMAND)
			mr_accepted(x, r);
		else
			expect_refused(x, &r, -EINVAL);
	}
	munmap(mem, MEM_PAGE);
}

/* The index and the key byte are random. */
TEST(region_keys, "R9", "keys are unpredictable")
{
	struct xroce *x = live_open();
	char *mem = mem_map(1);
	unsigned int i, j, low = 0, bytes = 0;
	struct xroce_mr_reg r[64];
	__u32 pd;

	if (!x || !mem)
		return;
	pd = live_pd(x);
	for (i = 0; i < ARRAY_SIZE(r) && !test_failed(); i++) {
		r[i] = region(pd, mem, MEM_PAGE);
		check(!xroce_mr_reg(x, &r[i]), "MR_REG");
		check_region(x, &r[i]);
		for (j = 0; j < i; j++)
			check(r[i].mr != r[j].mr, "index %#x twice", r[i].mr);
		if (i)
			low += r[i].mr == r[i - 1].mr + 1;
		if (i)
			bytes += (r[i].lkey & 0xff) == (r[i - 1].lkey & 0xff);
	}
	/* Expected by chance: 63 of 4096, 63 of 256. */
	check(low < 3, "%u indices follow their predecessor", low);
	check(bytes < 8, "%u key bytes equal their predecessor", bytes);
	xroce_close(x);

	live_check_idle(LIVE_DEV);
	munmap(mem, MEM_PAGE);
}

/* A table of 16 entries holds 15 regions: index 0 is never used. */
TEST(region_table_full, "R9", "a full table is refused with -ENOSPC")
{
	__u32 seen[LIVE_SPARE_ENTRIES] = {};
	unsigned int i, j, same = 0, regs = 0;
	struct xroce_mr_reg r[15], more;
	char *mem = mem_map(1);
	struct xroce *x;
	__u32 pd;
	int ret;

	ret = live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES);
	x = ret ? NULL : xroce_open(LIVE_SPARE);
	if (!check(x && mem, "attach: %d", ret))
		return;
	pd = live_pd(x);
	for (j = 0; j < 4; j++) {
		for (i = 0; i < ARRAY_SIZE(r); i++) {
			r[i] = region(pd, mem, MEM_PAGE);
			ret = xroce_mr_reg(x, &r[i]);
			check(!ret && r[i].mr && r[i].mr < LIVE_SPARE_ENTRIES,
			      "region %u: %d, index %u", i, ret, r[i].mr);
			same += seen[r[i].mr] == r[i].lkey;
			regs += seen[r[i].mr] != 0;
			seen[r[i].mr] = r[i].lkey;
		}
		more = region(pd, mem, MEM_PAGE);
		check_is(xroce_mr_reg(x, &more), -ENOSPC, "one too many");
		check(live_pinned() == ARRAY_SIZE(r), "%ld pages pinned",
		      live_pinned());
		for (i = 0; i < ARRAY_SIZE(r); i++)
			check(!xroce_mr_dereg(x, r[i].mr), "dereg");
	}
	/* Expected by chance: 45 of 256. */
	check(regs == 45 && same < 8, "%u of %u indices have the old key",
	      same, regs);
	xroce_close(x);
	live_check_idle(LIVE_SPARE);
	check(!live_detach(LIVE_SPARE, 0), "detach");
	munmap(mem, MEM_PAGE);
}

PD_TEST(region_names, "R7", "a name must be terminated")
{
	char *mem = mem_map(1);
	struct xroce_mr_reg r;

	if (!mem)
		return;
	r = region(pd, mem, 1);
	strcpy(r.name, "results of 2026");
	expect_region(x, &r);
	memset(r.name, 'n', sizeof(r.name) - 1);
	expect_region(x, &r);
	r.name[sizeof(r.name) - 1] = 'n';	/* no NUL */
	expect_refused(x, &r, -EINVAL);
	munmap(mem, MEM_PAGE);
}

/* The list: all regions of all owners, ordered by handle. */
TEST(region_list, "R7 R10", "the list is complete")
{
	struct xroce *x = live_open(), *y = live_open();
	struct xroce_mr_query q = { .flags = XROCE_F_NEXT };
	char *mem = mem_map(1);
	unsigned int i, found = 0;
	struct xroce_mr_reg r[6];
	__u32 pd, pd2;

	if (!x || !y || !mem)
		return;
	pd = live_pd(x);
	pd2 = live_pd(y);
	for (i = 0; i < ARRAY_SIZE(r); i++) {
		r[i] = region(i & 1 ? pd2 : pd, mem, i + 1);
		check(!xroce_mr_reg(i & 1 ? y : x, &r[i]), "MR_REG");
	}
	while (found < 10 && !xroce_mr_query(x, &q)) {
		found++;
		check(q.length <= ARRAY_SIZE(r) && q.length &&
		      q.mr == r[q.length - 1].mr, "%#x of length %llu", q.mr,
		      q.length);
		q = (struct xroce_mr_query){
			.flags = XROCE_F_NEXT, .mr = q.mr + 1,
		};
	}
	check(found == ARRAY_SIZE(r), "%u regions", found);
	q = (struct xroce_mr_query){
		.flags = XROCE_F_NEXT, .mr = 0xffffffff,
	};
	check(xroce_mr_query(x, &q) == -ENOENT, "after the last");
	q = (struct xroce_mr_query){ .mr = 0 };
	check(xroce_mr_query(x, &q) == -ENOENT, "index 0");
	xroce_close(y);
	live_close(x);
	munmap(mem, MEM_PAGE);
}

TEST_MAIN(live_main_no_packets);
