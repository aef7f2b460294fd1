// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process ends under traffic: the one with the memory, or the one that owns the
 * region. Its memory is no longer accessible, and no object is left.
 */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "live_mr.h"
#include "mem.h"
#include "odp.h"
#include "traffic.h"

#define PAGES	64u
#define ROUNDS	10

/* A child with a copy of our memory, which keeps dropping pages of it. */
static pid_t other(struct odp *o)
{
	pid_t pid = fork();
	size_t i;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0;; i = (i + 7) % PAGES) {
		madvise(o->mem + i * MEM_PAGE, MEM_PAGE, MADV_DONTNEED);
		usleep(300);
	}
}

/*
 * Send WRITEs until one is refused; kill @victim before number @when. Return: how many were
 * acknowledged.
 */
static unsigned int until_refused(struct odp *o, pid_t victim, unsigned int when)
{
	int syndrome = XROCE_SYN_ACK;
	unsigned int i;

	for (i = 0; i < 2000 && syndrome == XROCE_SYN_ACK && !test_failed(); i++) {
		if (i == when)
			kill(victim, SIGKILL);
		syndrome = odp_write(o, i % PAGES * MEM_PAGE, 512, i);
	}
	odp_check_refused(syndrome, "WRITE to memory of an ended process");
	return i - 1;
}

ODP_TEST(odp_memory_ends, "O4 O6", "the process with the memory ends", PAGES)
{
	struct xroce_mr_reg own;
	unsigned int n;
	pid_t pid;
	int i;

	o->wait_ms = 1;
	own = o->mr;
	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		pid = other(o);
		odp_register_of(o, pid);
		n = until_refused(o, pid, 20 + 13 * i);
		check(n >= 20 + 13u * i, "refused after %u", n);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		wire_again(&o->w);
		REFUSED(odp_write(o, 0, 64, 1));
		check(live_wait(odp_empty, o), "%llu pages resident",
		      odp_query(o).odp_resident);
		check(!o->mem[0], "the parent's memory was written");
		wire_again(&o->w);
		check(!xroce_mr_dereg(o->w.x, o->mr.mr), "MR_DEREG");
	}
	o->mr = own;
	ACKED(odp_write(o, 0, 64, 0x19));
	odp_is(o->mem, 64, 0x19);
}

/* Make a region and a queue pair, tell the sender, and keep dropping a page. */
static void own_and_wait(struct traffic *t)
{
	struct odp o;
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!odp_open(&o, PAGES))
		_exit(1);
	t->target[0].rkey = o.mr.rkey;
	t->target[0].iova = ODP_IOVA;
	__atomic_store_n(&t->target[0].qpn, o.w.qpn, __ATOMIC_RELEASE);
	for (i = 0;; i++) {
		madvise(o.mem, MEM_PAGE, MADV_DONTNEED);
		usleep(2000);
	}
}

TEST(odp_owner_ends, "O4 O6 O9", "the process that owns the region ends")
{
	struct traffic *t = traffic_new();
	struct xroce_stat before, now;
	pid_t sender, owner;
	int i;

	if (!t)
		return;
	sender = traffic_start(t, "c0", LIVE_DEV);
	before = live_stat();
	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		owner = fork();
		if (!owner)
			own_and_wait(t);
		traffic_goes_on(t, 100 + 30 * i);
		kill(owner, SIGKILL);
		waitpid(owner, NULL, 0);
		live_check_idle(LIVE_DEV);
		/* The same packets, for a queue pair that does not exist any more. */
		traffic_goes_on(t, 20);
		t->target[0].qpn = 0;
	}
	now = live_stat();
	check(now.write - before.write > ROUNDS, "%llu WRITEs executed",
	      now.write - before.write);
	note("%llu WRITEs, %llu RNR NAKs", now.write - before.write,
	     now.nak_rnr - before.nak_rnr);
	traffic_stop(sender);
	munmap(t, sizeof(*t));
}

TEST_MAIN(live_main);
