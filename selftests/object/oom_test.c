// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process with regions is killed under traffic because memory is short. Its objects
 * disappear, accesses to its memory through other owners' regions are refused, and another
 * process is served all the time.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checked.h"
#include "group.h"
#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "odp.h"
#include "traffic.h"

#define PEER	"c0"
#define PINNED	(512 * MEM_PAGE)
#define ROOM	(8ull << 20)		/* memory limit of the group */
#define LEFT	PINNED			/* on-demand memory left untouched, for the peer to fault
					 * in */
#define MOST	(64ull << 30)		/* memory that the process tries to touch */
#define OTHER	0x31u			/* a peer's queue pair number, other than that of
					 * checked.c */

static struct checked beside;
static struct traffic *traffic;

/* Make a region and a queue pair that accepts WRITEs to it. */
static int serve(struct xroce *x, __u32 pd, struct traffic_target *to,
		 struct xroce_mr_reg *r)
{
	struct xroce_qp_modify m;
	__u32 qpn, state;

	r->access |= XROCE_ACCESS_REMOTE_WRITE;
	r->iova = r->addr;
	if (xroce_mr_reg(x, r) || xroce_qp_create_responder(x, 0, pd, &qpn))
		return -1;
	for (state = XROCE_QPS_INIT; state <= XROCE_QPS_RTS; state++) {
		m = qp_change(qpn, state, qp_attrs(XROCE_QPT_RC, state));
		m.dest_qpn = OTHER;
		if (xroce_qp_modify(x, &m))
			return -1;
	}
	to->rkey = r->rkey;
	to->iova = r->iova;
	__atomic_store_n(&to->qpn, qpn, __ATOMIC_RELEASE);
	return 0;
}

/*
 * The victim: has a pinned and an on-demand region, waits for traffic, then touches more
 * memory than there is.
 */
static void be_killed(bool group)
{
	struct xroce_mr_reg pinned, odp;
	char *mem = mmap(NULL, PINNED + MOST, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct xroce *x;
	__u32 pd;
	__u64 at;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!(group ? group_join(1000) : group_score(1000)))
		_exit(1);
	x = xroce_open(LIVE_DEV);
	if (mem == MAP_FAILED || !x || xroce_pd_add(x, 0, &pd))
		_exit(2);
	pinned = mr_region(pd, mem, PINNED);
	odp = mr_region(pd, mem + PINNED, 2 * LEFT);
	odp.access |= XROCE_ACCESS_ON_DEMAND;
	if (serve(x, pd, &traffic->target[0], &pinned) ||
	    serve(x, pd, &traffic->target[1], &odp))
		_exit(3);
	if (!traffic_goes_on(traffic, 50))
		_exit(4);
	for (at = LEFT; at < MOST; at += MEM_PAGE)
		mem[PINNED + at] = 1;
	_exit(5);
}

static bool dropped(void *arg)
{
	return live_stat().drop_qpn >= *(__u64 *)arg;
}

/* Only the objects that existed before are left. */
static void nothing_left(const struct xroce_link_query *was, long pinned)
{
	struct xroce_link_query is;
	__u64 drops = live_stat().drop_qpn + 50;

	check(!xroce_link_find(LIVE_DEV, &is) && is.users == was->users &&
	      is.pds == was->pds && is.mrs == was->mrs && is.qps == was->qps,
	      "%u users, %u PDs, %u regions, %u QPs", is.users, is.pds, is.mrs,
	      is.qps);
	check(live_pinned() == pinned, "%ld pages are pinned, not %ld",
	      live_pinned(), pinned);
	check(live_wait(dropped, &drops), "no packet for a deleted queue pair");
}

static void killed(bool group)
{
	struct xroce_link_query was;
	int status = 0;
	pid_t sender, victim;
	long pinned;

	traffic = traffic_new();
	if (!traffic || !checked_start(&beside, NULL, NULL))
		return;
	check(!xroce_link_find(LIVE_DEV, &was), "link");
	pinned = live_pinned();
	sender = traffic_start(traffic, PEER, LIVE_DEV);
	quiet();
	fflush(NULL);
	victim = fork();
	if (!victim)
		be_killed(group);
	check(waitpid(victim, &status, 0) == victim && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGKILL, "status %#x", status);
	quiet_end();
	nothing_left(&was, pinned);
	checked_goes_on(&beside, 5);
	traffic_stop(sender);
	checked_stop(&beside);
	munmap(traffic, sizeof(*traffic));
	live_check_idle(LIVE_DEV);
}

/* Killed by the limit of its control group. */
TEST(oom_group, "R7 R8 O1 O4", "the memory limit of its control group is reached")
{
	if (!group_open("memory"))
		return;
	group_limit(ROOM);
	killed(true);
	group_close();
}

/*
 * The machine's memory is short, and the process that is to be killed first has regions. It
 * runs only on request: on a slow machine the search for the last free page can keep a CPU
 * busy for so long that the kernel reports a lockup.
 */
TEST(oom_machine, "R7 R8 O1 O4", "the machine's memory is full")
{
	if (!getenv("XROCE_OOM_MACHINE")) {
		skip("XROCE_OOM_MACHINE is not set");
		return;
	}
	killed(false);
}

/*
 * The peer fills the group, by WRITEs to on-demand memory that the process has not touched.
 * The process is killed. Accesses to its memory are remote access errors then, and the
 * region can be deregistered.
 */
TEST(oom_by_peer, "O3 O4 D5", "a peer has filled the group's memory")
{
	static const struct wire_opts opts = { .beside = true, .peer = OTHER };
	struct xroce_mr_dereg dereg = { .size = sizeof(dereg) };
	int status = 0, syndrome = XROCE_SYN_ACK;
	struct xroce_mr_reg its;
	struct odp o;
	pid_t victim;
	size_t i;

	if (!group_open("memory") || !odp_open_opts(&o, 2 * ROOM / MEM_PAGE, &opts))
		return;
	check(checked_start(&beside, NULL, NULL), "traffic");
	fflush(NULL);
	victim = fork();
	if (!victim) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (group_join(1000); ; )
			pause();
	}
	its = o.mr;
	its.flags = XROCE_F_PID;
	its.pid = victim;
	check(!xroce_mr_reg(o.w.x, &its), "MR_REG");
	o.mr = its;
	/* The process has joined the group by now. */
	ACKED(odp_write(&o, 0, 64, 1));
	quiet();
	group_limit(ROOM);
	for (i = 1; i < o.bytes / MEM_PAGE && syndrome == XROCE_SYN_ACK; i++)
		syndrome = odp_write(&o, i * MEM_PAGE, 64, i);
	check(syndrome != XROCE_SYN_ACK, "all of it was written");
	check(waitpid(victim, &status, 0) == victim && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGKILL, "status %#x", status);
	quiet_end();
	note("after %zu pages: syndrome %#x", i, syndrome);
	/* The first NAK depends on timing: on how far the exit of the process has come. */
	check(syndrome == XROCE_SYN_NAK_ACC || syndrome == XROCE_SYN_NAK_OP,
	      "syndrome %#x", syndrome);
	if (wire_again(&o.w))
		REFUSED(odp_write(&o, 0, 64, 2));
	if (wire_again(&o.w))
		REFUSED(odp_write(&o, i * MEM_PAGE, 64, 3));
	dereg.mr = its.mr;
	check(!live_ioctl(xroce_fd(o.w.x), XROCE_CMD_MR_DEREG, &dereg),
	      "MR_DEREG");
	checked_goes_on(&beside, 5);
	checked_stop(&beside);
	odp_close(&o);
	live_check_idle(LIVE_DEV);
	group_close();
}

TEST_MAIN(live_main);
