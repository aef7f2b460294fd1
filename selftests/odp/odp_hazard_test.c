// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel gets a page back only when no copy into it is under way. One CPU receives
 * WRITEs to a page, one after the other. The other CPU moves the page out of the region and
 * another page in. A page that has left the region must not change any more, however long
 * the first CPU was stopped in the middle of a copy, as an emulated CPU is each time that
 * another one runs.
 *
 * XROCE_ODP_SECONDS: duration.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "clock.h"
#include "mem.h"
#include "odp.h"
#include "on_cpu.h"
#include "setting.h"

#define SECONDS		10
#define BATCH		16u	/* packets sent at a time */
#define BYTES		4096u	/* payload of a packet */
#define SPARES		4096u	/* pages that wait to be checked */
#define MARK		0xa5

/* Batches sent so far; shared between the two processes. */
static atomic_uint *sent;
static struct odp odp;
static char *spare;
static unsigned int stamp[SPARES];	/* of a spare page: *sent when it left the region */

/*
 * There are no responses: UC accepts each as the first packet of a message, whatever its
 * PSN.
 */
static void flood(void)
{
	static struct frame frame;
	struct mmsghdr msg[BATCH] = {};
	struct iovec iov = { frame.bytes, 0 };
	size_t i;

	odp.w.req.va = ODP_IOVA;
	odp.w.req.rkey = odp.mr.rkey;
	odp.w.req.dmalen = BYTES;
	odp.w.req.payload = BYTES;
	odp.w.req.pattern = 0x33;
	packet_build(&odp.w.req, &frame);
	iov.iov_len = frame.len;
	for (i = 0; i < BATCH; i++)
		msg[i].msg_hdr = (struct msghdr){
			.msg_iov = &iov, .msg_iovlen = 1,
		};
	for (;;) {
		if (sendmmsg(odp.w.fd, msg, BATCH, 0) > 0)
			(*sent)++;
		else
			sched_yield();
	}
}

static pid_t flood_start(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		on_cpu(0, 0);
		flood();
	}
	return pid;
}

static bool is_marked(const char *page)
{
	size_t i;

	for (i = 0; i < MEM_PAGE; i++)
		if ((uint8_t)page[i] != MARK)
			return check(false, "byte %zu is %#x", i,
				     (uint8_t)page[i]);
	return true;
}

static bool move(char *from, char *to)
{
	return check(mremap(from, MEM_PAGE, MEM_PAGE, MREMAP_MAYMOVE |
			    MREMAP_FIXED, to) == to, "mremap: %s",
		     strerror(errno));
}

/*
 * All copies that were under way when the page left have ended, as the sender has sent
 * again.
 */
static bool is_old(size_t i)
{
	return *sent - stamp[i] >= 2;
}

/*
 * Prefetch may skip a page that keeps changing, or if the machine was stopped: try again.
 */
static bool bring(struct xroce_mr_advise *a)
{
	int tries;

	for (tries = 0; tries < 10; tries++) {
		if (!check(!xroce_mr_advise(odp.w.x, a), "MR_ADVISE: %s",
			   strerror(errno)))
			return false;
		if (a->pages == 1)
			return true;
		printf("# MR_ADVISE: page skipped\n");
	}
	return check(false, "MR_ADVISE: %llu pages", (unsigned long long)a->pages);
}

/* Move a spare page into the region, make it resident and writable, and move it out. */
static bool exchange(size_t i)
{
	struct xroce_mr_advise a = {
		.mr = odp.mr.mr,
		.advice = XROCE_ADVISE_PREFETCH_WRITE,
		.iova = ODP_IOVA,
		.length = MEM_PAGE,
	};
	char *page = spare + i * MEM_PAGE;

	if (!move(page, odp.mem))
		return false;
	if (!bring(&a))
		return false;
	if (!move(odp.mem, page))
		return false;
	memset(page, MARK, MEM_PAGE);
	stamp[i] = *sent;
	return true;
}

static void exchange_all(double end)
{
	unsigned int n = 0;
	size_t i = 0;

	munmap(odp.mem, odp.bytes);
	while (clock_now() < end && !test_failed()) {
		if (!is_old(i)) {
			sched_yield();
			continue;
		}
		if (!is_marked(spare + i * MEM_PAGE) || !exchange(i))
			break;
		i = (i + 1) % SPARES;
		n++;
	}
	for (i = 0; i < SPARES && !test_failed(); i++) {
		while (!is_old(i))
			sched_yield();
		is_marked(spare + i * MEM_PAGE);
	}
	note("%u exchanges during %u packets", n, *sent * BATCH);
}

TEST(odp_hold, "O4", "no copy into a page after the kernel has it back")
{
	static const struct wire_opts uc = {
		.type = XROCE_QPT_UC, .mtu = XROCE_MTU_4096,
	};
	unsigned int seconds = setting("XROCE_ODP_SECONDS", SECONDS);
	const int rw = PROT_READ | PROT_WRITE;
	struct xroce_stat before;
	struct xroce_mr_query q;
	cpu_set_t all;
	pid_t pid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		skip("a single CPU");
		return;
	}
	sched_getaffinity(0, sizeof(all), &all);
	sent = mmap(NULL, MEM_PAGE, rw, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	spare = mmap(NULL, SPARES * MEM_PAGE, rw, MAP_PRIVATE | MAP_ANONYMOUS |
		     MAP_NORESERVE, -1, 0);
	if (!odp_open_opts(&odp, 1, &uc))
		return;
	madvise(spare, SPARES * MEM_PAGE, MADV_NOHUGEPAGE);
	memset(spare, MARK, SPARES * MEM_PAGE);
	before = live_stat();
	*sent = 2;
	pid = flood_start();
	on_cpu(0, 1);
	exchange_all(clock_now() + seconds);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	sched_setaffinity(0, sizeof(all), &all);
	q = odp_query(&odp);
	note("%llu WRITEs executed, %llu invalidated",
	     live_stat().write - before.write, q.odp_invalidated);
	check(live_stat().write - before.write > 100, "there was no traffic");
	munmap(spare, SPARES * MEM_PAGE);
	odp_close(&odp);
}

TEST_MAIN(live_main);
