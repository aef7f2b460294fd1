// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults that are not served: memory on demand is a file whose server does not answer.
 * Nobody else waits for it, and who is concerned can be ended.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fuse.h"
#include "live_mr.h"
#include "mem.h"
#include "odp.h"

/* So far behind the first page that it is not read ahead with it. */
#define STUCK	(16 * MEM_PAGE)

/* Send @o's request once. It is told to come again: the fault has been asked for. */
static void ask(struct odp *o, size_t off)
{
	struct packet got;

	o->w.req.opcode = XROCE_RC_WRITE_ONLY;
	o->w.req.va = ODP_IOVA + off;
	o->w.req.rkey = o->mr.rkey;
	o->w.req.dmalen = 64;
	o->w.req.payload = 64;
	o->w.req.pad = 0;
	if (check(wire_send(&o->w) && wire_take(&o->w, WIRE_MS, &got, NULL), "no answer"))
		check(got.syndrome == (XROCE_SYN_RNR | XROCE_RNR_FAULT),
		      "syndrome %#x", got.syndrome);
}

/* A process with the memory that ours is, but for a page of the file at @off. */
static pid_t with_file(struct odp *o, struct fuse *f, size_t off)
{
	int ready[2];
	pid_t pid;
	char c;

	if (!check(!pipe(ready), "pipe"))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (mmap(o->mem + off, MEM_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED, f->fd, 0) != o->mem + off ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	check(read(ready[0], &c, 1) == 1, "no process");
	close(ready[0]);
	return pid;
}

/*
 * The worker is in a fault of it when the process ends, and keeps its memory, of which
 * other pages are there. They are not served any more.
 */
static void ended(void)
{
	struct xroce_mr_reg its;
	struct fuse f;
	struct odp o;
	pid_t pid;

	if (!odp_open(&o, 32) || !fuse_open(&f, MEM_PAGE))
		return;
	live_parameter("odp_keep", 0);
	pid = with_file(&o, &f, STUCK);
	its = o.mr;
	its.flags = XROCE_F_PID;
	its.pid = pid;
	check(!xroce_mr_reg(o.w.x, &its), "MR_REG");
	o.mr = its;
	ACKED(odp_write(&o, 0, 64, 0x13));
	ask(&o, STUCK);
	fuse_wait_read(&f);
	ACKED(odp_write(&o, 0, 64, 0x14));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(!odp_empty(&o), "nothing was there");
	REFUSED(odp_write(&o, 0, 64, 0x15));
	fuse_abort(&f);
	check(live_wait(odp_empty, &o), "%llu pages there",
	      odp_query(&o).odp_resident);
	check(!xroce_mr_dereg(o.w.x, its.mr), "dereg");
	live_parameter("odp_keep", 256);
	fuse_close(&f);
	odp_close(&o);
}

static const struct test tests[] = {
	{ "odp_stuck_ended", "O4 O6", "a process ends while its memory is faulted in",
	  ended },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
