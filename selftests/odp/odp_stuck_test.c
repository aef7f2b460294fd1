// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults that are never served: on-demand memory is a file whose server does not answer.
 * Other users are not delayed, and the processes concerned can be killed.
 */
#include <errno.h>
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

/*
 * More than the faults served at a time for a user, and than a workqueue's default limit
 * (256).
 */
#define REGIONS	280u
#define NOBODY	65534

/* State of a process that has memory of the file; in shared memory. */
enum stage {
	STARTS,
	WAITS,		/* all of its faults have been requested */
	CLOSES,		/* it has been told to close its handle */
	CLOSED,
};

/* Offset so far from the first page that read-ahead does not reach it. */
#define STUCK	(16 * MEM_PAGE)

/* Send a WRITE of 64 bytes. */
static bool send_write(struct odp *o, uint8_t opcode, size_t off)
{
	o->w.req.opcode = opcode;
	o->w.req.va = ODP_IOVA + off;
	o->w.req.rkey = o->mr.rkey;
	o->w.req.dmalen = 64;
	o->w.req.payload = 64;
	o->w.req.pad = 0;
	return wire_send(&o->w);
}

/* Send a WRITE and expect an RNR NAK: the fault has been requested. */
static void ask(struct odp *o, size_t off)
{
	struct packet got;

	if (check(send_write(o, XROCE_RC_WRITE_ONLY, off) && wire_take(&o->w, WIRE_MS, &got, NULL), "no answer"))
		check(got.syndrome == (XROCE_SYN_RNR | XROCE_RNR_FAULT),
		      "syndrome %#x", got.syndrome);
}

/* A child with a copy of our memory, except that the page at @off is of the file. */
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
 * A process ends while the worker is in a fault for it. The fault keeps the address space,
 * with resident pages, but accesses are refused.
 */
ODP_TEST(odp_stuck_ended, "O4 O6", "a process ends while a fault for it is stuck", 32)
{
	struct fuse f;
	pid_t pid;

	if (!fuse_open(&f, MEM_PAGE))
		return;
	live_parameter("odp_defer_max", 0);
	pid = with_file(o, &f, STUCK);
	odp_register_of(o, pid);
	ACKED(odp_write(o, 0, 64, 0x13));
	ask(o, STUCK);
	fuse_wait_read(&f);
	ACKED(odp_write(o, 0, 64, 0x14));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(!odp_empty(o), "no page was resident");
	REFUSED(odp_write(o, 0, 64, 0x15));
	fuse_abort(&f);
	check(live_wait(odp_empty, o), "%llu pages resident",
	      odp_query(o).odp_resident);
	check(!xroce_mr_dereg(o->w.x, o->mr.mr), "dereg");
	live_parameter("odp_defer_max", 256);
	fuse_close(&f);
}

/* A region of another process: the page at STUCK is of the file, and does not come. */
static pid_t stuck_open(struct odp *o, struct fuse *f)
{
	pid_t pid;

	if (!fuse_open(f, MEM_PAGE))
		return -1;
	pid = with_file(o, f, STUCK);
	odp_register_of(o, pid);
	ACKED(odp_write(o, STUCK - MEM_PAGE, 64, 0x13));
	return pid;
}

static void stuck_close(pid_t pid, struct fuse *f)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fuse_close(f);
}

/* Send a READ of four packets. The first two come; the memory of the others is stuck. */
static void stuck_read(struct odp *o, struct fuse *f)
{
	struct packet *req = &o->w.req;

	req->opcode = XROCE_RC_READ_REQUEST;
	req->va = ODP_IOVA + STUCK - 2 * ODP_MTU;
	req->dmalen = 4 * ODP_MTU;
	req->payload = 0;
	wire_send(&o->w);
	wire_comes(&o->w, XROCE_RC_READ_RESPONSE_FIRST, req->psn);
	wire_comes(&o->w, XROCE_RC_READ_RESPONSE_MIDDLE, req->psn + 1);
	fuse_wait_read(f);
}

/* Send a WRITE that is not answered now. */
static void quiet_write(struct odp *o, uint32_t psn)
{
	struct packet *req = &o->w.req;

	req->opcode = XROCE_RC_WRITE_ONLY;
	req->psn = psn & XROCE_PSN_MASK;
	req->dmalen = 64;
	req->payload = 64;
	wire_send(&o->w);
	wire_quiet(&o->w);
}

/*
 * The response to a READ stands still in the middle, and a later request is refused: the READ goes
 * on. When it turns out to be impossible, it is the first that has failed, so its NAK is sent.
 */
ODP_TEST(odp_stuck_refused, "O3 D5", "a refusal behind a READ that is stuck", 32)
{
	struct xroce_qp_query q = {};
	struct packet want;
	struct fuse f;
	uint32_t psn;
	pid_t pid;

	pid = stuck_open(o, &f);
	if (pid < 0)
		return;
	psn = o->w.req.psn;
	stuck_read(o, &f);
	o->w.req.rkey ^= 1;
	quiet_write(o, psn + 4);
	q.qpn = o->w.qpn;
	fuse_abort(&f);
	want = wire_response(&o->w, XROCE_RC_ACK);
	want.syndrome = XROCE_SYN_NAK_ACC;
	want.psn = (psn + 2) & XROCE_PSN_MASK;
	want.msn = 1;
	wire_expect(&o->w, &want);
	wire_quiet(&o->w);
	check(!xroce_qp_query(o->w.x, &q) && q.cause == XROCE_CAUSE_ACC_KEY && q.naks == 1,
	      "cause %u, %llu NAKs", q.cause, q.naks);
	stuck_close(pid, &f);
}

/* If a response has been lost, rxe takes the READ for complete when the acknowledgement comes. */
ODP_TEST(odp_stuck_duplicate, "O3 D5", "no acknowledgement of a duplicate behind a queued READ", 32)
{
	struct fuse f;
	uint32_t psn;
	pid_t pid;

	pid = stuck_open(o, &f);
	if (pid < 0)
		return;
	psn = o->w.req.psn;
	stuck_read(o, &f);
	quiet_write(o, psn - 1);
	fuse_come(&f);
	wire_comes(&o->w, XROCE_RC_READ_RESPONSE_MIDDLE, psn + 2);
	wire_comes(&o->w, XROCE_RC_READ_RESPONSE_LAST, psn + 3);
	wire_quiet(&o->w);
	wire_send(&o->w);
	wire_comes(&o->w, XROCE_RC_ACK, psn - 1);
	stuck_close(pid, &f);
}

static bool written(void *arg)
{
	return live_stat().write > *(__u64 *)arg;
}

/* Send a WRITE on an unreliable connection. */
static void send_uc(struct odp *o, size_t off)
{
	check(send_write(o, XROCE_RC_WRITE_ONLY | XROCE_OP_UC, off), "send");
	o->w.req.psn = (o->w.req.psn + 1) & XROCE_PSN_MASK;
}

/*
 * There are no RNR NAKs on an unreliable connection. Each deferred packet waits for at most
 * odp_defer_ms, then the next one is executed.
 */
ODP_TEST_OPTS(odp_stuck_uc, "O3 O9", "UC packets behind stuck ones are executed", 64,
	      &(struct wire_opts){ .type = XROCE_QPT_UC })
{
	__u64 before = live_stat().write;
	struct fuse f;
	int i;

	if (!fuse_open(&f, MEM_PAGE))
		return;
	for (i = 1; i <= 3; i++)
		check(mmap(o->mem + i * STUCK, MEM_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_FIXED, f.fd, 0) != MAP_FAILED, "mmap");
	/*
	 * While a worker is in a fault, no other page of the region is brought in. A packet is lost
	 * if that of the first page takes longer than odp_defer_ms.
	 */
	for (i = 0; i < 10 && !written(&before); i++) {
		send_uc(o, 0);
		live_wait(written, &before);
	}
	check(written(&before), "the first page was not written");
	before = live_stat().write;
	for (i = 3; i >= 0; i--)
		send_uc(o, i * STUCK);
	check(live_wait(written, &before), "the packet behind the stuck ones was not executed");
	fuse_abort(&f);
	check(!xroce_mr_dereg(o->w.x, o->mr.mr), "dereg");
	fuse_close(&f);
}

/* Process of another user with @regions regions, each with one page of the file. */
static void stick(struct fuse *f, unsigned int regions, enum stage *stage)
{
	static const struct wire_opts opts = { .peer = WIRE_QPN + 1 };
	struct odp o;
	unsigned int i;
	char *mem;

	mem = mmap(NULL, regions * MEM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		   f->fd, 0);
	if (mem == MAP_FAILED || !odp_open_opts(&o, 1, &opts) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	o.mem = mem;
	o.bytes = MEM_PAGE;
	for (i = 0; i < regions && !test_failed(); i++, o.mem += MEM_PAGE)
		if (odp_register(&o))
			ask(&o, 0);
	if (test_failed())
		_exit(1);
	__atomic_store_n(stage, WAITS, __ATOMIC_RELEASE);
	while (__atomic_load_n(stage, __ATOMIC_ACQUIRE) != CLOSES)
		usleep(1000);
	xroce_close(o.w.x);
	__atomic_store_n(stage, CLOSED, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static enum stage *stage;
static pid_t sticky;

static bool waits(void *arg)
{
	return __atomic_load_n((enum stage *)arg, __ATOMIC_ACQUIRE) == WAITS;
}

static bool closed(void *arg)
{
	return __atomic_load_n((enum stage *)arg, __ATOMIC_ACQUIRE) == CLOSED;
}

static bool reaped(void *arg)
{
	const pid_t *pid = arg;

	return waitpid(*pid, NULL, WNOHANG) == *pid;
}

/* Start that process, and wait until all of its faults wait. */
static bool stick_begin(struct fuse *f, unsigned int regions)
{
	live_parameter("odp_defer_max", 0);
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!check(stage != MAP_FAILED, "memory") ||
	    !fuse_open(f, regions * MEM_PAGE))
		return false;
	sticky = fork();
	if (!sticky)
		stick(f, regions, stage);
	return check(live_wait(waits, stage), "its faults were not requested") &&
	       fuse_wait_read(f);
}

static void stick_end(struct fuse *f)
{
	fuse_close(f);
	munmap(stage, sizeof(*stage));
	live_parameter("odp_defer_max", 256);
}

/* It closes its handle, and is killed, while its faults wait. */
static void close_and_kill(void)
{
	__atomic_store_n(stage, CLOSES, __ATOMIC_RELEASE);
	check(live_wait(closed, stage), "the handle is not closed");
	kill(sticky, SIGKILL);
	check(live_wait(reaped, &sticky), "the process did not end");
}

/* A user's faults neither delay another user's, nor keep the process from ending. */
ODP_TEST(odp_stuck_others, "O3 O9", "another user's faults are served", 4)
{
	struct fuse f;

	if (!stick_begin(&f, REGIONS))
		return;
	ACKED(odp_write(o, 0, 64, 0x21));
	close_and_kill();
	ACKED(odp_write(o, 2 * MEM_PAGE, 64, 0x22));
	stick_end(&f);
}

/* It is killed, with the handle open. */
TEST(odp_stuck_killed, "O6 O9", "the process with the stuck memory can be killed")
{
	struct fuse f;

	if (!stick_begin(&f, REGIONS))
		return;
	kill(sticky, SIGKILL);
	check(live_wait(reaped, &sticky), "the process did not end");
	stick_end(&f);
	live_check_idle(LIVE_DEV);
}

/* The module cannot be unloaded until the fault has ended. */
TEST(odp_stuck_module, "O9", "the module can be unloaded only after the fault")
{
	struct fuse f;

	if (!stick_begin(&f, 1))
		return;
	close_and_kill();
	check(!live_detach(LIVE_DEV, 0), "detach");
	check(live_module_refused() == -EAGAIN, "unloaded during a fault");
	fuse_abort(&f);
	check(!live_module_unload(), "not unloaded");
	check(!live_module_load() &&
	      !live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES),
	      "not loaded again");
	stick_end(&f);
}

/* MR_ADVISE waits for the file, too, but can be killed. */
TEST(odp_stuck_advise, "O6", "a process stuck in MR_ADVISE can be killed")
{
	struct xroce_mr_advise a = { .advice = XROCE_ADVISE_PREFETCH };
	struct fuse f;
	struct odp o;

	if (!fuse_open(&f, MEM_PAGE))
		return;
	sticky = fork();
	if (!sticky) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!odp_open(&o, 1) ||
		    mmap(o.mem, MEM_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED, f.fd, 0) != o.mem)
			_exit(1);
		a.mr = o.mr.mr;
		a.iova = ODP_IOVA;
		a.length = MEM_PAGE;
		xroce_mr_advise(o.w.x, &a);
		_exit(1);
	}
	fuse_wait_read(&f);
	kill(sticky, SIGKILL);
	check(live_wait(reaped, &sticky), "the process did not end");
	fuse_close(&f);
	live_check_idle(LIVE_DEV);
}

TEST_MAIN(live_main);
