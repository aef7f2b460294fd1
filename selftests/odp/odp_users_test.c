// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred packets count against a limit for all users. One user's memory is a file whose
 * bytes never come, and packets for it keep coming. There must still be room for another
 * user's packets, so that these get no RNR NAK.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "fuse.h"
#include "limit.h"
#include "mem.h"
#include "odp.h"

#define ALICE		1001u
#define BOB		1002u
#define KEPT_ALL	4096u	/* for all users together */
#define KEPT_QP		256u	/* for a queue pair */
#define QPS		(KEPT_ALL / KEPT_QP)

/* Alice's memory never comes. Her queue pairs are enough to reach the limit. */
struct flood {
	struct fuse fuse;
	struct odp o;
	struct wire qp[QPS];
	__u32 qps;
};

static void become(uid_t uid)
{
	check(!setresuid(uid, -1, -1), "setresuid: %s", strerror(errno));
}

static bool flood_open(struct flood *f)
{
	/* Bob's handle is still open when hers is closed. */
	static const struct wire_opts beside = { .beside = true };
	struct wire_opts opts = { .with = &f->o.w };

	if (!odp_open_opts(&f->o, 1, &beside) ||
	    !check(mmap(f->o.mem, MEM_PAGE, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_FIXED, f->fuse.fd, 0) == f->o.mem, "mmap: %s",
		   strerror(errno)))
		return false;
	for (f->qps = 0; f->qps < QPS; f->qps++) {
		opts.peer = WIRE_QPN + 1 + f->qps;
		if (!wire_open(&f->qp[f->qps], &opts))
			return false;
	}
	return true;
}

static void flood_close(struct flood *f)
{
	fuse_abort(&f->fuse);
	while (f->qps)
		wire_close(&f->qp[--f->qps]);
	odp_close(&f->o);
	fuse_close(&f->fuse);
}

/* Send as many packets as there is room for altogether. */
static void flood(struct flood *f)
{
	struct packet *req;
	__u32 i, n;

	for (i = 0; i < QPS; i++) {
		req = &f->qp[i].req;
		req->va = ODP_IOVA;
		req->rkey = f->o.mr.rkey;
		for (n = 0; n < KEPT_QP && wire_send(&f->qp[i]); n++)
			req->psn = (req->psn + 1) & XROCE_PSN_MASK;
	}
}

static __u64 kept_by(__u32 uid)
{
	return limit_used_by(XROCE_F_USER, uid).used[XROCE_COUNT_DEFERRED];
}

struct kept {
	__u32 uid;
	__u64 want;
};

static bool is_kept(void *arg)
{
	const struct kept *k = arg;

	return kept_by(k->uid) == k->want;
}

static void limit_kept(__u32 flags, __u64 most)
{
	struct xroce_limit_set set = {
		.flags = flags,
		.link = limit_link(LIVE_DEV),
		.mask = 1u << XROCE_COUNT_DEFERRED,
	};

	set.limit[XROCE_COUNT_DEFERRED] = most;
	check(!xroce_limit_set(&set), "LIMIT_SET");
}

/* When Alice has reached her limit, @want, Bob's requests are executed at once. */
static void beside_a_flood(__u64 want)
{
	struct kept alice = { ALICE, want };
	static struct flood f;
	struct odp bob;

	/* The first odp_open() sets up the network, which needs root. */
	if (!odp_open(&bob, 1))
		return;
	odp_close(&bob);
	if (!fuse_open(&f.fuse, MEM_PAGE))
		return;
	live_parameter("odp_defer_ms", 60000);
	become(BOB);
	if (!odp_open(&bob, 4))
		return;
	become(ALICE);
	if (flood_open(&f)) {
		become(0);
		flood(&f);
		check(live_wait(is_kept, &alice), "%llu deferred for Alice, not %llu",
		      kept_by(ALICE), want);
		check(limit_used(XROCE_COUNT_DEFERRED) == want, "%llu deferred for all",
		      limit_used(XROCE_COUNT_DEFERRED));
		ACKED(odp_write(&bob, 0, 64, 7));
		check(!bob.rnr && odp_is(bob.mem, 64, 7),
		      "Bob's peer got %u RNR NAKs", bob.rnr);
		check(!kept_by(BOB), "%llu are still deferred for Bob", kept_by(BOB));
	}
	flood_close(&f);
	become(0);
	check(!limit_used(XROCE_COUNT_DEFERRED), "%llu are still deferred",
	      limit_used(XROCE_COUNT_DEFERRED));
	odp_close(&bob);
	live_parameter("odp_defer_ms", 20);
}

/* A user can have no more deferred packets than are still free: at most half. */
TEST(odp_users_shared, "O3 P2", "a user's deferred packets leave room for another user's")
{
	beside_a_flood(KEPT_ALL / 2);
}

TEST(odp_users_limited, "O3 P2", "limits of deferred packets for users and links")
{
	limit_kept(XROCE_F_USER, 100);
	beside_a_flood(100);
	limit_kept(XROCE_F_USER, XROCE_LIMIT_NONE);
	limit_kept(0, 200);
	limit_kept(XROCE_F_USER, 199);
	beside_a_flood(199);
	limit_kept(0, XROCE_LIMIT_NONE);
	limit_kept(XROCE_F_USER, XROCE_LIMIT_NONE);
}

TEST_MAIN(live_main);
