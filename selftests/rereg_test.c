// SPDX-License-Identifier: GPL-2.0-only
/* Re-registering: what changes, what stays, and what a failure leaves. */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counters.h"
#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "probe.h"
#include "traffic.h"

#define LW		XROCE_ACCESS_LOCAL_WRITE
#define RW		XROCE_ACCESS_REMOTE_WRITE
#define RR		XROCE_ACCESS_REMOTE_READ
#define TRANSLATION	XROCE_REREG_TRANSLATION
#define PD		XROCE_REREG_PD
#define ACCESS		XROCE_REREG_ACCESS

#define PAGES	4
#define OFFSET	0x123
#define LENGTH	(3 * MEM_PAGE + 17)
#define IOVA	0x700000000fffull

/* A region over @a, and other memory; a queue pair in each of two domains. */
static struct {
	struct xroce *x;
	__u32 pd[2];
	struct probe qp[2];
	char *a, *b;
	struct xroce_mr_reg r;
} t;

static bool begin(void)
{
	int i;

	t.x = live_open();
	t.a = mem_scattered(NULL, PAGES);
	t.b = mem_scattered(NULL, PAGES + 1);
	if (!t.x || !t.a || !t.b)
		return false;
	for (i = 0; i < 2; i++) {
		t.pd[i] = live_pd(t.x);
		if (!probe_open(&t.qp[i], t.x, t.pd[i]))
			return false;
	}
	t.r = mr_region(t.pd[0], t.a + OFFSET, LENGTH);
	t.r.access = LW | RW | RR;
	t.r.iova = IOVA;
	strcpy(t.r.name, "again");
	return check(!xroce_mr_reg(t.x, &t.r), "MR_REG");
}

static void end(void)
{
	int i;

	xroce_mr_dereg(t.x, t.r.mr);
	check(!live_pinned(), "%ld pages pinned", live_pinned());
	check(!live_vmpin(), "VmPin %ld", live_vmpin());
	for (i = 0; i < 2; i++)
		probe_close(&t.qp[i]);
	live_close(t.x);
	munmap(t.a, PAGES * MEM_PAGE);
	munmap(t.b, (PAGES + 1) * MEM_PAGE);
}

/* A change to all of @b: other memory, length, address, domain and rights. */
static struct xroce_mr_rereg change(__u32 mask)
{
	return (struct xroce_mr_rereg){
		.mr = t.r.mr,
		.mask = mask,
		.pd = t.pd[1],
		.access = LW | RW,
		.addr = (uintptr_t)t.b + 77,
		.length = PAGES * MEM_PAGE,
		.iova = IOVA + 0x10000001,
	};
}

/* The region, its entry and what packets find are as @r says, over @at. */
static void expect_region(const struct xroce_mr_reg *r, char *at)
{
	struct probe *in = &t.qp[r->pd == t.pd[1]];
	struct probe *out = &t.qp[r->pd != t.pd[1]];
	struct xroce_mr_query q = { .mr = r->mr };
	struct xroce_mpt e = {};
	int ret = xroce_mr_query(t.x, &q);

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
	/* The first bytes, those at a border of pages, and the last ones. */
	probe_lands(in, r->rkey, r->iova, 700, at);
	probe_lands(in, r->rkey, r->iova + MEM_PAGE - 300, 1000,
		    at + MEM_PAGE - 300);
	probe_lands(in, r->rkey, r->iova + r->length - 501, 501,
		    at + r->length - 501);
	probe_refused(in, r->rkey, r->iova + r->length,
		      XROCE_CAUSE_ACC_BOUNDS);
	probe_refused(out, r->rkey, r->iova, XROCE_CAUSE_ACC_PD);
}

/* All seven masks, there and back again. */
static void combinations(void)
{
	struct xroce_mr_rereg c;
	struct xroce_mr_reg was, now;
	__u32 mask;
	int ret;

	if (!begin())
		return;
	for (mask = 1; mask < 8; mask++) {
		was = now = t.r;
		c = change(mask);
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
		ret = xroce_mr_rereg(t.x, &c);
		if (!check(!ret, "mask %u: %d", mask, ret))
			break;
		check(c.lkey == c.rkey && c.lkey >> 8 == was.mr &&
		      c.lkey != was.lkey, "mask %u: keys %#x, %#x, were %#x",
		      mask, c.lkey, c.rkey, was.lkey);
		now.lkey = now.rkey = c.lkey;
		expect_region(&now, mask & TRANSLATION ? t.b + 77 :
							 t.a + OFFSET);
		check(live_pinned() == (mask & TRANSLATION ? 5 : 4),
		      "mask %u: %ld pages pinned", mask, live_pinned());
		/* By the old key nothing, neither here nor there. */
		probe_refused(&t.qp[0], was.rkey, was.iova, XROCE_CAUSE_ACC_KEY);
		probe_refused(&t.qp[1], was.rkey, now.iova, XROCE_CAUSE_ACC_KEY);

		c = change(mask);
		c.pd = was.pd;
		c.access = was.access;
		c.addr = was.addr;
		c.length = was.length;
		c.iova = was.iova;
		ret = xroce_mr_rereg(t.x, &c);
		check(!ret, "mask %u, back: %d", mask, ret);
		t.r.lkey = t.r.rkey = c.lkey;
		expect_region(&t.r, t.a + OFFSET);
		check(live_pinned() == 4, "mask %u: %ld pages pinned", mask,
		      live_pinned());
	}
	end();
}

/* The new domain has a member, the old one has not. */
static void domain(void)
{
	struct xroce_pd_query q[2];
	struct xroce_mr_rereg c;
	__u32 own, other;

	if (!begin())
		return;
	own = live_pd(t.x);
	other = live_pd(t.x);
	c = change(PD);
	c.pd = own;
	check(!xroce_mr_rereg(t.x, &c), "to a domain of its own");
	check(xroce_pd_del(t.x, own) == -EBUSY, "PD_DEL with the region");
	c.pd = other;
	check(!xroce_mr_rereg(t.x, &c), "to another");
	q[0] = (struct xroce_pd_query){ .pd = own };
	q[1] = (struct xroce_pd_query){ .pd = other };
	check(!xroce_pd_query(t.x, &q[0]) && !xroce_pd_query(t.x, &q[1]) &&
	      q[0].mrs == 0 && q[1].mrs == 1, "%u and %u members", q[0].mrs,
	      q[1].mrs);
	check(!xroce_pd_del(t.x, own), "PD_DEL without");
	c.pd = own;
	check(xroce_mr_rereg(t.x, &c) == -ENOENT, "to one that is gone");
	check(xroce_pd_del(t.x, other) == -EBUSY, "PD_DEL with the region");
	end();
}

/* Without a remote right there is no R_Key; it comes with one. */
static void remote_key(void)
{
	struct xroce_mr_rereg c;

	if (!begin())
		return;
	c = change(ACCESS);
	c.access = LW;
	check(!xroce_mr_rereg(t.x, &c) && c.lkey && !c.rkey,
	      "lkey %#x, rkey %#x", c.lkey, c.rkey);
	probe_refused(&t.qp[0], c.lkey, IOVA, XROCE_CAUSE_ACC_RIGHT);
	c = change(ACCESS);
	check(!xroce_mr_rereg(t.x, &c) && c.rkey == c.lkey, "rkey %#x", c.rkey);
	probe_lands(&t.qp[0], c.rkey, IOVA, 100, t.a + OFFSET);
	end();
}

static void phys_of(const char *mem, __u64 *list, int n)
{
	int i;

	for (i = 0; i < n; i++)
		list[i] = mem_pfn(mem + i * MEM_PAGE) * MEM_PAGE;
}

/* A virtual region becomes a physical one, another one, and virtual again. */
static void kinds(void)
{
	struct xroce_mr_query q = {};
	struct xroce_mr_rereg c;
	__u64 list[PAGES];
	int i;

	if (!begin())
		return;
	for (i = 0; i < 2; i++) {
		char *mem = i ? t.a : t.b;

		phys_of(mem, list, PAGES);
		c = change(TRANSLATION);
		c.flags = XROCE_F_PHYS;
		c.addr = 0;
		c.pages = (uintptr_t)list;
		c.npages = PAGES;
		c.page_shift = MEM_PAGE_SHIFT;
		c.offset = 5;
		c.length = PAGES * MEM_PAGE - 9;
		check(!xroce_mr_rereg(t.x, &c), "to physical");
		q.mr = t.r.mr;
		q.flags = 0;
		check(!xroce_mr_query(t.x, &q) && q.flags == XROCE_F_PHYS &&
		      !q.addr && !q.pid && q.pages == PAGES && q.offset == 5 &&
		      q.length == c.length && q.rkey == c.rkey,
		      "flags %#x, addr %#llx, pid %u, pages %llu, offset %llu",
		      q.flags, q.addr, q.pid, q.pages, q.offset);
		check(!live_pinned() && !live_vmpin(), "%ld pinned, VmPin %ld",
		      live_pinned(), live_vmpin());
		probe_lands(&t.qp[0], c.rkey, c.iova, 900, mem + 5);
		probe_lands(&t.qp[0], c.rkey, c.iova + MEM_PAGE - 100, 900,
			    mem + 5 + MEM_PAGE - 100);
		probe_refused(&t.qp[0], c.rkey, c.iova + c.length,
			      XROCE_CAUSE_ACC_BOUNDS);
	}
	c = change(TRANSLATION | PD | ACCESS);
	check(!xroce_mr_rereg(t.x, &c), "to virtual");
	q.flags = 0;
	check(!xroce_mr_query(t.x, &q) && !q.flags &&
	      q.pid == (__u32)getpid(), "flags %#x, pid %u", q.flags, q.pid);
	check(live_pinned() == 5, "%ld pages pinned", live_pinned());
	probe_lands(&t.qp[1], c.rkey, c.iova, 900, t.b + 77);
	end();
}

/* One thing wrong, in a change that is right otherwise. */
static __u64 page_list[2];

static void no_mask(struct xroce_mr_rereg *c)
{
	c->mask = 0;
}

static void mask_more(struct xroce_mr_rereg *c) { c->mask |= 8; }
static void flag_more(struct xroce_mr_rereg *c) { c->flags = 1u << 31; }
static void reserved(struct xroce_mr_rereg *c) { c->reserved = 1; }
static void rights(struct xroce_mr_rereg *c) { c->access = RW; }
static void right_more(struct xroce_mr_rereg *c) { c->access |= 1 << 30; }

static void empty(struct xroce_mr_rereg *c)
{
	c->length = 0;
}

static void wraps(struct xroce_mr_rereg *c) { c->length = -c->addr + 1; }
static void iova_wraps(struct xroce_mr_rereg *c) { c->iova = -100ull; }
static void too_far(struct xroce_mr_rereg *c) { c->length += MEM_PAGE; }

static void nowhere(struct xroce_mr_rereg *c)
{
	c->addr = 0;
}

static void no_pd(struct xroce_mr_rereg *c) { c->pd = 0x123456; }
static void gone(struct xroce_mr_rereg *c) { c->mr ^= 1; }

static void flag_alone(struct xroce_mr_rereg *c)
{
	c->mask = PD | ACCESS;
	c->flags = XROCE_F_PID;
	c->pid = getpid();
}

static void no_process(struct xroce_mr_rereg *c)
{
	c->flags = XROCE_F_PID;
	c->pid = 0x3fffff;
}

static void both_kinds(struct xroce_mr_rereg *c)
{
	c->flags = XROCE_F_PID | XROCE_F_PHYS;
}

static void phys(struct xroce_mr_rereg *c)
{
	phys_of(t.b, page_list, 2);
	c->flags = XROCE_F_PHYS;
	c->pages = (uintptr_t)page_list;
	c->npages = 2;
	c->page_shift = MEM_PAGE_SHIFT;
	c->offset = 0;
	c->length = 2 * MEM_PAGE;
}

static void phys_bad_list(struct xroce_mr_rereg *c)
{
	phys(c);
	c->pages = 8;
}

static void phys_none(struct xroce_mr_rereg *c)
{
	phys(c);
	c->npages = 0;
}

static void phys_many(struct xroce_mr_rereg *c)
{
	phys(c);
	c->npages = XROCE_PHYS_PAGES_MAX + 1;
}

static void phys_unaligned(struct xroce_mr_rereg *c)
{
	phys(c);
	page_list[1] += 8;
}

static void phys_no_memory(struct xroce_mr_rereg *c)
{
	phys(c);
	page_list[1] = 1ull << 45;
}

static void phys_left_over(struct xroce_mr_rereg *c)
{
	phys(c);
	c->length = MEM_PAGE;
}

static void phys_longer(struct xroce_mr_rereg *c)
{
	phys(c);
	c->length++;
}

static void phys_no_pd(struct xroce_mr_rereg *c)
{
	phys(c);
	c->pd = 0x123456;
}

static const struct {
	const char *what;
	void (*spoil)(struct xroce_mr_rereg *c);
	int want;
} failures[] = {
	{ "nothing to change", no_mask, -EINVAL },
	{ "unknown mask", mask_more, -EINVAL },
	{ "unknown flag", flag_more, -EINVAL },
	{ "reserved", reserved, -EINVAL },
	{ "a flag of the translation alone", flag_alone, -EINVAL },
	{ "two kinds", both_kinds, -EINVAL },
	{ "remote write alone", rights, -EINVAL },
	{ "unknown right", right_more, -EINVAL },
	{ "no byte", empty, -EINVAL },
	{ "range wraps", wraps, -EINVAL },
	{ "iova wraps", iova_wraps, -EINVAL },
	{ "ends behind what is mapped", too_far, -EFAULT },
	{ "not mapped", nowhere, -EFAULT },
	{ "no such domain", no_pd, -ENOENT },
	{ "no such region", gone, -ENOENT },
	{ "no such process", no_process, -ESRCH },
	{ "physical: list not mapped", phys_bad_list, -EFAULT },
	{ "physical: no page", phys_none, -EINVAL },
	{ "physical: too many", phys_many, -E2BIG },
	{ "physical: not aligned", phys_unaligned, -EINVAL },
	{ "physical: no memory", phys_no_memory, -EFAULT },
	{ "physical: a page left over", phys_left_over, -EINVAL },
	{ "physical: a byte too long", phys_longer, -EINVAL },
	{ "physical: no such domain", phys_no_pd, -ENOENT },
};

/* It failed: the region is what it was, for packets too. */
static void still_as_it_was(const char *what, int ret, int want)
{
	check(ret == want, "%s: %d, not %d", what, ret, want);
	expect_region(&t.r, t.a + OFFSET);
	check(live_pinned() == 4 && live_vmpin() == 16,
	      "%s: %ld pages pinned, VmPin %ld", what, live_pinned(),
	      live_vmpin());
	if (test_failed())
		note("after: %s", what);
}

static void refused(void)
{
	struct xroce_mr_rereg c;
	size_t i;

	if (!begin())
		return;
	munmap(t.b + PAGES * MEM_PAGE, MEM_PAGE);
	for (i = 0; i < ARRAY_SIZE(failures) && !test_failed(); i++) {
		c = change(TRANSLATION | PD | ACCESS);
		c.addr = (uintptr_t)t.b;
		failures[i].spoil(&c);
		still_as_it_was(failures[i].what, xroce_mr_rereg(t.x, &c),
				failures[i].want);
	}
	end();
}

/* What the caller may not do, and what there is no room for. */
static void not_allowed(void)
{
	struct xroce *y = live_open();
	struct rlimit old, limit;
	struct xroce_mr_rereg c;
	__u32 pd;

	if (!begin() || !y)
		return;
	pd = live_pd(y);
	c = change(PD);
	c.pd = pd;
	still_as_it_was("domain of another file", xroce_mr_rereg(t.x, &c),
			-EPERM);
	c = change(ACCESS);
	still_as_it_was("region of another file", xroce_mr_rereg(y, &c),
			-EPERM);
	live_drop_cap(CAP_NET_ADMIN);
	still_as_it_was("and out of sight", xroce_mr_rereg(y, &c), -ENOENT);
	live_restore_caps();
	live_drop_cap(CAP_SYS_RAWIO);
	c = change(TRANSLATION);
	phys(&c);
	still_as_it_was("physical without CAP_SYS_RAWIO",
			xroce_mr_rereg(t.x, &c), -EPERM);
	live_restore_caps();

	getrlimit(RLIMIT_MEMLOCK, &old);
	limit = (struct rlimit){ 8 * MEM_PAGE, old.rlim_max };
	setrlimit(RLIMIT_MEMLOCK, &limit);
	live_drop_cap(CAP_IPC_LOCK);
	c = change(TRANSLATION);
	still_as_it_was("4 + 5 pages of 8", xroce_mr_rereg(t.x, &c), -ENOMEM);
	c.length = 3 * MEM_PAGE;
	check(!xroce_mr_rereg(t.x, &c), "4 + 4 pages of 8");
	check(live_vmpin() == 16, "VmPin %ld", live_vmpin());
	live_restore_caps();
	setrlimit(RLIMIT_MEMLOCK, &old);
	xroce_close(y);
	end();
}

/* What was pinned for reading is pinned for writing, if it may be. */
static void gains_write(void)
{
	struct xroce_mr_rereg c;

	if (!begin())
		return;
	check(!xroce_mr_dereg(t.x, t.r.mr), "dereg");
	t.r.access = RR;
	check(!xroce_mr_reg(t.x, &t.r), "MR_REG");
	mprotect(t.a, PAGES * MEM_PAGE, PROT_READ);
	c = change(ACCESS);
	still_as_it_was("memory that is read-only", xroce_mr_rereg(t.x, &c),
			-EFAULT);
	mprotect(t.a, PAGES * MEM_PAGE, PROT_READ | PROT_WRITE);
	c = change(ACCESS);
	check(!xroce_mr_rereg(t.x, &c), "local and remote write");
	t.r.access = c.access;
	t.r.lkey = t.r.rkey = c.lkey;
	expect_region(&t.r, t.a + OFFSET);
	check(live_pinned() == 4 && live_vmpin() == 16, "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	end();
}

/* A key byte is none of the last four, and cannot be foretold. */
static void keys(void)
{
	__u32 last[5] = { ~0u, ~0u, ~0u, ~0u };
	struct xroce_mr_rereg c;
	int i, j, steps = 0;

	if (!begin())
		return;
	last[4] = t.r.lkey;
	for (i = 0; i < 500 && !test_failed(); i++) {
		c = change(ACCESS);
		check(!xroce_mr_rereg(t.x, &c) && c.lkey >> 8 == t.r.mr,
		      "change %d: key %#x", i, c.lkey);
		for (j = 1; j < 5; j++)
			check(c.lkey != last[j], "change %d: key %#x again", i,
			      c.lkey);
		steps += ((c.lkey - last[4]) & 0xff) == 1;
		memmove(last, last + 1, 4 * sizeof(last[0]));
		last[4] = c.lkey;
	}
	/* By chance: about two. */
	check(steps < 15, "%d key bytes follow the one before", steps);
	end();
}

static bool all_zero(const char *p, size_t n)
{
	return !*p && !memcmp(p, p + 1, n - 1);
}

static __u64 writes(void)
{
	int fd = xroce_pin_open(LIVE_DEV, "stat");
	struct xroce_stat sum = {};

	counters_read(fd, &sum);
	close(fd);
	return sum.write;
}

static bool more_written(void *arg)
{
	return writes() > *(__u64 *)arg;
}

/*
 * Packets by the old key come all the time. When the change is made they write
 * to the old memory no more, and never to the new one.
 */
static void under_traffic(void)
{
	struct traffic *traffic = traffic_new();
	struct xroce_mr_rereg c;
	char *now, *next;
	__u64 before;
	pid_t sender;
	__u32 qpn;
	int round;

	if (!traffic || !begin())
		return;
	memset(t.a, 0, PAGES * MEM_PAGE);
	memset(t.b, 0, PAGES * MEM_PAGE);
	sender = traffic_start(traffic, "c0", LIVE_DEV);
	for (round = 0; round < 60 && !test_failed(); round++) {
		now = round & 1 ? t.b : t.a;
		next = round & 1 ? t.a : t.b;
		qpn = qp_in(t.x, t.pd[0], XROCE_QPS_RTS);
		before = writes() + 1 + round % 7;
		traffic->target[0].rkey = t.r.rkey;
		traffic->target[0].iova = IOVA + MEM_PAGE - 500;
		__atomic_store_n(&traffic->target[0].qpn, qpn,
				 __ATOMIC_RELEASE);
		check(live_wait(more_written, &before), "no traffic");
		c = change(TRANSLATION);
		c.addr = (uintptr_t)next;
		c.length = PAGES * MEM_PAGE;
		c.iova = IOVA;
		check(!xroce_mr_rereg(t.x, &c), "change");
		memset(now, 0, PAGES * MEM_PAGE);
		traffic_goes_on(traffic, 15);
		check(all_zero(now, PAGES * MEM_PAGE), "in the old memory");
		check(all_zero(next, PAGES * MEM_PAGE), "in the new memory");
		traffic->target[0].qpn = 0;
		traffic_goes_on(traffic, 0);
		check(!xroce_qp_del(t.x, qpn), "QP_DEL");
		t.r.rkey = c.rkey;
		probe_lands(&t.qp[0], c.rkey, IOVA, 100, next);
		memset(next, 0, PAGES * MEM_PAGE);
	}
	traffic_stop(sender);
	munmap(traffic, sizeof(*traffic));
	end();
}

static const struct test tests[] = {
	{ "rereg_combinations", "R5 R9 P2",
	  "memory, domain and rights, in any combination", combinations },
	{ "rereg_domain", "P1 R5", "a member of the new domain alone", domain },
	{ "rereg_remote_key", "R5 R1", "an R_Key with a remote right only",
	  remote_key },
	{ "rereg_kinds", "R5 R4", "virtual, physical, virtual", kinds },
	{ "rereg_refused", "R5", "a failure leaves the region as it was",
	  refused },
	{ "rereg_not_allowed", "R5 R10", "so does what is not permitted",
	  not_allowed },
	{ "rereg_gains_write", "R5 R2", "memory pinned for reading",
	  gains_write },
	{ "rereg_keys", "R5 R9", "a new key byte each time", keys },
	{ "rereg_traffic", "R5 R7", "wholly old or wholly new", under_traffic },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
