// SPDX-License-Identifier: GPL-2.0-only
/*
 * Implicit on-demand regions in combination: with other processes, windows, regions that
 * share memory, receive queues, and with the kernel invalidating pages under traffic.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "live_mr.h"
#include "mem.h"
#include "mw.h"
#include "odp_implicit.h"
#include "rng.h"

/* A child with a copy of our memory that does nothing. */
static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	check(pid > 0, "fork");
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Read another process's bytes at the same address. */
static bool its(pid_t pid, void *addr, void *buf, size_t len)
{
	struct iovec local = { buf, len }, remote = { addr, len };

	return check(process_vm_readv(pid, &local, 1, &remote, 1, 0) ==
		     (ssize_t)len, "process_vm_readv: %s", strerror(errno));
}

/* The same addresses of two processes are different memory. */
IMPLICIT_TEST(implicit_two, "O2", "regions of two processes, of which one ends", 4, NULL)
{
	struct xroce_mr_reg mine, other;
	char buf[64];
	pid_t pid;

	ACKED(odp_write(o, implicit_at(o->mem), 64, 0x10));
	pid = sleeper();
	if (!implicit_register(o, pid, &other))
		return;
	mine = o->mr;
	ACKED(odp_write(o, implicit_at(o->mem), 64, 0x11));
	o->mr = other;
	ACKED(odp_read(o, implicit_at(o->mem), 64, buf));
	odp_is(buf, 64, 0x10);
	ACKED(odp_write(o, implicit_at(o->mem), 64, 0x12));
	odp_is(o->mem, 64, 0x11);
	if (its(pid, o->mem, buf, 64))
		odp_is(buf, 64, 0x12);
	/* The child still has the page that is unmapped here. */
	munmap(o->mem + MEM_PAGE, MEM_PAGE);
	ACKED(odp_write(o, implicit_at(o->mem + MEM_PAGE), 64, 0x13));
	if (its(pid, o->mem + MEM_PAGE, buf, 64))
		odp_is(buf, 64, 0x13);
	check(odp_query(o).pid == (__u32)pid, "pid");

	stop(pid);
	implicit_expect_children(o, 0);
	check(!odp_query(o).odp_resident, "%llu resident",
	      odp_query(o).odp_resident);
	REFUSED(odp_write(o, implicit_at(o->mem), 64, 0x14));
	odp_is(o->mem, 64, 0x11);
	o->mr = mine;
	if (wire_again(&o->w))
		ACKED(odp_write(o, implicit_at(o->mem), 64, 0x15));
	odp_is(o->mem, 64, 0x15);
}

/* After a fork the region's pages are the parent's. */
IMPLICIT_TEST(implicit_fork, "O2 O6", "copy on write after a fork", 2, NULL)
{
	char buf[64];
	pid_t pid;

	ACKED(odp_write(o, implicit_at(o->mem), 64, 0x21));
	pid = sleeper();
	ACKED(odp_write(o, implicit_at(o->mem), 64, 0x22));
	odp_is(o->mem, 64, 0x22);
	if (its(pid, o->mem, buf, 64))
		odp_is(buf, 64, 0x21);
	stop(pid);
	ACKED(odp_read(o, implicit_at(o->mem), 64, buf));
	odp_is(buf, 64, 0x22);
}

TEST(implicit_window, "O2 O8", "windows bound to parts of an address space")
{
	struct binding b;
	char *start, buf[8];
	struct odp o;
	__u32 type;

	for_each_mw_type(type) {
		if (!implicit_open(&o, 4, &mw_rc))
			return;
		start = o.mem + MEM_PAGE - 100;
		b = mw_whole(&o.w, mw_new(&o.w, type));
		b.lkey = o.mr.lkey;
		b.addr = (uintptr_t)start;
		b.length = 1000;
		check(!mw_bind(&o.w, type, &b), "bind");
		check(xroce_mr_dereg(o.w.x, o.mr.mr) == -EBUSY, "dereg");
		check(!odp_query(&o).odp_children, "a page is resident");
		o.mr.rkey = b.rkey;
		ACKED(odp_write(&o, implicit_at(start), 1000, 0x31));
		odp_is(start, 1000, 0x31);
		check(odp_query(&o).odp_children, "no page is resident");
		REFUSED(odp_write(&o, implicit_at(start + 992), 9, 0x32));
		if (!wire_again(&o.w))
			return;
		REFUSED(odp_read(&o, implicit_at(start - 1), 8, buf));
		odp_is(start, 1000, 0x31);
		mw_del(&o.w, b.rkey);
		odp_close(&o);
		if (test_failed())
			note("with type %u", type);
	}
}

/* Re-register with other rights, as a range, and as the address space again. */
IMPLICIT_TEST(implicit_rereg, "O2 R5", "re-registration with other rights and memory", 4, NULL)
{
	struct xroce_mr_rereg r;
	char buf[64];

	ACKED(odp_write(o, implicit_at(o->mem), 64, 0x41));
	r = (struct xroce_mr_rereg){
		.mr = o->mr.mr,
		.mask = XROCE_REREG_ACCESS,
		.access = XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_ON_DEMAND,
	};
	check(!xroce_mr_rereg(o->w.x, &r), "re-registration with other rights");
	o->mr.rkey = r.rkey;
	ACKED(odp_read(o, implicit_at(o->mem), 64, buf));
	odp_is(buf, 64, 0x41);
	REFUSED(odp_write(o, implicit_at(o->mem), 64, 0x42));
	check(odp_query(o).odp_resident == 1, "the memory has changed");

	r = (struct xroce_mr_rereg){
		.mr = o->mr.mr,
		.mask = XROCE_REREG_ACCESS | XROCE_REREG_TRANSLATION,
		.access = o->mr.access,
		.addr = (uintptr_t)o->mem,
		.length = 2 * MEM_PAGE,
		.iova = ODP_IOVA,
	};
	check(!xroce_mr_rereg(o->w.x, &r), "re-registration as a range");
	o->mr.rkey = r.rkey;
	if (wire_again(&o->w))
		ACKED(odp_write(o, MEM_PAGE, 64, 0x43));
	odp_is(o->mem + MEM_PAGE, 64, 0x43);
	check(odp_query(o).pages == 2 && odp_query(o).odp_children == 1, "query");
	REFUSED(odp_write(o, implicit_at(o->mem), 64, 0x44));

	r.addr = 0;
	r.length = XROCE_LENGTH_ALL;
	check(xroce_mr_rereg(o->w.x, &r) == -EINVAL, "iova is not 0");
	r.iova = 0;
	r.access &= ~XROCE_ACCESS_ON_DEMAND;
	check(xroce_mr_rereg(o->w.x, &r) == -EFAULT, "without on-demand access");
	check(odp_query(o).lkey >> 8 == o->mr.mr &&
	      odp_query(o).rkey == o->mr.rkey, "the region has changed");
	r.access |= XROCE_ACCESS_ON_DEMAND;
	check(!xroce_mr_rereg(o->w.x, &r), "re-registration as an address space");
	o->mr.rkey = r.rkey;
	if (wire_again(&o->w))
		ACKED(odp_write(o, implicit_at(o->mem), 64, 0x45));
	odp_is(o->mem, 64, 0x45);
}

IMPLICIT_TEST(implicit_share, "O2 R6", "two regions share an address space", 1, NULL)
{
	struct xroce_mr_reg_shared r;
	char buf[64];

	ACKED(odp_write(o, implicit_at(o->mem), 64, 0x51));
	r = (struct xroce_mr_reg_shared){
		.from = o->mr.mr,
		.pd = o->w.pd,
		.access = XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_ON_DEMAND,
		.iova = 1,
	};
	check(xroce_mr_reg_shared(o->w.x, &r) == -EINVAL, "iova is not 0");
	r.iova = 0;
	r.access = XROCE_ACCESS_REMOTE_READ;
	check(xroce_mr_reg_shared(o->w.x, &r) == -EINVAL, "without on-demand access");
	r.access |= XROCE_ACCESS_ON_DEMAND;
	check(!xroce_mr_reg_shared(o->w.x, &r) && r.length == XROCE_LENGTH_ALL,
	      "shared");
	check(!xroce_mr_dereg(o->w.x, o->mr.mr), "dereg");
	o->mr.mr = r.mr;
	o->mr.rkey = r.rkey;
	o->rnr = 0;
	ACKED(odp_read(o, implicit_at(o->mem), 64, buf));
	odp_is(buf, 64, 0x51);
	check(odp_query(o).odp_children == 1 && odp_query(o).odp_faults == 1,
	      "the memory is not shared");
	REFUSED(odp_write(o, implicit_at(o->mem), 64, 0x52));
}

/* The L_Key is valid for all of the address space, too: SENDs can go anywhere. */
IMPLICIT_TEST(implicit_recv, "O2 R9", "receive buffers anywhere in an address space", 4,
	      &(struct wire_opts){ .recv = true })
{
	struct xroce_sge_local sge;
	struct xroce_cqe cqe;

	sge = (struct xroce_sge_local){
		(uintptr_t)o->mem + MEM_PAGE - 100, 1000, o->mr.lkey,
	};
	check(!xroce_post_recv(o->w.rq, 7, &sge, 1), "post");
	o->w.req.opcode = XROCE_RC_SEND_ONLY;
	o->w.req.payload = 1000;
	o->w.req.pattern = 0x61;
	ACKED(odp_request(o));
	odp_is(o->mem + MEM_PAGE - 100, 1000, 0x61);
	check(xroce_cq_poll(o->w.cq, &cqe, 1) == 1 &&
	      cqe.status == XROCE_WC_SUCCESS && cqe.byte_len == 1000, "CQE");

	sge.addr = 64;
	check(!xroce_post_recv(o->w.rq, 8, &sge, 1), "post");
	check(odp_request(o) == XROCE_SYN_NAK_OP, "SEND to unmapped memory");
}

#define PARTS	40u
#define OPS	2000u
#define SLOT	64u

static struct {
	struct odp odp;
	char *mem;
	atomic_bool stop;
	unsigned int upsets;
	uint8_t model[PARTS * IMPLICIT_CHILD / MEM_PAGE];
} churn;

/* The file keeps its bytes, while its mappings and entries come and go. */
static void *upset(void *arg)
{
	const size_t bytes = PARTS * IMPLICIT_CHILD;
	struct xroce_mr_advise a = {
		.mr = churn.odp.mr.mr,
		.advice = XROCE_ADVISE_PREFETCH_WRITE,
	};
	unsigned int seed = (uintptr_t)arg;
	size_t at, len;

	while (!atomic_load(&churn.stop)) {
		at = rand_r(&seed) % PARTS * IMPLICIT_CHILD;
		len = IMPLICIT_CHILD * (1 + rand_r(&seed) % 8);
		if (len > bytes - at)
			len = bytes - at;
		if (seed & 64) {
			madvise(churn.mem + at, len, MADV_DONTNEED);
		} else {
			a.iova = (uintptr_t)churn.mem + at;
			a.length = len;
			xroce_mr_advise(churn.odp.w.x, &a);
		}
		churn.upsets++;
	}
	return NULL;
}

static void one_op(struct odp *o)
{
	size_t page = rng_below(ARRAY_SIZE(churn.model));
	char buf[SLOT], *at = churn.mem + page * MEM_PAGE + page % 60 * SLOT;
	uint8_t pattern = 1 + rng_below(255);

	if (rng_below(2)) {
		ACKED(odp_write(o, implicit_at(at), SLOT, pattern));
		churn.model[page] = pattern;
		return;
	}
	ACKED(odp_read(o, implicit_at(at), SLOT, buf));
	if (churn.model[page])
		odp_is(buf, SLOT, churn.model[page]);
	else
		check(!buf[0] && !buf[SLOT - 1], "not zeros");
}

TEST(implicit_churn, "O2 O4 O6", "children come and go under traffic")
{
	const size_t bytes = PARTS * IMPLICIT_CHILD;
	struct odp *o = &churn.odp;
	struct xroce_mr_query q;
	pthread_t thread[2];
	unsigned int i;
	size_t page;
	int fd;

	if (!implicit_open(o, 1, NULL))
		return;
	fd = memfd_create("churn", MFD_CLOEXEC);
	check(!ftruncate(fd, bytes), "ftruncate");
	churn.mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!check(churn.mem != MAP_FAILED, "mmap"))
		return;
	rng_seed(3);
	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, upset, (void *)(i + 1ul));
	for (i = 0; i < OPS && !test_failed(); i++)
		one_op(o);
	atomic_store(&churn.stop, true);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (page = 0; page < ARRAY_SIZE(churn.model) && !test_failed(); page++)
		if (churn.model[page])
			odp_is(churn.mem + page * MEM_PAGE + page % 60 * SLOT,
			       SLOT, churn.model[page]);
	q = odp_query(o);
	note("%u operations, %u changes: %llu faults, %llu invalidated, %llu children",
	     OPS, churn.upsets, q.odp_faults, q.odp_invalidated, q.odp_children);
	munmap(churn.mem, bytes);
	implicit_expect_children(o, 0);
	close(fd);
	odp_close(o);
}

TEST_MAIN(live_main);
