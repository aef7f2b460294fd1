// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a link and of its users: what counts, for whom, up to where, and that it
 * is given back whatever way it goes. Users are told apart by the real user id that
 * opened the device.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <net/if.h>
#include <signal.h>
#include <unistd.h>

#include "group.h"
#include "live_mr.h"
#include "mem.h"

#define ALICE	1001u
#define BOB	1002u

static const char *const names[XROCE_COUNTED] = {
	"PD", "MR", "MW", "QP", "CQ", "SRQ", "pinned",
};

static char *memory;		/* two pages */
static __u32 spare_pd;		/* of what a child makes */

static __u32 link_number(const char *dev)
{
	struct xroce_link_query q = {};

	check(!xroce_link_find(dev, &q), "%s has no link", dev);
	return q.link;
}

/* Limit one kind. */
static void limit(__u32 flags, enum xroce_counted what, __u64 most)
{
	struct xroce_limit_set set = {
		.flags = flags,
		.link = link_number(LIVE_DEV),
		.mask = 1u << what,
	};
	int ret;

	set.limit[what] = most;
	ret = xroce_limit_set(&set);
	check(!ret, "LIMIT_SET of %s, %llu: %d", names[what], most, ret);
}

/* No limit any more. */
static void unlimited(void)
{
	int i;

	for (i = 0; i < XROCE_COUNTED; i++) {
		limit(0, i, XROCE_LIMIT_NONE);
		limit(XROCE_F_USER, i, XROCE_LIMIT_NONE);
	}
}

static struct xroce_limit_query used_by(__u32 flags, __u32 uid)
{
	struct xroce_limit_query q = {
		.flags = flags, .link = link_number(LIVE_DEV), .uid = uid,
	};
	int ret = xroce_limit_query(&q);

	check(!ret, "LIMIT_QUERY of %u: %d", uid, ret);
	return q;
}

static __u64 used(enum xroce_counted what)
{
	return used_by(0, 0).used[what];
}

static __u64 user_used(__u32 uid, enum xroce_counted what)
{
	return used_by(XROCE_F_USER, uid).used[what];
}

static bool same(const struct xroce_limit_query *a,
		 const struct xroce_limit_query *b)
{
	return !memcmp(a->used, b->used, sizeof(a->used));
}

/* As if that user had opened it. */
static struct xroce *open_as(uid_t uid)
{
	struct xroce *x;

	check(!setresuid(uid, -1, -1), "setresuid: %s", strerror(errno));
	x = live_open();
	check(!setresuid(0, -1, -1), "setresuid: %s", strerror(errno));
	return x;
}

/* Make an object in @pd. Return: 0 or an error; @id: what remove() wants. */
static int make(struct xroce *x, enum xroce_counted what, __u32 flags, __u32 pd,
		__u32 *id)
{
	struct xroce_cq_add cq = { .size = sizeof(cq), .entries = XROCE_CQ_MIN };
	struct xroce_srq_add srq = {
		.size = sizeof(srq), .pd = pd, .entries = 4, .max_sge = 1,
	};
	struct xroce_mr_reg mr = mr_region(pd, memory, MEM_PAGE);
	struct xroce_mw_add mw = {
		.flags = flags, .pd = pd, .type = XROCE_MW_TYPE_1,
	};
	int ret;

	switch (what) {
	case XROCE_COUNT_PD:
		return xroce_pd_add(x, flags, id);
	case XROCE_COUNT_QP:
		return xroce_qp_add(x, flags, pd, id);
	case XROCE_COUNT_MW:
		ret = xroce_mw_add(x, &mw);
		*id = mw.mw;
		return ret;
	case XROCE_COUNT_CQ:
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_CQ_ADD, &cq);
		*id = cq.cq;
		return ret;
	case XROCE_COUNT_SRQ:
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_SRQ_ADD, &srq);
		*id = srq.srq;
		return ret;
	default:
		mr.flags = flags;
		ret = xroce_mr_reg(x, &mr);
		*id = mr.mr;
		return ret;
	}
}

static int drop(struct xroce *x, enum xroce_counted what, __u32 id)
{
	struct xroce_cq_del cq = { .size = sizeof(cq), .cq = id };
	struct xroce_srq_del srq = { .size = sizeof(srq), .srq = id };

	switch (what) {
	case XROCE_COUNT_PD:
		return xroce_pd_del(x, id);
	case XROCE_COUNT_QP:
		return xroce_qp_del(x, id);
	case XROCE_COUNT_MW:
		return xroce_mw_del(x, id);
	case XROCE_COUNT_CQ:
		return live_ioctl(xroce_fd(x), XROCE_CMD_CQ_DEL, &cq);
	case XROCE_COUNT_SRQ:
		return live_ioctl(xroce_fd(x), XROCE_CMD_SRQ_DEL, &srq);
	default:
		return xroce_mr_dereg(x, id);
	}
}

/* What making it counts. */
static __u64 size_of(enum xroce_counted what)
{
	return what == XROCE_COUNT_PINNED ? MEM_PAGE : 1;
}

static void expect(struct xroce *x, enum xroce_counted what, __u32 flags,
		   __u32 pd, int want, const char *who)
{
	int ret;
	__u32 id;

	ret = make(x, what, flags, pd, &id);
	check(ret == want, "%s of %s: %d, not %d", names[what], who, ret, want);
}

/* Two users with a domain each. */
struct pair {
	struct xroce *a, *b;
	__u32 pd_a, pd_b;
};

static bool pair_open(struct pair *p)
{
	memory = mem_map(2);
	p->a = open_as(ALICE);
	p->b = open_as(BOB);
	if (!memory || !p->a || !p->b)
		return false;
	p->pd_a = live_pd(p->a);
	p->pd_b = live_pd(p->b);
	live_drop_cap(CAP_NET_ADMIN);
	return true;
}

/* All is given back. */
static void pair_close(struct pair *p)
{
	struct xroce_limit_query q, none = {};

	live_restore_caps();
	unlimited();
	xroce_close(p->b);
	live_close(p->a);
	q = used_by(0, 0);
	check(same(&q, &none), "something is still counted");
	q = (struct xroce_limit_query){
		.flags = XROCE_F_USER | XROCE_F_NEXT,
		.link = link_number(LIVE_DEV),
	};
	check(xroce_limit_query(&q) == -ENOENT, "user %u is still there", q.uid);
	munmap(memory, 2 * MEM_PAGE);
}

/* With CAP_NET_ADMIN, for a moment. */
static void limit_now(__u32 flags, enum xroce_counted what, __u64 most)
{
	live_restore_caps();
	limit(flags, what, most);
	live_drop_cap(CAP_NET_ADMIN);
}

/* Up to a user's limit and not past it; another user is not in the way. */
static void of_user(void)
{
	__u32 what, id[2];
	struct pair p;
	__u64 most;
	int ret;

	if (!pair_open(&p))
		return;
	for (what = 0; what < XROCE_COUNTED; what++) {
		live_restore_caps();
		most = user_used(ALICE, what) + 2 * size_of(what);
		limit(XROCE_F_USER, what, most);
		live_drop_cap(CAP_NET_ADMIN);
		ret = make(p.a, what, 0, p.pd_a, &id[0]) ? :
		      make(p.a, what, 0, p.pd_a, &id[1]);
		check(!ret, "%s up to the limit: %d", names[what], ret);
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "one past it");
		expect(p.b, what, 0, p.pd_b, 0, "another user");
		check(!drop(p.a, what, id[1]), "del");
		expect(p.a, what, 0, p.pd_a, 0, "one less than it");
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "one past it again");
		live_restore_caps();
		check(user_used(ALICE, what) == most, "%s: %llu, not %llu",
		      names[what], user_used(ALICE, what), most);
		expect(p.a, what, 0, p.pd_a, 0, "who has CAP_NET_ADMIN");
		limit(XROCE_F_USER, what, XROCE_LIMIT_NONE);
		live_drop_cap(CAP_NET_ADMIN);
		expect(p.a, what, 0, p.pd_a, 0, "one without a limit");
	}
	pair_close(&p);
}

/* The link's is for all together, whatever they may. */
static void of_link(void)
{
	struct pair p;
	__u32 what;

	if (!pair_open(&p))
		return;
	for (what = 0; what < XROCE_COUNTED; what++) {
		limit_now(0, what, used(what) + 2 * size_of(what));
		expect(p.a, what, 0, p.pd_a, 0, "one user");
		expect(p.b, what, 0, p.pd_b, 0, "another one");
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "one user, past it");
		expect(p.b, what, 0, p.pd_b, -EDQUOT, "another one, past it");
		live_restore_caps();
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "who has CAP_NET_ADMIN");
		if (what == XROCE_COUNT_PD)
			expect(p.a, what, XROCE_F_PERSISTENT, 0, -EDQUOT,
			       "a persistent one");
		limit_now(0, what, XROCE_LIMIT_NONE);
	}
	pair_close(&p);
}

/* What is persistent is the link's, not its maker's, and goes as it was made. */
static void persistent(void)
{
	static const enum xroce_counted kinds[] = {
		XROCE_COUNT_MR, XROCE_COUNT_MW, XROCE_COUNT_QP,
	};
	struct xroce_limit_query was, is;
	__u32 pd, id[3];
	struct pair p;
	size_t i;

	if (!pair_open(&p))
		return;
	live_restore_caps();
	was = used_by(XROCE_F_USER, ALICE);
	check(!xroce_pd_add(p.a, XROCE_F_PERSISTENT, &pd), "PD_ADD");
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		check(!make(p.a, kinds[i], XROCE_F_PERSISTENT, pd, &id[i]),
		      "%s", names[kinds[i]]);
	is = used_by(XROCE_F_USER, ALICE);
	check(same(&was, &is), "they count for their maker");
	is = used_by(0, 0);
	check(is.used[XROCE_COUNT_PD] == 3 && is.used[XROCE_COUNT_MR] == 1 &&
	      is.used[XROCE_COUNT_MW] == 1 && is.used[XROCE_COUNT_QP] == 1 &&
	      is.used[XROCE_COUNT_PINNED] == MEM_PAGE, "not for the link");
	/* By another descriptor. */
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		check(!drop(p.b, kinds[i], id[i]), "%s", names[kinds[i]]);
	check(!xroce_pd_del(p.b, pd), "PD_DEL");
	check(used(XROCE_COUNT_PD) == 2 && !used(XROCE_COUNT_PINNED), "left");
	pair_close(&p);
}

/* A limit below what there is leaves that, and is not a limit of zero. */
static void lowered(void)
{
	__u32 what, id[3], i;
	struct pair p;
	__u64 was;

	if (!pair_open(&p))
		return;
	for (what = 0; what < XROCE_COUNTED; what++) {
		live_restore_caps();
		was = user_used(ALICE, what);
		live_drop_cap(CAP_NET_ADMIN);
		for (i = 0; i < 3; i++)
			check(!make(p.a, what, 0, p.pd_a, &id[i]), "%s",
			      names[what]);
		limit_now(XROCE_F_USER, what, was + size_of(what));
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "two past it");
		check(!drop(p.a, what, id[0]), "del");
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "one past it");
		check(!drop(p.a, what, id[1]), "del");
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "just there");
		check(!drop(p.a, what, id[2]), "del");
		expect(p.a, what, 0, p.pd_a, 0, "below it");
		limit_now(XROCE_F_USER, what, 0);
		expect(p.a, what, 0, p.pd_a, -EDQUOT, "none allowed");
		expect(p.b, what, 0, p.pd_b, -EDQUOT, "nobody");
		limit_now(XROCE_F_USER, what, XROCE_LIMIT_NONE);
	}
	pair_close(&p);
}

/* Commands that fail for a reason of their own count nothing. */
static void unwound(void)
{
	struct xroce_cq_add cq = { .size = sizeof(cq), .entries = 17 };
	struct xroce_qp_add qp = { .size = sizeof(qp), .type = XROCE_QPT_RC };
	struct xroce_mr_reg_shared shared = { .size = sizeof(shared) };
	struct xroce_mr_reg_phys phys = { .access = XROCE_ACCESS_LOCAL_WRITE };
	struct xroce_limit_query was, is;
	__u32 what, id, n = 0;
	struct xroce_mr_reg r;
	__u64 page[2] = {};
	struct pair p;
	int ret;

	if (!pair_open(&p))
		return;
	live_restore_caps();
	was = used_by(XROCE_F_USER, ALICE);
	for (what = XROCE_COUNT_MR; what < XROCE_COUNTED; what++)
		if (what != XROCE_COUNT_CQ)
			expect(p.a, what, 0, 0xffff, -ENOENT, "a PD that is not");
	munmap(memory + MEM_PAGE, MEM_PAGE);
	r = mr_region(p.pd_a, memory, 2 * MEM_PAGE);
	mr_refused(p.a, r, -EFAULT);
	page[0] = mem_pfn(memory) * MEM_PAGE;	/* and the second one is not */
	phys.pd = p.pd_a;
	phys.pages = (uintptr_t)page;
	phys.npages = 2;
	phys.page_shift = MEM_PAGE_SHIFT;
	phys.length = 2 * MEM_PAGE;
	check(xroce_mr_reg_phys(p.a, &phys), "MR_REG_PHYS of page 0");
	ret = live_ioctl(xroce_fd(p.a), XROCE_CMD_CQ_ADD, &cq);
	check(ret == -EINVAL, "CQ_ADD: %d", ret);
	qp.pd = p.pd_a;
	qp.recv_cq = 0xffff;
	ret = live_ioctl(xroce_fd(p.a), XROCE_CMD_QP_ADD, &qp);
	check(ret, "QP_ADD with a CQ that is not");
	qp.recv_cq = 0;
	qp.rq_entries = 3;
	ret = live_ioctl(xroce_fd(p.a), XROCE_CMD_QP_ADD, &qp);
	check(ret == -EINVAL, "QP_ADD: %d", ret);
	ret = live_ioctl(xroce_fd(p.a), XROCE_CMD_MR_REG_SHARED, &shared);
	check(ret == -ENOENT, "MR_REG_SHARED: %d", ret);
	/* A limit stands in the way of the region only when it is pinned. */
	limit(0, XROCE_COUNT_MR, 0);
	expect(p.a, XROCE_COUNT_MR, 0, p.pd_a, -EDQUOT, "none allowed");
	limit(0, XROCE_COUNT_MR, XROCE_LIMIT_NONE);
	check(!live_pinned(), "%ld pages are pinned", live_pinned());
	is = used_by(XROCE_F_USER, ALICE);
	check(same(&was, &is), "something was counted");

	/* The table of queue pairs is full. */
	while (!(ret = make(p.a, XROCE_COUNT_QP, 0, p.pd_a, &id)))
		n++;
	check(ret == -ENOSPC && n == LIVE_QP_ENTRIES &&
	      user_used(ALICE, XROCE_COUNT_QP) == n, "%d: %u, counted %llu", ret,
	      n, user_used(ALICE, XROCE_COUNT_QP));
	pair_close(&p);
}

/* Region after region over the same memory, and what they count. */
static void pins(void)
{
	struct xroce_mr_reg_shared shared = { .access = XROCE_ACCESS_LOCAL_WRITE };
	struct xroce_mr_reg_phys phys = { .access = XROCE_ACCESS_LOCAL_WRITE };
	struct xroce_mr_rereg rereg = { .mask = XROCE_REREG_TRANSLATION };
	struct xroce_mr_reg r, odp;
	struct pair p;
	__u64 page;
	int ret;

	if (!pair_open(&p))
		return;
	live_restore_caps();
	/* Whole pages, however little of them. */
	r = mr_region(p.pd_a, memory + MEM_PAGE - 1, 2);
	check(!xroce_mr_reg(p.a, &r), "MR_REG");
	check(used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE, "two bytes of two pages: %llu",
	      used(XROCE_COUNT_PINNED));
	shared.from = r.mr;
	shared.pd = p.pd_a;
	check(!xroce_mr_reg_shared(p.a, &shared), "MR_REG_SHARED");
	check(used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE &&
	      used(XROCE_COUNT_MR) == 2, "shared: %llu",
	      used(XROCE_COUNT_PINNED));
	check(!xroce_mr_dereg(p.a, r.mr), "MR_DEREG");
	check(used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE, "still shared: %llu",
	      used(XROCE_COUNT_PINNED));
	odp = mr_region(p.pd_a, memory, 2 * MEM_PAGE);
	odp.access |= XROCE_ACCESS_ON_DEMAND;
	limit(0, XROCE_COUNT_PINNED, 2 * MEM_PAGE);
	check(!xroce_mr_reg(p.a, &odp), "on demand");
	check(used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE, "on demand: %llu",
	      used(XROCE_COUNT_PINNED));

	/* To other memory there has to be room for both, and then for one. */
	rereg.mr = shared.mr;
	rereg.addr = (uintptr_t)memory;
	rereg.length = 1;
	ret = xroce_mr_rereg(p.a, &rereg);
	check(ret == -EDQUOT, "MR_REREG: %d", ret);
	limit(0, XROCE_COUNT_PINNED, 3 * MEM_PAGE);
	ret = xroce_mr_rereg(p.a, &rereg);
	check(!ret, "MR_REREG: %d", ret);
	check(used(XROCE_COUNT_PINNED) == MEM_PAGE && used(XROCE_COUNT_MR) == 2 &&
	      user_used(ALICE, XROCE_COUNT_MR) == 2, "%llu pinned, %llu regions",
	      used(XROCE_COUNT_PINNED), used(XROCE_COUNT_MR));

	page = mem_pfn(memory) * MEM_PAGE;
	phys.pd = p.pd_b;
	phys.pages = (uintptr_t)&page;
	phys.npages = 1;
	phys.page_shift = MEM_PAGE_SHIFT;
	phys.length = 1;
	check(!xroce_mr_reg_phys(p.b, &phys), "MR_REG_PHYS");
	check(user_used(BOB, XROCE_COUNT_PINNED) == MEM_PAGE, "physical: %llu",
	      user_used(BOB, XROCE_COUNT_PINNED));
	limit(0, XROCE_COUNT_PINNED, 2 * MEM_PAGE);
	ret = xroce_mr_reg_phys(p.b, &phys);
	check(ret == -EDQUOT, "MR_REG_PHYS past the limit: %d", ret);
	check(live_pinned() == 1, "%ld pages are pinned", live_pinned());
	pair_close(&p);
}

/* Each makes what it can. */
static void race_up(struct xroce *x, unsigned int *made)
{
	__u32 id;

	while (!make(x, XROCE_COUNT_MW, 0, spare_pd, &id) &&
	       !make(x, XROCE_COUNT_MR, 0, spare_pd, &id))
		++*made;
}

#define RACERS	4
#define ROOM	50u
#define PLACES	2u	/* more, for which the racers race */

/* Each makes and deletes. There must never be more windows than may be. */
static void race_round(struct xroce *x)
{
	__u32 what, id;
	__u64 seen;
	int i;

	for (i = 0; i < 200; i++) {
		for (what = 0; what < XROCE_COUNTED; what++) {
			if (make(x, what, 0, spare_pd, &id))
				continue;
			seen = what == XROCE_COUNT_MW ? used(what) : 0;
			/* One is another user's. */
			check(seen <= ROOM + PLACES + 1, "%llu windows", seen);
			drop(x, what, id);
		}
	}
}

/* Processes of one user, all at the same time, and a descriptor that they share. */
static void forked(void)
{
	unsigned int *made = mmap(NULL, MEM_PAGE, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct xroce_limit_query was, is;
	struct xroce *own, *x;
	unsigned int i, sum;
	pid_t pid[RACERS];
	struct pair p;
	int go[2], done[2], status;
	char c;

	if (!pair_open(&p) || pipe(go) || pipe(done))
		return;
	live_restore_caps();
	was = used_by(0, 0);
	limit(XROCE_F_USER, XROCE_COUNT_MW, ROOM);
	fflush(NULL);
	for (i = 0; i < RACERS; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		own = i ? open_as(ALICE) : NULL;
		x = own ? : p.a;
		spare_pd = own ? live_pd(own) : p.pd_a;
		live_drop_cap(CAP_NET_ADMIN);
		race_up(x, &made[i]);
		close(go[1]);
		if (write(done[1], "", 1) != 1 || read(go[0], &c, 1))
			_exit(1);
		race_round(x);
		xroce_close(own);
		fflush(NULL);
		_exit(test_failed());
	}
	close(go[0]);
	for (i = 0; i < RACERS; i++)
		check(read(done[0], &c, 1) == 1, "child %u", i);
	for (i = sum = 0; i < RACERS; i++)
		sum += made[i];
	check(user_used(ALICE, XROCE_COUNT_MW) == ROOM && sum == ROOM,
	      "%u made, %llu counted", sum, user_used(ALICE, XROCE_COUNT_MW));
	check(!user_used(BOB, XROCE_COUNT_MW), "another user's");
	expect(p.b, XROCE_COUNT_MW, 0, p.pd_b, 0, "another user");
	limit(XROCE_F_USER, XROCE_COUNT_MW, ROOM + PLACES);
	close(go[1]);
	for (i = 0; i < RACERS; i++) {
		waitpid(pid[i], &status, 0);
		check(!status, "child %u: status %#x", i, status);
	}
	/* What is left is the shared descriptor's, each object once. */
	is = used_by(0, 0);
	check(is.used[XROCE_COUNT_PD] == was.used[XROCE_COUNT_PD] &&
	      is.used[XROCE_COUNT_MR] * MEM_PAGE == is.used[XROCE_COUNT_PINNED] &&
	      !is.used[XROCE_COUNT_QP] && !is.used[XROCE_COUNT_CQ] &&
	      !is.used[XROCE_COUNT_SRQ], "%llu PDs, %llu regions, %llu bytes",
	      is.used[XROCE_COUNT_PD], is.used[XROCE_COUNT_MR],
	      is.used[XROCE_COUNT_PINNED]);
	close(done[0]);
	close(done[1]);
	munmap(made, MEM_PAGE);
	pair_close(&p);
}

/* Who sees whom. */
static void seen(void)
{
	struct xroce_limit_query q;
	struct xroce_limit_set set;
	struct pair p;
	int ret;

	if (!pair_open(&p))
		return;
	set = (struct xroce_limit_set){
		.link = link_number(LIVE_DEV), .mask = 1,
	};
	ret = xroce_limit_set(&set);
	check(ret == -EPERM, "LIMIT_SET without CAP_NET_ADMIN: %d", ret);
	q = (struct xroce_limit_query){
		.flags = XROCE_F_USER, .link = set.link, .uid = ALICE,
	};
	ret = xroce_limit_query(&q);
	check(ret == -ENOENT, "another user: %d", ret);
	check(!setresuid(ALICE, -1, -1), "setresuid");
	ret = xroce_limit_query(&q);
	check(!ret && q.used[XROCE_COUNT_PD] == 1, "oneself: %d", ret);
	q.flags |= XROCE_F_NEXT;
	q.uid = 0;
	ret = xroce_limit_query(&q);
	check(!ret && q.uid == ALICE, "the first: %d, %u", ret, q.uid);
	q.uid = ALICE + 1;
	ret = xroce_limit_query(&q);
	check(ret == -ENOENT, "and no other: %d", ret);
	check(!setresuid(0, -1, -1), "setresuid");

	live_restore_caps();
	q.uid = 0;
	ret = xroce_limit_query(&q);
	check(!ret && q.uid == ALICE, "the first: %d, %u", ret, q.uid);
	q.uid++;
	ret = xroce_limit_query(&q);
	check(!ret && q.uid == BOB, "the second: %d, %u", ret, q.uid);
	q.uid++;
	ret = xroce_limit_query(&q);
	check(ret == -ENOENT, "a third: %d", ret);
	q.flags = XROCE_F_USER;
	q.uid = 12345;
	ret = xroce_limit_query(&q);
	check(!ret && !q.used[XROCE_COUNT_PD], "who has nothing: %d", ret);

	q.flags = 0;
	ret = xroce_limit_query(&q);
	check(ret == -EINVAL, "a user of the link's: %d", ret);
	q.uid = 0;
	q.flags = XROCE_F_NEXT;
	ret = xroce_limit_query(&q);
	check(ret == -EINVAL, "the next of the link's: %d", ret);
	q.flags = 0;
	q.link = 255;
	ret = xroce_limit_query(&q);
	check(ret == -ENOENT, "LIMIT_QUERY of no link: %d", ret);
	set.mask = 0;
	check(xroce_limit_set(&set) == -EINVAL, "no mask");
	set.mask = 1u << XROCE_COUNTED;
	check(xroce_limit_set(&set) == -EINVAL, "a mask that is not");
	set.mask = 1;
	set.limit[1] = 1;
	check(xroce_limit_set(&set) == -EINVAL, "a limit without a mask");
	set.limit[1] = 0;
	set.link = 255;
	check(xroce_limit_set(&set) == -ENOENT, "LIMIT_SET of no link");
	pair_close(&p);
}

#define RDMA_CGROUP	"/sys/module/xroce/parameters/rdma_cgroup"

/* The link made anew, with the controller or without. Return: whether that is so. */
static bool with_group(bool on)
{
	struct xroce_limit_query q;

	live_parameter("rdma_cgroup", on);
	check(!live_detach(LIVE_DEV, 0), "detach");
	if (!check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES), "attach"))
		return false;
	q = used_by(0, 0);
	return check(!!q.device[0] == on, "with the controller: %d", !on);
}

/* Return: whether there is a group, and the link one of its devices. */
static bool group_begin(void)
{
	struct xroce_limit_query q = used_by(0, 0);

	if (access(RDMA_CGROUP, F_OK)) {
		skip("the kernel has no controller for RDMA");
		return false;
	}
	/* Not by itself. */
	check(!q.device[0], "%.16s", q.device);
	return group_open("rdma") && with_group(true);
}

/* The line of a device in a file of the group's. Return: whether it is so. */
static bool group_line(const char *file, const char *want)
{
	char text[512] = "", *at, *end;
	bool is;

	group_get(file, text, sizeof(text));
	at = strstr(text, want);
	end = at ? at + strlen(want) : NULL;
	is = at && (at == text || at[-1] == '\n') && (*end == ' ' || *end == '\n');
	if (!is)
		note("%s: %s", file, text);
	return is;
}

static void used_in_group(const char *device, int handles, int objects)
{
	char line[64];

	snprintf(line, sizeof(line), "%s hca_handle=%d hca_object=%d", device,
		 handles, objects);
	check(group_line("rdma.current", line), "not %s", line);
}

/* In the group: up to its limit, for the reason that it gives. */
static void in_group(int told, int tell)
{
	struct xroce *x, *y;
	__u32 pd, id, what;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!group_join(0))
		_exit(1);
	memory = mem_map(2);
	x = live_open();
	pd = x ? live_pd(x) : 0;
	for (what = XROCE_COUNT_MR; what < XROCE_COUNT_PINNED; what++)
		expect(x, what, 0, pd, 0, "the group");
	/* The seventh is persistent, and the group's all the same. */
	check(!make(x, XROCE_COUNT_PD, XROCE_F_PERSISTENT, 0, &id), "persistent");
	for (what = 0; what < XROCE_COUNT_PINNED; what++)
		expect(x, what, 0, pd, -EAGAIN, "the group, past its limit");
	y = xroce_open(LIVE_DEV);
	check(!y && errno == EAGAIN, "a second handle: %s", strerror(errno));
	if (write(tell, &id, sizeof(id)) != sizeof(id) || read(told, &c, 1) != 1)
		_exit(2);
	fflush(NULL);
	_exit(test_failed() ? 3 : 0);
}

/*
 * The kernel may not live through the end of a device after that of a group with
 * limits for it: see kmod/limit.c.
 */
static void group_end(const char *device)
{
	char line[64];

	snprintf(line, sizeof(line), "%s hca_handle=max hca_object=max", device);
	check(group_put("rdma.max", line), "rdma.max: %s", strerror(errno));
	group_close();
	with_group(false);
}

static void control_group(void)
{
	struct xroce_limit_query q, none = {};
	int to[2], from[2], status;
	struct xroce *x;
	__u32 pd = 0;
	char device[sizeof(q.device) + 1], line[64];
	pid_t child;

	if (!group_begin())
		return;
	q = used_by(0, 0);
	snprintf(device, sizeof(device), "%.*s", (int)sizeof(q.device), q.device);
	check(!pipe(to) && !pipe(from), "pipe");
	snprintf(line, sizeof(line), "%s hca_handle=1 hca_object=7", device);
	check(group_put("rdma.max", line), "rdma.max: %s", strerror(errno));
	fflush(NULL);
	child = fork();
	if (!child)
		in_group(to[0], from[1]);
	check(read(from[0], &pd, sizeof(pd)) == sizeof(pd), "the child");
	used_in_group(device, 1, 7);
	/* Those who are not in it are not its. */
	x = live_open();
	if (x) {
		live_pd(x);
		check(!xroce_pd_del(x, pd), "PD_DEL of the persistent one");
	}
	used_in_group(device, 1, 6);
	check(write(to[1], "", 1) == 1, "the child");
	waitpid(child, &status, 0);
	check(!status, "the child's status %#x", status);
	used_in_group(device, 0, 0);
	live_close(x);
	q = used_by(0, 0);
	check(same(&q, &none), "something is still counted");
	group_end(device);
}

/* Two links have two names, whatever their devices are called. */
static void group_names(void)
{
	struct xroce_limit_query q = {}, other = {};
	char line[64];

	if (!group_begin())
		return;
	q = used_by(0, 0);
	check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES),
	      "attach");
	check(live_rename(LIVE_SPARE, "renamed"), "rename");
	other.link = link_number("renamed");
	check(!xroce_limit_query(&other) && strcmp(other.device, q.device),
	      "both are %s", q.device);
	snprintf(line, sizeof(line), "%s hca_handle=0 hca_object=0", other.device);
	check(group_line("rdma.current", line), "no %s", line);
	check(live_rename("renamed", LIVE_SPARE), "rename");
	check(!live_detach(LIVE_SPARE, 0), "detach");
	check(!group_line("rdma.current", line), "%s is still there", line);
	used_in_group(q.device, 0, 0);
	group_close();
	with_group(false);
}

static const struct test tests[] = {
	{ "limit_of_user", "R7 R10 P1 W1", "each kind, for each user", of_user },
	{ "limit_of_link", "R7 R10 P1 W1", "each kind, for all together",
	  of_link },
	{ "limit_persistent", "R7 R10", "what counts for nobody", persistent },
	{ "limit_lowered", "R7 P1 W1", "below what there is", lowered },
	{ "limit_unwound", "R1 R4 R6 R7", "what fails counts nothing", unwound },
	{ "limit_pinned", "R1 R4 R5 R6 R8 O1", "bytes that are pinned", pins },
	{ "limit_fork", "R7 R8 R10", "processes of one user, at a time", forked },
	{ "limit_seen", "R10 U3", "who sees whom, and wrong arguments", seen },
	{ "limit_group", "R7 R10", "the control group's limit", control_group },
	{ "limit_group_names", "R10", "what links are called there",
	  group_names },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
