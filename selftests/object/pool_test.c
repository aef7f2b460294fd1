// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's pool of translation tables: what is reserved, what a region allocates, what
 * MTT_QUERY reports, and how the pool ends. Each test loads the module with its own
 * parameters.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "fuzz.h"
#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "packet.h"
#include "traffic.h"

#define PEER		"c0"
#define EXTENT		524288ull	/* entries */
#define MANY		100000u

static bool up(const char *parameters, __u32 mpt_entries)
{
	int ret = live_module_load_with(parameters);

	return check(!ret, "load with '%s': %d", parameters, ret) &&
	       check(!live_veth_add(LIVE_DEV, PEER), "veth") &&
	       check(!live_attach(LIVE_DEV, mpt_entries, LIVE_QP_ENTRIES),
		     "attach");
}

static void down(void)
{
	check_is(live_detach(LIVE_DEV, 0), 0, "detach");
	live_veth_del(LIVE_DEV);
	check_is(live_module_unload(), 0, "unload");
}

static struct xroce_mtt_query pool(void)
{
	struct xroce_mtt_query q = {};

	check_is(xroce_mtt_query(&q), 0, "MTT_QUERY");
	return q;
}

/* As after loading: @extents extents, all free. */
static void check_first_state(__u64 extents)
{
	struct xroce_mtt_query q = pool();
	size_t i;

	check(q.entries == extents * EXTENT && q.reserved == q.entries,
	      "%llu entries, %llu reserved", q.entries, q.reserved);
	check(!q.used && !q.tables, "%llu used by %llu", q.used, q.tables);
	check(q.free_extents == extents && q.largest == EXTENT && !q.scattered,
	      "%llu free extents, largest %llu, scattered %llu",
	      q.free_extents, q.largest, q.scattered);
	for (i = 0; i < XROCE_MTT_MAP; i++)
		check(!q.map[i], "part %zu: %u%%", i, q.map[i]);
}

/* How often an allocation had to reclaim or to compact memory first. */
static __u64 stalls(void)
{
	FILE *f = fopen("/proc/vmstat", "r");
	unsigned long long n, sum = 0;
	char name[64];

	if (!check(f, "vmstat: %s", strerror(errno)))
		return 0;
	while (fscanf(f, "%63s %llu", name, &n) == 2)
		if (!strncmp(name, "allocstall", 10) || !strcmp(name, "compact_stall"))
			sum += n;
	fclose(f);
	return sum;
}

TEST(pool_reserve, "T1 T4", "memory is reserved at load, as the parameters say")
{
	static const struct {
		const char *parameters;
		__u64 extents, limit;
	} rows[] = {
		{ "", 1, 256 },
		{ "mtt_reserve=1", 1, 256 },
		{ "mtt_reserve=9 mtt_limit=12", 3, 3 },
	};
	static const char *const wrong[] = {
		"mtt_reserve=0", "mtt_reserve=8 mtt_limit=7", "mtt_limit=3",
		"mtt_limit=16384", "mtt_reserve=4294967295", "mtt_reserve=x",
	};
	__u64 before, after;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ret = live_module_load_with(rows[i].parameters);
		if (!check(!ret, "'%s': %d", rows[i].parameters, ret))
			continue;
		check_first_state(rows[i].extents);
		check(pool().limit == rows[i].limit * EXTENT, "limit %llu",
		      pool().limit);
		check(!live_module_unload(), "unload");
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		check_is(live_module_load_with(wrong[i]), -EINVAL, "'%s'", wrong[i]);
	}
	if (sysconf(_SC_PHYS_PAGES) >> 8 > 16000)
		return;
	/* More memory than the machine has: no memory is taken from others for the attempt. */
	before = stalls();
	check_is(live_module_load_with("mtt_reserve=16380 mtt_limit=16380"), -ENOMEM, "16380 MiB");
	after = stalls();
	check(after == before, "%llu allocations had to free memory", after - before);
}

/* Every entry has the physical address of its page. */
static void check_entries(struct xroce *x, __u32 mr, __u64 first, __u64 count,
			  const char *mem)
{
	__u64 entry[XROCE_MTT_READ_MAX], i;
	int n, k;

	for (i = first; i < first + count; i += n) {
		n = xroce_mtt_read(x, mr, i, entry, XROCE_MTT_READ_MAX);
		if (!check(n > 0, "entry %llu: %d", i, n))
			return;
		for (k = 0; k < n && i + k < first + count; k++)
			if (!check(entry[k] == mem_pfn(mem + (i + k) * MEM_PAGE) *
				   MEM_PAGE, "entry %llu: %#llx", i + k,
				   entry[k]))
				return;
	}
}

TEST(pool_table, "T2 T4", "8 bytes for a page, with the right address")
{
	const size_t pages = 700;
	__u64 entry[XROCE_MTT_READ_MAX + 1];
	struct xroce_mr_reg r;
	struct xroce_mtt_query q;
	struct xroce *x, *y;
	__u32 pd;
	char *mem;

	if (!up("", LIVE_MPT_ENTRIES))
		return;
	x = live_open();
	y = live_open();
	mem = mem_scattered(NULL, pages);
	if (!x || !y || !mem)
		return;
	pd = live_pd(x);
	r = mr_region(pd, mem, pages * MEM_PAGE);
	check_is(xroce_mr_reg(x, &r), 0, "register");
	q = pool();
	/* 8 bytes for a page, and no other overhead. */
	check(q.used == pages && q.tables == 1, "%llu entries for %zu pages",
	      q.used, pages);
	check(q.free_extents == 1 && q.largest == EXTENT - pages &&
	      !q.scattered, "%llu free extents, largest %llu",
	      q.free_extents, q.largest);
	check_entries(x, r.mr, 0, pages, mem);

	check_is(xroce_mtt_read(x, r.mr, pages - 1, entry, XROCE_MTT_READ_MAX), 1, "the last one");
	check_is(xroce_mtt_read(x, r.mr, pages, entry, 1), -ERANGE, "behind the end");
	check_is(xroce_mtt_read(x, r.mr, ~0ull, entry, 1), -ERANGE, "far behind the end");
	check_is(xroce_mtt_read(x, r.mr, 0, entry, 0), -EINVAL, "none");
	check_is(xroce_mtt_read(x, r.mr, 0, entry, XROCE_MTT_READ_MAX + 1), -EINVAL, "too many");
	check_is(xroce_mtt_read(x, r.mr ^ 1, 0, entry, 1), -ENOENT, "no such region");
	check_is(xroce_mtt_read(x, r.mr, 0, (__u64 *)8, 1), -EFAULT, "bad address");

	/* Physical addresses are secret, and so are other owners' regions. */
	live_drop_cap(CAP_SYS_ADMIN);
	check_is(xroce_mtt_read(x, r.mr, 0, entry, 1), -EPERM, "without CAP_SYS_ADMIN");
	live_restore_caps();
	live_drop_cap(CAP_NET_ADMIN);
	check_is(xroce_mtt_read(y, r.mr, 0, entry, 1), -ENOENT, "another's");
	check_is(xroce_mtt_read(x, r.mr, 0, entry, 1), 1, "its own");
	check_is(xroce_mtt_query(&q), -EPERM, "MTT_QUERY without CAP_NET_ADMIN");
	live_restore_caps();

	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check_first_state(1);
	xroce_close(y);
	live_close(x);
	munmap(mem, pages * MEM_PAGE);
	down();
}

/* Two tables are allocated; freeing them one after the other merges all free runs. */
TEST(pool_merge, "T3 T4", "freed runs merge with both neighbours")
{
	struct xroce_mr_reg a, b;
	struct xroce_mtt_query q;
	struct xroce *x;
	__u32 pd;
	char *mem;

	if (!up("", LIVE_MPT_ENTRIES))
		return;
	x = live_open();
	mem = mem_scattered(NULL, 300);
	if (!x || !mem)
		return;
	pd = live_pd(x);
	a = mr_region(pd, mem, 100 * MEM_PAGE);
	b = mr_region(pd, mem + 100 * MEM_PAGE, 200 * MEM_PAGE);
	check(!xroce_mr_reg(x, &a) && !xroce_mr_reg(x, &b), "register");
	q = pool();
	check(q.used == 300 && q.tables == 2 && q.free_extents == 1 &&
	      !q.scattered, "both: %llu by %llu, %llu free extents", q.used,
	      q.tables, q.free_extents);
	check(!xroce_mr_dereg(x, a.mr), "dereg");
	q = pool();
	check(q.used == 200 && q.tables == 1 && q.free_extents == 2 &&
	      q.scattered == 100 && q.largest == EXTENT - 300,
	      "one: %llu by %llu, %llu free extents, largest %llu", q.used,
	      q.tables, q.free_extents, q.largest);
	check(!xroce_mr_dereg(x, b.mr), "dereg");
	check_first_state(1);
	live_close(x);
	munmap(mem, 300 * MEM_PAGE);
	down();
}

/* A WRITE across the border of the table's first two extents. */
static void write_over_border(struct xroce *x, __u32 pd, char *mem,
			      const struct xroce_mr_reg *r)
{
	struct traffic *t = traffic_new();
	__u32 qpn = qp_in(x, pd, XROCE_QPS_RTS), i;
	char *at = mem + EXTENT * MEM_PAGE - 500;
	pid_t sender;

	if (!t || !qpn)
		return;
	t->target[0] = (struct traffic_target){
		.qpn = qpn, .rkey = r->rkey, .iova = r->iova + (at - mem),
	};
	sender = traffic_start(t, PEER, LIVE_DEV);
	traffic_goes_on(t, 5);
	traffic_stop(sender);
	check(qp_state(x, qpn) == XROCE_QPS_RTS, "state %u", qp_state(x, qpn));
	for (i = 0; i < TRAFFIC_BYTES; i++)
		if (!check((uint8_t)at[i] == packet_pattern(0x5a, i),
			   "byte %u: %#x", i, (uint8_t)at[i]))
			break;
	check(!at[-1] && !at[TRAFFIC_BYTES], "a byte beside: %#x %#x", at[-1],
	      at[TRAFFIC_BYTES]);
	xroce_qp_del(x, qpn);
	munmap(t, sizeof(*t));
}

/* A table longer than an extent uses two extents, and still translates correctly. */
TEST(pool_two_extents, "T1 T2", "a table longer than an extent")
{
	const size_t pages = EXTENT + 3000;
	struct xroce_mtt_query q;
	struct xroce_mr_reg r;
	struct xroce *x;
	__u32 pd, i;
	char *mem;

	if (!up("", LIVE_MPT_ENTRIES))
		return;
	x = live_open();
	mem = mem_again(pages);
	if (!x || !mem)
		return;
	pd = live_pd(x);
	r = mr_region(pd, mem, pages * MEM_PAGE);
	r.access |= XROCE_ACCESS_REMOTE_WRITE;
	r.iova = 0x1000;
	check_is(xroce_mr_reg(x, &r), 0, "register");
	q = pool();
	check(q.used == pages && q.tables == 2 && q.entries == 2 * EXTENT &&
	      q.reserved == EXTENT && q.free_extents == 1 &&
	      q.largest == 2 * EXTENT - pages,
	      "%llu of %llu used by %llu, %llu free extents", q.used,
	      q.entries, q.tables, q.free_extents);
	for (i = 0; i < XROCE_MTT_MAP; i++)
		check(i < 32 ? q.map[i] == 100 : i < 63 ? !q.map[i] :
		      q.map[i] == 3000 * 100 / 16384, "part %u: %u%%", i,
		      q.map[i]);
	check_entries(x, r.mr, 0, 600, mem);
	check_entries(x, r.mr, EXTENT - 300, 3300, mem);
	write_over_border(x, pd, mem, &r);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check_first_state(1);
	check(!live_pinned(), "%ld pages left pinned", live_pinned());
	live_close(x);
	munmap(mem, pages * MEM_PAGE);
	down();
}

/* A table that does not fit is refused, with a reason; it fits once there is room. */
TEST(pool_limit, "T1 T3", "the pool's limit and its longest free run are respected")
{
	const size_t pages = EXTENT + 1;
	struct xroce_mr_reg a, b;
	struct xroce *x;
	char *mem;
	__u32 pd;

	if (!up("mtt_limit=4", LIVE_MPT_ENTRIES))
		return;
	x = live_open();
	mem = mem_again(pages);
	if (!x || !mem)
		return;
	pd = live_pd(x);
	mr_refused(x, mr_region(pd, mem, pages * MEM_PAGE), -E2BIG);
	check_first_state(1);
	/* All entries of the pool; then not one more. */
	a = mr_region(pd, mem, EXTENT * MEM_PAGE);
	check_is(xroce_mr_reg(x, &a), 0, "register");
	check(pool().used == EXTENT && !pool().free_extents &&
	      !pool().largest && pool().map[63] == 100, "%llu used",
	      pool().used);
	b = mr_region(pd, mem, MEM_PAGE);
	mr_refused(x, b, -ENOSPC);
	check(!xroce_mr_dereg(x, a.mr), "dereg");
	/* Enough free entries, but in two parts: a table lies between them. */
	a = mr_region(pd, mem, EXTENT / 2 * MEM_PAGE);
	b = mr_region(pd, mem, 2 * MEM_PAGE);
	check(!xroce_mr_reg(x, &a) && !xroce_mr_reg(x, &b) &&
	      !xroce_mr_dereg(x, a.mr), "register");
	mr_refused(x, mr_region(pd, mem, (EXTENT / 2 + 1) * MEM_PAGE), -ENOSPC);
	check(!xroce_mr_dereg(x, b.mr), "dereg");
	mr_accepted(x, mr_region(pd, mem, (EXTENT / 2 + 1) * MEM_PAGE));
	check_first_state(1);
	check(!live_pinned() && !live_vmpin(), "%ld pages left pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	live_close(x);
	munmap(mem, pages * MEM_PAGE);
	down();
}

/* Register @pages that nobody has mapped: a table, but no memory. */
static int reg_on_demand(struct xroce *x, __u32 pd, __u64 pages)
{
	struct xroce_mr_reg r = mr_region(pd, (void *)(1ul << 40), pages * MEM_PAGE);

	r.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_ON_DEMAND;
	return xroce_mr_reg(x, &r);
}

/* A user takes the share; then another one, and an administrator. */
TEST(pool_share, "T1 R10", "a user leaves others, and an administrator, room for tables")
{
	const __u64 usable = EXTENT - EXTENT / 8;
	const __u64 piece = EXTENT / 16;
	struct xroce_limit_query q = {};
	unsigned int n = 0;
	struct xroce *x, *y, *again;
	__u32 pd;
	int ret;

	if (!up("mtt_limit=4", LIVE_MPT_ENTRIES))
		return;
	check(!live_veth_add(LIVE_SPARE, "c1") &&
	      !live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES), "attach");
	/* Both users have all addresses; a region of a piece takes a 16th of the pool. */
	check(!setresuid(1001, -1, -1), "setresuid");
	x = live_open();
	again = xroce_open(LIVE_SPARE);
	check(!setresuid(0, -1, -1), "setresuid");
	y = live_open();
	if (!x || !again || !y)
		return;
	pd = live_pd(x);
	live_drop_cap(CAP_NET_ADMIN);
	do
		ret = reg_on_demand(x, pd, piece);
	while (!ret && ++n < 16);
	check(ret == -EDQUOT && n == usable / 2 / piece, "%d after %u", ret, n);
	check_is(reg_on_demand(again, live_pd(again), piece), -EDQUOT, "the same user, on another link");
	check_is(reg_on_demand(y, live_pd(y), piece), 0, "another user");
	live_restore_caps();
	check(!xroce_limit_query(&q) && q.refused[XROCE_COUNT_TABLE] == 1, "%llu refused",
	      q.refused[XROCE_COUNT_TABLE]);
	/* The rest, the reserve included. */
	check_is(reg_on_demand(x, pd, (16 - n - 1) * piece), 0, "with CAP_NET_ADMIN");
	check(pool().used == EXTENT, "%llu used", pool().used);
	xroce_close(again);
	check(!live_detach(LIVE_SPARE, 0), "detach");
	live_veth_del(LIVE_SPARE);
	xroce_close(y);
	live_close(x);
	check_first_state(1);
	down();
}

/* 100,000 regions, deregistered in random order: nothing is left. */
TEST(pool_many, "T3 T4 R7", "100,000 regions leave the pool as it was")
{
	const size_t pages = 64;
	struct xroce_mtt_query q;
	struct xroce_mr_reg r;
	__u64 entries = 0;
	struct xroce *x;
	__u32 pd, i, k, *mr;
	char *mem;
	int ret = 0;

	if (!up("", 1 << 17))
		return;
	x = live_open();
	mr = calloc(MANY, sizeof(*mr));
	mem = mem_scattered(NULL, pages);
	if (!x || !mem || !mr)
		return;
	fuzz_begin();
	pd = live_pd(x);
	for (i = 0; i < MANY && !ret; i++) {
		k = 1 + rng_below(1u << rng_below(5));
		r = mr_region(pd, mem + rng_below(pages - k) * MEM_PAGE,
			      k * MEM_PAGE);
		ret = xroce_mr_reg(x, &r);
		mr[i] = r.mr;
		entries += k;
	}
	q = pool();
	check(!ret && q.used == entries && q.tables == MANY,
	      "%d: %llu entries of %llu tables, not %llu", ret, q.used,
	      q.tables, entries);
	for (i = MANY; i && !ret; i--) {
		k = rng_below(i);
		ret = xroce_mr_dereg(x, mr[k]);
		mr[k] = mr[i - 1];
		if (i == MANY / 2) {
			q = pool();
			note("%llu entries, %llu used by %llu, %llu free extents, largest %llu",
			     q.entries, q.used, q.tables, q.free_extents,
			     q.largest);
		}
	}
	check(!ret, "region %u: %d", i, ret);
	check_first_state(1);
	live_close(x);
	munmap(mem, pages * MEM_PAGE);
	free(mr);
	down();
}

/*
 * One of several processes that register and deregister. @long_ones: each table takes more
 * than half an extent, so that the pool grows and shrinks each time.
 */
static void come_and_go(char *mem, size_t pages, bool long_ones)
{
	__u32 mr[64] = {}, i, k, n = long_ones ? 8 : 3000;
	struct xroce *x = xroce_open(LIVE_DEV);
	struct xroce_mr_reg r;
	__u32 pd;

	if (!x || xroce_pd_add(x, 0, &pd))
		_exit(1);
	for (i = 0; i < n; i++) {
		k = long_ones ? 0 : rng_below(ARRAY_SIZE(mr));
		if (mr[k] && xroce_mr_dereg(x, mr[k]))
			_exit(2);
		mr[k] = 0;
		r = mr_region(pd, mem, long_ones ? pages * MEM_PAGE :
			      (1 + rng_below(40)) * MEM_PAGE);
		if (xroce_mr_reg(x, &r))
			_exit(3);
		mr[k] = r.mr;
	}
	/* The remaining regions end with the descriptor. */
	_exit(0);
}

TEST(pool_parallel, "T1 T3 T4", "concurrent allocations, and a concurrent reader")
{
	const size_t pages = EXTENT / 2 + 10;
	int status, left = 4, i;
	__u64 looks = 0, most = 0;
	struct xroce_mtt_query q;
	struct xroce_mr_reg held;
	struct xroce *x;
	__u32 pd;
	char *mem;

	if (!up("", LIVE_MPT_ENTRIES))
		return;
	mem = mem_again(pages);
	x = mem ? xroce_open(LIVE_DEV) : NULL;
	if (!x)
		return;
	/* More than half of an extent: the next large region needs another one. */
	check_is(xroce_pd_add(x, 0, &pd), 0, "domain");
	held = mr_region(pd, mem, pages * MEM_PAGE);
	check_is(xroce_mr_reg(x, &held), 0, "register");
	for (i = 0; i < left; i++) {
		if (!fork()) {
			rng_seed(i + 1);
			come_and_go(mem, pages, i < 2);
		}
	}
	while (left && !test_failed()) {
		q = pool();
		check(q.used <= q.entries && q.largest <= EXTENT &&
		      q.scattered <= q.entries && q.entries >= q.reserved,
		      "%llu of %llu used, largest %llu, scattered %llu",
		      q.used, q.entries, q.largest, q.scattered);
		most = q.entries > most ? q.entries : most;
		looks++;
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			left--;
			check(!status, "a process: status %#x", status);
		}
	}
	note("%llu looks, up to %llu extents", looks, most / EXTENT);
	check(most > EXTENT, "never more than an extent");
	xroce_close(x);
	check_first_state(1);
	live_check_idle(LIVE_DEV);
	munmap(mem, pages * MEM_PAGE);
	down();
}

TEST_MAIN(live_main_alone);
