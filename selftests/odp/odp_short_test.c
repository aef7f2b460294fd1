// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-demand memory when memory is short: the process's control group is full, and its
 * process cannot be killed by the OOM killer.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "clock.h"
#include "group.h"
#include "live_mr.h"
#include "mem.h"
#include "odp_implicit.h"

#define PARTS	8000u
#define FILE_AT	(5000 * MEM_PAGE)

/*
 * A process in that group, with a copy of our memory, exempt from the OOM killer. It
 * touches a page in each of the first @touched children.
 */
static pid_t member(const struct odp *o, size_t touched)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!group_join(-1000))
			_exit(1);
		while (touched--)
			o->mem[touched * IMPLICIT_CHILD] = 1;
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	check(read(ready[0], &c, 1) == 1, "no process");
	close(ready[0]);
	return pid;
}

static void end(struct odp *o, pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	odp_close(o);
	group_close();
}

static void out_of_memory(int syndrome, const char *what)
{
	check(syndrome == XROCE_SYN_NAK_OP, "%s: %#x", what, syndrome);
}

/* No memory for pages: RNR NAKs for a second, then a NAK; then there is memory again. */
TEST(odp_short, "O3 D5", "a fault fails because no memory is left for pages")
{
	struct xroce_stat before;
	double start;
	struct odp o;
	char buf[64];
	pid_t pid;
	size_t i;
	int fd;

	if (!group_open("memory") || !odp_open(&o, 64 * PARTS))
		return;
	/*
	 * A READ of private memory that was never written takes the zero page, so use a
	 * file.
	 */
	fd = memfd_create("file", MFD_CLOEXEC);
	check(!ftruncate(fd, MEM_PAGE) &&
	      mmap(o.mem + FILE_AT, MEM_PAGE, PROT_READ, MAP_SHARED | MAP_FIXED,
		   fd, 0) == o.mem + FILE_AT, "file");
	pid = member(&o, 1);
	odp_register_of(&o, pid);
	ACKED(odp_write(&o, 0, 64, 0x11));
	quiet();
	group_limit(0);
	before = live_stat();
	/* Some pages may be left that were charged before. */
	start = clock_now();
	for (i = 1; i < 4096; i++) {
		int syndrome = odp_write(&o, i * MEM_PAGE, 64, 0x12);

		if (syndrome == XROCE_SYN_NAK_OP)
			break;
		start = clock_now();
		if (!check(syndrome == XROCE_SYN_ACK, "%#x", syndrome))
			break;
	}
	quiet_end();
	check(i < 4096, "memory is not short");
	check(clock_now() - start > 0.8 && clock_now() - start < 20, "%.2f s",
	      clock_now() - start);
	note("%zu pages, then %.2f s and %u RNR NAKs in all", i, clock_now() - start,
	     o.rnr);
	check(live_stat().op_memory == before.op_memory + 1 &&
	      live_stat().nak_op == before.nak_op + 1, "counters");
	check(odp_query(&o).odp_failed == 1, "%llu failed",
	      odp_query(&o).odp_failed);

	/* Responses to READs are made by the module. */
	quiet();
	if (wire_again(&o.w))
		out_of_memory(odp_read(&o, FILE_AT, 64, buf), "READ");
	quiet_end();
	/* Memory is still short, but an access without the right is an access error. */
	if (wire_again(&o.w))
		REFUSED(odp_write(&o, FILE_AT, 64, 1));
	if (wire_again(&o.w))
		ACKED(odp_read(&o, 0, 64, buf));
	odp_is(buf, 64, 0x11);
	group_limit(64 << 20);
	ACKED(odp_write(&o, (i + 1) * MEM_PAGE, 64, 0x13));
	ACKED(odp_read(&o, FILE_AT, 64, buf));
	close(fd);
	end(&o, pid);
}

/* Pages are resident, but there is no memory for the module's entries. */
TEST(implicit_short, "O2 O3 D5", "a fault fails because no memory is left for children")
{
	struct xroce_mr_advise a = { .advice = XROCE_ADVISE_PREFETCH_NO_FAULT };
	int syndrome = XROCE_SYN_ACK, ret;
	unsigned long long used;
	struct xroce_mr_query q;
	struct odp o;
	pid_t pid;
	size_t i;

	if (!group_open("memory") || !implicit_open(&o, 64 * PARTS, NULL))
		return;
	pid = member(&o, PARTS);
	if (!implicit_register(&o, pid, &o.mr))
		return;
	ACKED(odp_write(&o, implicit_at(o.mem), 64, 0x21));
	group_limit(0);
	a.mr = o.mr.mr;
	a.iova = (uintptr_t)o.mem;
	a.length = PARTS / 2 * IMPLICIT_CHILD;
	ret = xroce_mr_advise(o.w.x, &a);
	q = odp_query(&o);
	check(ret == -ENOMEM && q.odp_children < PARTS / 2, "MR_ADVISE: %d, %llu children", ret,
	      q.odp_children);
	for (i = PARTS / 2; i < PARTS && syndrome == XROCE_SYN_ACK; i++)
		syndrome = odp_write(&o, implicit_at(o.mem + i * IMPLICIT_CHILD), 64, 2);
	check(i < PARTS, "memory is not short");
	out_of_memory(syndrome, "WRITE");
	q = odp_query(&o);
	note("%llu children, %llu bytes", q.odp_children, q.odp_bytes);

	group_limit(64 << 20);
	if (wire_again(&o.w))
		ACKED(odp_write(&o, implicit_at(o.mem + i * IMPLICIT_CHILD), 64, 3));
	used = group_used();
	a.length = PARTS * IMPLICIT_CHILD;
	check(!xroce_mr_advise(o.w.x, &a) && a.pages == PARTS, "%llu pages",
	      a.pages);
	q = odp_query(&o);
	/* Children are charged to that process, whichever process makes them. */
	check(q.odp_children == PARTS &&
	      group_used() - used > 512 * (PARTS - i),
	      "%llu children, %lld bytes charged", q.odp_children,
	      group_used() - used);
	end(&o, pid);
}

TEST_MAIN(live_main);
