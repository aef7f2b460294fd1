// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a link and of its users: what is counted, for which user, and up to which
 * limit; every way to delete an object gives its count back. Users are distinguished by the
 * real user id that opened the device.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "limit.h"
#include "live_mr.h"
#include "mem.h"

#define ALICE	1001u
#define BOB	1002u

/* SYSLOG_ACTION_READ_ALL, which no header of user space has. */
#define LOG_READ_ALL	3

static __u32 spare_pd;		/* protection domain of a child's objects */

/* Set the limit of one kind. */
static void limit(__u32 flags, enum xroce_counted what, __u64 most)
{
	struct xroce_limit_set set = {
		.flags = flags,
		.link = limit_link(LIVE_DEV),
		.mask = 1u << what,
	};

	set.limit[what] = most;
	check_is(xroce_limit_set(&set), 0, "LIMIT_SET of %s, %llu", limit_names[what], most);
}

/* Remove all limits. */
static void unlimited(void)
{
	int i;

	for (i = 0; i < XROCE_COUNTED; i++) {
		limit(0, i, XROCE_LIMIT_NONE);
		limit(XROCE_F_USER, i, XROCE_LIMIT_NONE);
	}
}

static __u64 user_used(__u32 uid, enum xroce_counted what)
{
	return limit_used_by(XROCE_F_USER, uid).used[what];
}

/* Open the device with @uid as the real user id. */
static struct xroce *open_as(uid_t uid)
{
	struct xroce *x;

	check(!setresuid(uid, -1, -1), "setresuid: %s", strerror(errno));
	x = live_open();
	check(!setresuid(0, -1, -1), "setresuid: %s", strerror(errno));
	return x;
}

/* Two users with a protection domain each. */
struct pair {
	struct xroce *a, *b;
	__u32 pd_a, pd_b;
};

static bool pair_open(struct pair *p)
{
	limit_memory = mem_map(2);
	p->a = open_as(ALICE);
	p->b = open_as(BOB);
	if (!limit_memory || !p->a || !p->b)
		return false;
	p->pd_a = live_pd(p->a);
	p->pd_b = live_pd(p->b);
	live_drop_cap(CAP_NET_ADMIN);
	return true;
}

/* Close both; nothing is counted any more. */
static void pair_close(struct pair *p)
{
	struct xroce_limit_query q, none = {};

	live_restore_caps();
	unlimited();
	xroce_close(p->b);
	live_close(p->a);
	q = limit_used_by(0, 0);
	check(limit_same(&q, &none), "something is still counted");
	q = (struct xroce_limit_query){
		.flags = XROCE_F_USER | XROCE_F_NEXT,
		.link = limit_link(LIVE_DEV),
	};
	check(xroce_limit_query(&q) == -ENOENT, "user %u is still there", q.uid);
	munmap(limit_memory, 2 * MEM_PAGE);
}

#define PAIR_TEST(name, ids, about) \
	TEST_OPENED(pair, p, pair_open(&p), pair_close, name, ids, about)

/* Set a limit, with CAP_NET_ADMIN just for this call. */
static void limit_now(__u32 flags, enum xroce_counted what, __u64 most)
{
	live_restore_caps();
	limit(flags, what, most);
	live_drop_cap(CAP_NET_ADMIN);
}

/* A user can make objects up to the limit and not past it; another user is not affected. */
PAIR_TEST(limit_of_user, "R7 R10 P1 W1", "the limit of a user, for each kind")
{
	__u32 what, id[2];
	__u64 most;
	int ret;

	for (what = 0; what < LIMIT_KINDS; what++) {
		live_restore_caps();
		most = user_used(ALICE, what) + 2 * limit_size_of(what);
		limit(XROCE_F_USER, what, most);
		live_drop_cap(CAP_NET_ADMIN);
		ret = limit_make(p->a, what, 0, p->pd_a, &id[0]) ? :
		      limit_make(p->a, what, 0, p->pd_a, &id[1]);
		check(!ret, "%s up to the limit: %d", limit_names[what], ret);
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "one past it");
		limit_expect(p->b, what, 0, p->pd_b, 0, "another user");
		check(!limit_drop(p->a, what, id[1]), "del");
		limit_expect(p->a, what, 0, p->pd_a, 0, "one less than it");
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "one past it again");
		live_restore_caps();
		check(user_used(ALICE, what) == most, "%s: %llu, not %llu",
		      limit_names[what], user_used(ALICE, what), most);
		limit_expect(p->a, what, 0, p->pd_a, 0, "who has CAP_NET_ADMIN");
		limit(XROCE_F_USER, what, XROCE_LIMIT_NONE);
		live_drop_cap(CAP_NET_ADMIN);
		limit_expect(p->a, what, 0, p->pd_a, 0, "one without a limit");
	}
}

/* Lines of the kernel's log that tell of a refusal. */
static unsigned int refusals_logged(void)
{
	static char log[1 << 20];
	int len = klogctl(LOG_READ_ALL, log, sizeof(log) - 1);
	unsigned int n = 0;
	char *at = log;

	if (!check(len >= 0, "klogctl: %s", strerror(errno)))
		return 0;
	log[len] = '\0';
	while ((at = strstr(at, " was refused "))) {
		at++;
		n++;
	}
	return n;
}

/* A line in a minute. */
PAIR_TEST(limit_log, "R10", "whoever is refused again and again does not fill the log")
{
	unsigned int before = refusals_logged(), i;

	limit_now(XROCE_F_USER, XROCE_COUNT_PD, 1);
	for (i = 0; i < 50; i++)
		limit_expect(p->a, XROCE_COUNT_PD, 0, p->pd_a, -EDQUOT, "past the limit");
	check(refusals_logged() - before <= 1, "%u lines", refusals_logged() - before);
}

/* The link's limit is for all users together, whatever their capabilities. */
PAIR_TEST(limit_of_link, "R7 R10 P1 W1", "the limit of a link, for each kind, over all users")
{
	__u32 what;

	for (what = 0; what < LIMIT_KINDS; what++) {
		limit_now(0, what, limit_used(what) + 2 * limit_size_of(what));
		limit_expect(p->a, what, 0, p->pd_a, 0, "one user");
		limit_expect(p->b, what, 0, p->pd_b, 0, "another one");
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "one user, past it");
		limit_expect(p->b, what, 0, p->pd_b, -EDQUOT, "another one, past it");
		live_restore_caps();
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "who has CAP_NET_ADMIN");
		if (what == XROCE_COUNT_PD)
			limit_expect(p->a, what, XROCE_F_PERSISTENT, 0, -EDQUOT,
			       "a persistent one");
		limit_now(0, what, XROCE_LIMIT_NONE);
	}
}

/*
 * Persistent objects count for the link, not for the user who made them; deleting them
 * gives the count back.
 */
PAIR_TEST(limit_persistent, "R7 R10", "persistent objects count for the link only")
{
	static const enum xroce_counted kinds[] = {
		XROCE_COUNT_MR, XROCE_COUNT_MW, XROCE_COUNT_QP,
	};
	struct xroce_limit_query was, is;
	__u32 pd, id[3];
	size_t i;

	live_restore_caps();
	was = limit_used_by(XROCE_F_USER, ALICE);
	check(!xroce_pd_add(p->a, XROCE_F_PERSISTENT, &pd), "PD_ADD");
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		check(!limit_make(p->a, kinds[i], XROCE_F_PERSISTENT, pd, &id[i]),
		      "%s", limit_names[kinds[i]]);
	is = limit_used_by(XROCE_F_USER, ALICE);
	check(limit_same(&was, &is), "persistent objects count for their maker");
	is = limit_used_by(0, 0);
	check(is.used[XROCE_COUNT_PD] == 3 && is.used[XROCE_COUNT_MR] == 1 &&
	      is.used[XROCE_COUNT_MW] == 1 && is.used[XROCE_COUNT_QP] == 1 &&
	      is.used[XROCE_COUNT_PINNED] == MEM_PAGE,
	      "persistent objects are not counted for the link");
	/* Deleted through another descriptor. */
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		check(!limit_drop(p->b, kinds[i], id[i]), "%s", limit_names[kinds[i]]);
	check(!xroce_pd_del(p->b, pd), "PD_DEL");
	check(limit_used(XROCE_COUNT_PD) == 2 && !limit_used(XROCE_COUNT_PINNED), "left");
}

/*
 * A limit below the current usage keeps existing objects. New ones are refused until usage
 * is below it.
 */
PAIR_TEST(limit_lowered, "R7 P1 W1", "a limit below the current usage")
{
	__u32 what, id[3], i;
	__u64 was;

	for (what = 0; what < LIMIT_KINDS; what++) {
		live_restore_caps();
		was = user_used(ALICE, what);
		live_drop_cap(CAP_NET_ADMIN);
		for (i = 0; i < 3; i++)
			check(!limit_make(p->a, what, 0, p->pd_a, &id[i]), "%s",
			      limit_names[what]);
		limit_now(XROCE_F_USER, what, was + limit_size_of(what));
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "two past it");
		check(!limit_drop(p->a, what, id[0]), "del");
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "one past it");
		check(!limit_drop(p->a, what, id[1]), "del");
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "just there");
		check(!limit_drop(p->a, what, id[2]), "del");
		limit_expect(p->a, what, 0, p->pd_a, 0, "below it");
		limit_now(XROCE_F_USER, what, 0);
		limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "none allowed");
		limit_expect(p->b, what, 0, p->pd_b, -EDQUOT, "nobody");
		limit_now(XROCE_F_USER, what, XROCE_LIMIT_NONE);
	}
}

/* A command that fails for another reason than a limit leaves the counts unchanged. */
PAIR_TEST(limit_unwound, "R1 R4 R6 R7", "a failed command counts nothing")
{
	struct xroce_cq_add cq = { .size = sizeof(cq), .entries = 17 };
	struct xroce_qp_add qp = { .size = sizeof(qp), .type = XROCE_QPT_RC };
	struct xroce_mr_reg_shared shared = { .size = sizeof(shared) };
	struct xroce_mr_reg_phys phys = { .access = XROCE_ACCESS_LOCAL_WRITE };
	struct xroce_limit_query was, is;
	__u32 what, id, n = 0;
	struct xroce_mr_reg r;
	__u64 page[2] = {};
	int ret;

	live_restore_caps();
	was = limit_used_by(XROCE_F_USER, ALICE);
	for (what = XROCE_COUNT_MR; what < LIMIT_KINDS; what++)
		if (what != XROCE_COUNT_CQ)
			limit_expect(p->a, what, 0, 0xffff, -ENOENT, "a PD that does not exist");
	munmap(limit_memory + MEM_PAGE, MEM_PAGE);
	r = mr_region(p->pd_a, limit_memory, 2 * MEM_PAGE);
	mr_refused(p->a, r, -EFAULT);
	page[0] = mem_pfn(limit_memory) * MEM_PAGE;	/* page[1] is 0: not RAM that may be
							 * registered */
	phys.pd = p->pd_a;
	phys.pages = (uintptr_t)page;
	phys.npages = 2;
	phys.page_shift = MEM_PAGE_SHIFT;
	phys.length = 2 * MEM_PAGE;
	check(xroce_mr_reg_phys(p->a, &phys), "MR_REG_PHYS of page 0");
	check_is(live_ioctl(xroce_fd(p->a), XROCE_CMD_CQ_ADD, &cq), -EINVAL, "CQ_ADD");
	qp.pd = p->pd_a;
	qp.recv_cq = 0xffff;
	ret = live_ioctl(xroce_fd(p->a), XROCE_CMD_QP_ADD, &qp);
	check(ret, "QP_ADD with a CQ that does not exist");
	qp.recv_cq = 0;
	qp.rq_entries = 3;
	check_is(live_ioctl(xroce_fd(p->a), XROCE_CMD_QP_ADD, &qp), -EINVAL, "QP_ADD");
	ret = live_ioctl(xroce_fd(p->a), XROCE_CMD_MR_REG_SHARED, &shared);
	check(ret == -ENOENT, "MR_REG_SHARED: %d", ret);
	/* MR_REG checks this limit only after it has pinned the memory. */
	limit(0, XROCE_COUNT_MR, 0);
	limit_expect(p->a, XROCE_COUNT_MR, 0, p->pd_a, -EDQUOT, "none allowed");
	limit(0, XROCE_COUNT_MR, XROCE_LIMIT_NONE);
	check(!live_pinned(), "%ld pages are pinned", live_pinned());
	is = limit_used_by(XROCE_F_USER, ALICE);
	check(limit_same(&was, &is), "something was counted");

	/* The table of queue pairs is full. */
	while (!(ret = limit_make(p->a, XROCE_COUNT_QP, 0, p->pd_a, &id)))
		n++;
	check(ret == -ENOSPC && n == LIVE_QP_ENTRIES &&
	      user_used(ALICE, XROCE_COUNT_QP) == n, "%d: %u, counted %llu", ret,
	      n, user_used(ALICE, XROCE_COUNT_QP));
}

/* Several regions over the same memory, and the pinned bytes that they count. */
PAIR_TEST(limit_pinned, "R1 R4 R5 R6 R8 O1", "pinned bytes are counted")
{
	struct xroce_mr_reg_shared shared = { .access = XROCE_ACCESS_LOCAL_WRITE };
	struct xroce_mr_reg_phys phys = { .access = XROCE_ACCESS_LOCAL_WRITE };
	struct xroce_mr_rereg rereg = { .mask = XROCE_REREG_TRANSLATION };
	struct xroce_mr_reg r, odp;
	__u64 page;

	live_restore_caps();
	/* Whole pages count, however few bytes of them are registered. */
	r = mr_region(p->pd_a, limit_memory + MEM_PAGE - 1, 2);
	check(!xroce_mr_reg(p->a, &r), "MR_REG");
	check(limit_used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE, "two bytes of two pages: %llu",
	      limit_used(XROCE_COUNT_PINNED));
	shared.from = r.mr;
	shared.pd = p->pd_a;
	check(!xroce_mr_reg_shared(p->a, &shared), "MR_REG_SHARED");
	check(limit_used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE &&
	      limit_used(XROCE_COUNT_MR) == 2, "shared: %llu",
	      limit_used(XROCE_COUNT_PINNED));
	check(!xroce_mr_dereg(p->a, r.mr), "MR_DEREG");
	check(limit_used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE, "still shared: %llu",
	      limit_used(XROCE_COUNT_PINNED));
	odp = mr_region(p->pd_a, limit_memory, 2 * MEM_PAGE);
	odp.access |= XROCE_ACCESS_ON_DEMAND;
	limit(0, XROCE_COUNT_PINNED, 2 * MEM_PAGE);
	check(!xroce_mr_reg(p->a, &odp), "on demand");
	check(limit_used(XROCE_COUNT_PINNED) == 2 * MEM_PAGE, "on demand: %llu",
	      limit_used(XROCE_COUNT_PINNED));

	/*
	 * A change to other memory needs room for both; afterwards only the new memory
	 * counts.
	 */
	rereg.mr = shared.mr;
	rereg.addr = (uintptr_t)limit_memory;
	rereg.length = 1;
	check_is(xroce_mr_rereg(p->a, &rereg), -EDQUOT, "MR_REREG");
	limit(0, XROCE_COUNT_PINNED, 3 * MEM_PAGE);
	check_is(xroce_mr_rereg(p->a, &rereg), 0, "MR_REREG");
	check(limit_used(XROCE_COUNT_PINNED) == MEM_PAGE && limit_used(XROCE_COUNT_MR) == 2 &&
	      user_used(ALICE, XROCE_COUNT_MR) == 2, "%llu pinned, %llu regions",
	      limit_used(XROCE_COUNT_PINNED), limit_used(XROCE_COUNT_MR));

	page = mem_pfn(limit_memory) * MEM_PAGE;
	phys.pd = p->pd_b;
	phys.pages = (uintptr_t)&page;
	phys.npages = 1;
	phys.page_shift = MEM_PAGE_SHIFT;
	phys.length = 1;
	check(!xroce_mr_reg_phys(p->b, &phys), "MR_REG_PHYS");
	check(user_used(BOB, XROCE_COUNT_PINNED) == MEM_PAGE, "physical: %llu",
	      user_used(BOB, XROCE_COUNT_PINNED));
	limit(0, XROCE_COUNT_PINNED, 2 * MEM_PAGE);
	check_is(xroce_mr_reg_phys(p->b, &phys), -EDQUOT, "MR_REG_PHYS past the limit");
	check(live_pinned() == 1, "%ld pages are pinned", live_pinned());
}

/* Make objects until one is refused. @made: the number of windows. */
static void race_up(struct xroce *x, unsigned int *made)
{
	__u32 id;

	while (!limit_make(x, XROCE_COUNT_MW, 0, spare_pd, &id) &&
	       !limit_make(x, XROCE_COUNT_MR, 0, spare_pd, &id))
		++*made;
}

#define RACERS	4
#define ROOM	50u
#define PLACES	2u	/* raised by this much, so that the racers compete */

/* Make and delete. There must never be more windows than the limit. */
static void race_round(struct xroce *x)
{
	__u32 what, id;
	__u64 seen;
	int i;

	for (i = 0; i < 200; i++) {
		for (what = 0; what < LIMIT_KINDS; what++) {
			if (limit_make(x, what, 0, spare_pd, &id))
				continue;
			seen = what == XROCE_COUNT_MW ? limit_used(what) : 0;
			/* One window belongs to another user. */
			check(seen <= ROOM + PLACES + 1, "%llu windows", seen);
			limit_drop(x, what, id);
		}
	}
}

/* Several processes of one user at the same time, one of them with a shared descriptor. */
TEST(limit_fork, "R7 R8 R10", "concurrent processes of one user stay within the limit")
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
	was = limit_used_by(0, 0);
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
	limit_expect(p.b, XROCE_COUNT_MW, 0, p.pd_b, 0, "another user");
	limit(XROCE_F_USER, XROCE_COUNT_MW, ROOM + PLACES);
	close(go[1]);
	for (i = 0; i < RACERS; i++) {
		waitpid(pid[i], &status, 0);
		check(!status, "child %u: status %#x", i, status);
	}
	/* Only the objects of the shared descriptor are left, each counted once. */
	is = limit_used_by(0, 0);
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

/* LIMIT_QUERY: which user may see the counts of which user. */
PAIR_TEST(limit_seen, "R10 U3", "who may query and set limits; invalid arguments")
{
	struct xroce_limit_query q;
	struct xroce_limit_set set;
	int ret;

	set = (struct xroce_limit_set){
		.link = limit_link(LIVE_DEV), .mask = 1,
	};

	check_is(xroce_limit_set(&set), -EPERM, "LIMIT_SET without CAP_NET_ADMIN");
	q = (struct xroce_limit_query){
		.flags = XROCE_F_USER, .link = set.link, .uid = ALICE,
	};

	check_is(xroce_limit_query(&q), -ENOENT, "another user");
	check(!setresuid(ALICE, -1, -1), "setresuid");
	ret = xroce_limit_query(&q);
	check(!ret && q.used[XROCE_COUNT_PD] == 1, "oneself: %d", ret);
	q.flags |= XROCE_F_NEXT;
	q.uid = 0;
	ret = xroce_limit_query(&q);
	check(!ret && q.uid == ALICE, "the first: %d, %u", ret, q.uid);
	q.uid = ALICE + 1;
	check_is(xroce_limit_query(&q), -ENOENT, "and no other");
	check(!setresuid(0, -1, -1), "setresuid");

	live_restore_caps();
	q.uid = 0;
	ret = xroce_limit_query(&q);
	check(!ret && q.uid == ALICE, "the first: %d, %u", ret, q.uid);
	q.uid++;
	ret = xroce_limit_query(&q);
	check(!ret && q.uid == BOB, "the second: %d, %u", ret, q.uid);
	q.uid++;
	check_is(xroce_limit_query(&q), -ENOENT, "a third");
	q.flags = XROCE_F_USER;
	q.uid = 12345;
	ret = xroce_limit_query(&q);
	check(!ret && !q.used[XROCE_COUNT_PD], "a user without objects: %d", ret);

	q.flags = 0;
	check_is(xroce_limit_query(&q), -EINVAL, "a user of the link's");
	q.uid = 0;
	q.flags = XROCE_F_NEXT;
	check_is(xroce_limit_query(&q), -EINVAL, "the next of the link's");
	q.flags = 0;
	q.link = 255;
	check_is(xroce_limit_query(&q), -ENOENT, "LIMIT_QUERY of no link");
	set.mask = 0;
	check(xroce_limit_set(&set) == -EINVAL, "no mask");
	set.mask = 1u << XROCE_COUNTED;
	check(xroce_limit_set(&set) == -EINVAL, "an invalid mask");
	set.mask = 1;
	set.limit[1] = 1;
	check(xroce_limit_set(&set) == -EINVAL, "a limit without a mask");
	set.limit[1] = 0;
	set.link = 255;
	check(xroce_limit_set(&set) == -ENOENT, "LIMIT_SET of no link");
}

/* Objects of @what that a user can make. */
static unsigned int make_all(struct xroce *x, enum xroce_counted what, __u32 pd)
{
	unsigned int n = 0;
	__u32 id;
	int ret;

	while (!(ret = limit_make(x, what, 0, pd, &id)))
		n++;
	check(ret == -EDQUOT, "%s: %d after %u", limit_names[what], ret, n);
	return n;
}

/* A table of @places, of which an eighth is the reserve. */
static void share_of(struct pair *p, enum xroce_counted what, unsigned int places)
{
	unsigned int usable = places - (places + 7) / 8, room = usable, n;
	__u64 refused = limit_used_by(0, 0).refused[what];
	__u32 id;

	/* One user leaves half of it. */
	n = make_all(p->a, what, p->pd_a);
	check(n == usable / 2, "%u %s of %u", n, limit_names[what], places);
	room -= n;
	check(limit_used_by(0, 0).refused[what] == refused + 1, "not counted");
	check(limit_used_by(0, 0).room[what] == room, "room for %llu, not %u",
	      limit_used_by(0, 0).room[what], room);
	/* So has another user, and then both have as much as remains free. */
	n = make_all(p->b, what, p->pd_b);
	check(n == room / 2, "%u %s, room for %u", n, limit_names[what], room);
	room -= n;
	limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "the first user again");
	/* A limit of users replaces the share, but does not touch the reserve. */
	limit_now(XROCE_F_USER, what, places);
	n = make_all(p->b, what, p->pd_b);
	check(n == room, "%u %s, room for %u", n, limit_names[what], room);
	limit_now(XROCE_F_USER, what, XROCE_LIMIT_NONE);
	limit_expect(p->a, what, 0, p->pd_a, -EDQUOT, "a user, of the reserve");
	live_restore_caps();
	check(!limit_make(p->a, what, 0, p->pd_a, &id), "%s with CAP_NET_ADMIN",
	      limit_names[what]);
	if (what == XROCE_COUNT_QP)
		for (n = 1; n < places / 8; n++)
			check(!limit_make(p->a, what, 0, p->pd_a, &id), "place %u of the reserve",
			      n);
	live_drop_cap(CAP_NET_ADMIN);
}

PAIR_TEST(limit_share_qps, "R10", "no user takes all queue pairs; some are for administrators")
{
	share_of(p, XROCE_COUNT_QP, LIVE_QP_ENTRIES);
}

/* Regions and windows are in the same table. */
PAIR_TEST(limit_share_keys, "R9 R10", "nor all keys")
{
	share_of(p, XROCE_COUNT_MW, LIVE_MPT_ENTRIES - 1);
	limit_expect(p->a, XROCE_COUNT_MR, 0, p->pd_a, -EDQUOT, "a user, after windows");
}

PAIR_TEST(limit_share_windows, "R9 R10 W1", "nor windows behind regions")
{
	make_all(p->a, XROCE_COUNT_MR, p->pd_a);
	limit_expect(p->a, XROCE_COUNT_MW, 0, p->pd_a, -EDQUOT, "a user, after regions");
}

TEST_MAIN(live_main_no_packets);
