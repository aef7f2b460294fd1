// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets for on-demand memory that is not resident are deferred: in order, up to a number,
 * for a limited time. Packets that cannot be deferred get an RNR NAK.
 */
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "live_mr.h"
#include "mem.h"
#include "odp.h"

#define KEEP		256u		/* default of odp_defer_max */
#define KEEP_ALL	4096u		/* limit for all queue pairs together */
/* fork() takes a while to copy its page tables, with the address space locked. */
#define BALLAST		(64ul << 20)
/*
 * A packet not answered by then is counted as lost and sent again. A page fault takes as long as
 * the virtual machine's host lets it: on a busy one, seconds.
 */
#define LOST_MS		30000
/* The end of responses that may be missing. */
#define SILENT_MS	5000
/* How long the disk takes for a page. */
#define DISK_MS		40u

/**
 * struct burst - counters of a message of several packets
 * @acked: packets acknowledged
 * @rnr: RNR NAKs
 * @seq: NAKs for a PSN sequence error
 * @silent: timeouts without a response
 */
struct burst {
	uint32_t acked;
	unsigned int rnr;
	unsigned int seq;
	unsigned int silent;
};

static atomic_bool stop;

static void *forker(void *arg)
{
	pid_t pid;

	while (!stop) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return arg;
}

/* Make the page faults of this process take long, until fast(). */
static bool slow(pthread_t *thread, char **ballast)
{
	*ballast = mmap(NULL, BALLAST, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!check(*ballast != MAP_FAILED, "memory"))
		return false;
	madvise(*ballast, BALLAST, MADV_NOHUGEPAGE);
	memset(*ballast, 1, BALLAST);
	live_parameter("odp_defer_ms", 60000);
	stop = false;
	return check(!pthread_create(thread, NULL, forker, NULL), "thread");
}

static void fast(pthread_t thread, char *ballast)
{
	stop = true;
	pthread_join(thread, NULL);
	munmap(ballast, BALLAST);
	live_parameter("odp_defer_ms", 20);
}

/* Send packet @i of @n of a WRITE to the beginning of the region. */
static void send_one(struct odp *o, uint32_t psn, uint32_t i, uint32_t n)
{
	struct packet *req = &o->w.req;

	req->opcode = n == 1 ? XROCE_RC_WRITE_ONLY :
		      !i ? XROCE_RC_WRITE_FIRST :
		      i + 1 < n ? XROCE_RC_WRITE_MIDDLE : XROCE_RC_WRITE_LAST;
	req->psn = (psn + i) & XROCE_PSN_MASK;
	req->va = ODP_IOVA;
	req->rkey = o->mr.rkey;
	req->dmalen = n * ODP_MTU;
	req->payload = ODP_MTU;
	req->pattern = i;
	wire_send(&o->w);
}

static void send_from(struct odp *o, uint32_t psn, uint32_t i, uint32_t n)
{
	while (i < n)
		send_one(o, psn, i++, n);
}

/* Send a message at once; after a NAK or a timeout again from the PSN that is expected. */
static void burst(struct odp *o, uint32_t n, struct burst *b)
{
	uint32_t psn = o->w.req.psn;
	struct packet got;

	memset(b, 0, sizeof(*b));
	send_from(o, psn, 0, n);
	while (b->acked < n && !test_failed()) {
		if (!wire_take(&o->w, LOST_MS, &got, NULL)) {
			odp_tell(o);
			if (!check(b->silent++ < 3, "%u of %u packets",
				   b->acked, n))
				break;
			send_from(o, psn, b->acked, n);
			continue;
		}
		if (!check(got.opcode == XROCE_RC_ACK, "opcode %#x", got.opcode))
			break;
		if (got.syndrome == XROCE_SYN_ACK) {
			b->acked = ((got.psn - psn) & XROCE_PSN_MASK) + 1;
			continue;
		}
		b->acked = (got.psn - psn) & XROCE_PSN_MASK;
		if (got.syndrome == XROCE_SYN_NAK_SEQ)
			b->seq++;
		else if (got.syndrome == (XROCE_SYN_RNR | XROCE_RNR_FAULT))
			b->rnr++;
		else
			check(false, "syndrome %#x", got.syndrome);
		send_from(o, psn, b->acked, n);
	}
	check(b->acked == n, "%u of %u packets", b->acked, n);
	o->w.req.psn = (psn + n) & XROCE_PSN_MASK;
}

static void compare(const struct odp *o, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && !test_failed(); i++)
		odp_is(o->mem + i * ODP_MTU, ODP_MTU, i);
}

/* As many packets as can be deferred: none is lost, or sent twice. */
ODP_TEST(odp_deferred, "O3", "as many packets as can be deferred are executed", KEEP)
{
	struct xroce_stat before = live_stat(), now;
	pthread_t thread;
	char *ballast;
	struct burst b;
	int i;

	if (!slow(&thread, &ballast))
		return;
	for (i = 0; i < 5; i++) {
		burst(o, KEEP, &b);
		check(!b.seq && !b.silent, "%u sequence errors, %u times silent",
		      b.seq, b.silent);
		compare(o, KEEP);
		madvise(o->mem, o->bytes, MADV_DONTNEED);
	}
	fast(thread, ballast);
	now = live_stat();
	check(now.deferred > before.deferred && !(now.drop_defer - before.drop_defer),
	      "%llu deferred, %llu dropped", now.deferred - before.deferred,
	      now.drop_defer - before.drop_defer);
	note("%llu deferred, %llu RNR NAKs", now.deferred - before.deferred,
	     now.nak_rnr - before.nak_rnr);
}

static void answer(struct odp *o, uint8_t opcode, uint32_t psn, uint64_t orig)
{
	struct packet got;

	if (check(wire_take(&o->w, WIRE_MS, &got, NULL), "no answer"))
		check(got.opcode == opcode && got.syndrome == XROCE_SYN_ACK &&
		      got.psn == (psn & XROCE_PSN_MASK) && got.orig == orig,
		      "opcode %#x, syndrome %#x, PSN %#x, %llu", got.opcode,
		      got.syndrome, got.psn, (unsigned long long)got.orig);
}

/* Each packet finds what the previous ones have left, however long each had to wait. */
ODP_TEST(odp_order, "O3", "deferred packets are executed in order", 8)
{
	struct packet *req;
	pthread_t thread;
	char *ballast;
	uint32_t psn;
	int i;

	if (!slow(&thread, &ballast))
		return;
	req = &o->w.req;
	psn = req->psn;
	send_one(o, psn, 0, 1);
	for (i = 1; i <= 2; i++) {
		req->psn = (psn + i) & XROCE_PSN_MASK;
		req->opcode = XROCE_RC_FETCH_ADD;
		req->payload = 0;
		req->va = ODP_IOVA + 4 * MEM_PAGE;
		req->swap = 5;
		wire_send(&o->w);
	}
	/* Into the first page again. */
	send_one(o, psn + 3, 0, 1);
	answer(o, XROCE_RC_ACK, psn, 0);
	answer(o, XROCE_RC_ATOMIC_ACK, psn + 1, 0);
	answer(o, XROCE_RC_ATOMIC_ACK, psn + 2, 5);
	answer(o, XROCE_RC_ACK, psn + 3, 0);
	fast(thread, ballast);
	check(*(uint64_t *)(o->mem + 4 * MEM_PAGE) == 10, "the sum");
	compare(o, 1);
}

/* Packets for which there is no room get an RNR NAK. */
ODP_TEST(odp_too_many, "O3", "packets beyond odp_defer_max get an RNR NAK", 64)
{
	struct xroce_stat before = live_stat(), now = before;
	unsigned int rnr = 0;
	pthread_t thread;
	char *ballast;
	struct burst b;
	int i;

	if (!slow(&thread, &ballast))
		return;
	live_parameter("odp_defer_max", 4);
	for (i = 0; i < 50 && now.drop_defer == before.drop_defer; i++) {
		burst(o, 64, &b);
		check(!b.silent, "%u times silent", b.silent);
		check(!b.seq, "%u sequence errors", b.seq);
		rnr += b.rnr;
		compare(o, 64);
		madvise(o->mem, o->bytes, MADV_DONTNEED);
		now = live_stat();
	}
	live_parameter("odp_defer_max", KEEP);
	fast(thread, ballast);
	check(now.drop_defer > before.drop_defer && rnr,
	      "%llu dropped, %u RNR NAKs",
	      now.drop_defer - before.drop_defer, rnr);
}

/* Nothing is deferred: RNR NAKs until the memory is resident. */
ODP_TEST(odp_told, "O3", "with odp_defer_max=0 packets get an RNR NAK", 64)
{
	struct xroce_stat before = live_stat(), now;
	int i;

	live_parameter("odp_defer_max", 0);
	/* Backwards, so that nothing is read ahead. */
	for (i = 63; i >= 0; i--) {
		o->rnr = 0;
		ACKED(odp_write(o, i * MEM_PAGE, 64, i));
		check(o->rnr, "no RNR NAK");
		odp_is(o->mem + i * MEM_PAGE, 64, i);
	}
	live_parameter("odp_defer_max", KEEP);
	now = live_stat();
	check(now.deferred == before.deferred, "deferred");
}

/*
 * A queue pair gets an RNR NAK for memory that is inaccessible, and its peer does not
 * retry. The failed request is not reported to another queue pair, nor to this one after a
 * reset.
 */
ODP_TEST(odp_not_told, "O3 O4", "a failed fault is reported only to its requester", 8)
{
	unsigned long long failed;
	struct packet got;
	int i;

	live_parameter("odp_defer_max", 0);
	munmap(o->mem + 5 * MEM_PAGE, MEM_PAGE);
	odp_check_refused(odp_write(o, 5 * MEM_PAGE, 64, 1), "WRITE to an unmapped page");
	check(o->rnr >= 1 && wire_again(&o->w), "%u RNR NAKs", o->rnr);

	failed = odp_query(o).odp_failed;
	check(wire_send(&o->w) && wire_take(&o->w, WIRE_MS, &got, NULL) &&
	      got.syndrome == (XROCE_SYN_RNR | XROCE_RNR_FAULT), "no RNR NAK");
	for (i = 0; i < 1000 && odp_query(o).odp_failed == failed; i++)
		usleep(1000);
	check(odp_query(o).odp_failed > failed, "the request did not fail");
	check(mmap(o->mem + 5 * MEM_PAGE, MEM_PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	      MAP_FAILED && wire_again(&o->w), "mapped again");
	ACKED(odp_write(o, 5 * MEM_PAGE, 64, 7));
	odp_is(o->mem + 5 * MEM_PAGE, 64, 7);
	live_parameter("odp_defer_max", KEEP);
}

/* Map a slow disk as the region. Return: the disk; -1: there is none. */
static int slow_disk(struct odp *o)
{
	char load[160];
	int disk;

	snprintf(load, sizeof(load), "modprobe null_blk queue_mode=2 irqmode=2 "
		 "completion_nsec=%u000000 gb=1 bs=4096 2>/dev/null", DISK_MS);
	if (system(load))
		return -1;
	disk = open("/dev/nullb0", O_RDWR | O_CLOEXEC);
	if (!check(disk >= 0, "/dev/nullb0"))
		return -1;
	check(mmap(o->mem, o->bytes, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_FIXED, disk, 0) != MAP_FAILED, "mmap");
	return disk;
}

/*
 * A fault takes longer than a frame may be deferred: the peer gets an RNR NAK. If the
 * memory becomes resident just when that time ends, no packet is lost.
 */
TEST(odp_impatient, "O3", "RNR NAKs if a fault takes longer than odp_defer_ms")
{
	unsigned int told = 0, ms;
	struct burst b;
	struct odp o;
	int disk;

	if (!odp_open(&o, 8))
		return;
	disk = slow_disk(&o);
	if (disk < 0) {
		skip("no null_blk");
		odp_close(&o);
		return;
	}
	for (ms = 1; ms < 2 * DISK_MS && !test_failed(); ms++) {
		live_parameter("odp_defer_ms", ms);
		burst(&o, 8, &b);
		check(!b.silent, "%u ms: %u times silent", ms, b.silent);
		told += ms < DISK_MS / 2 && b.rnr;
		compare(&o, 8);
		madvise(o.mem, o.bytes, MADV_DONTNEED);
		check(!fsync(disk) &&
		      !posix_fadvise(disk, 0, o.bytes, POSIX_FADV_DONTNEED), "fsync");
	}
	check(told > DISK_MS / 4, "RNR NAKs with %u settings", told);
	live_parameter("odp_defer_ms", 20);
	odp_close(&o);
	close(disk);
	check(!system("rmmod null_blk"), "rmmod");
}

/* Back to the initial state, with no response to earlier packets outstanding. */
static void settle(struct odp *o)
{
	struct packet *req = &o->w.req, got;

	/*
	 * Its response is the last, unless its PSN is that of an earlier packet: then there
	 * is none.
	 */
	req->opcode = XROCE_RC_FETCH_ADD;
	req->payload = 0;
	req->va = ODP_IOVA;
	req->swap = 0;
	wire_send(&o->w);
	while (wire_take(&o->w, SILENT_MS, &got, NULL) &&
	       got.opcode != XROCE_RC_ATOMIC_ACK)
		;
	wire_again(&o->w);
	madvise(o->mem, o->bytes, MADV_DONTNEED);
}

/* The queue pair is reset while packets of it are deferred: they are dropped. */
ODP_TEST(odp_purged, "O3 O6", "the queue pair is reset while packets are deferred", KEEP)
{
	struct xroce_stat before = live_stat(), now = before;
	pthread_t thread;
	char *ballast;
	struct burst b;
	int i;

	if (!slow(&thread, &ballast))
		return;
	for (i = 0; i < 1000 && now.deferred - before.deferred < 2 * KEEP_ALL &&
	     !test_failed(); i++) {
		send_from(o, o->w.req.psn, 0, KEEP);
		if (!wire_again(&o->w))
			break;
		madvise(o->mem, o->bytes, MADV_DONTNEED);
		now = live_stat();
	}
	check(now.deferred - before.deferred >= 2 * KEEP_ALL, "%llu deferred in %d",
	      now.deferred - before.deferred, i);
	fast(thread, ballast);
	settle(o);
	burst(o, KEEP, &b);
	compare(o, KEEP);
}

/* The region is deregistered while packets wait: the access is refused. */
ODP_TEST(odp_deferred_dereg, "O3 O4",
	 "a packet deferred when its region is deregistered is executed or refused", 8)
{
	pthread_t thread;
	struct packet got;
	char *ballast;
	int i;

	if (!slow(&thread, &ballast))
		return;
	for (i = 0; i < 10 && !test_failed(); i++) {
		send_one(o, o->w.req.psn, 0, 1);
		check(!xroce_mr_dereg(o->w.x, o->mr.mr), "dereg");
		if (!check(wire_take(&o->w, WIRE_MS, &got, NULL), "no answer"))
			break;
		check(got.syndrome == XROCE_SYN_NAK_ACC ||
		      got.syndrome == XROCE_SYN_ACK, "%#x", got.syndrome);
		madvise(o->mem, o->bytes, MADV_DONTNEED);
		if (!wire_again(&o->w) || !odp_register(o))
			break;
	}
	fast(thread, ballast);
}

static bool written(void *arg)
{
	return live_stat().write >= *(__u64 *)arg;
}

/* On an unreliable connection nothing is sent again, and nothing is lost. */
ODP_TEST_OPTS(odp_deferred_uc, "O3", "deferred packets of an unreliable connection are not lost",
	      KEEP, &(struct wire_opts){ .type = XROCE_QPT_UC })
{
	struct xroce_stat before = live_stat(), now;
	__u64 all = before.write + 64;
	int i;

	/* Frames that are deferred for too long would be lost. */
	live_parameter("odp_defer_ms", 60000);
	for (i = 0; i < 64; i++) {
		o->w.req.opcode = (!i ? XROCE_RC_WRITE_FIRST : i < 63 ?
				  XROCE_RC_WRITE_MIDDLE : XROCE_RC_WRITE_LAST) |
				 XROCE_OP_UC;
		o->w.req.va = ODP_IOVA;
		o->w.req.rkey = o->mr.rkey;
		o->w.req.dmalen = 64 * ODP_MTU;
		o->w.req.payload = ODP_MTU;
		o->w.req.pattern = i;
		wire_send(&o->w);
		o->w.req.psn = (o->w.req.psn + 1) & XROCE_PSN_MASK;
	}
	live_wait(written, &all);
	live_parameter("odp_defer_ms", 20);
	now = live_stat();
	check(now.write - before.write == 64 && now.deferred > before.deferred,
	      "%llu executed, %llu deferred", now.write - before.write,
	      now.deferred - before.deferred);
	compare(o, 64);
}

/* A READ that waits for memory is answered before the refusal of a later request. */
ODP_TEST(odp_read_refused, "O3 D5", "a refusal behind a READ that waits for memory", 64)
{
	struct packet got = {}, *req;
	pthread_t thread;
	char *ballast;
	uint32_t i, n;

	for (i = 0; i < 4 && !test_failed() && slow(&thread, &ballast); i++) {
		req = &o->w.req;
		req->opcode = XROCE_RC_READ_REQUEST;
		req->psn = WIRE_PSN;
		req->va = ODP_IOVA + 8 * i * MEM_PAGE;
		req->rkey = o->mr.rkey;
		req->dmalen = 4 * ODP_MTU;
		req->payload = 0;
		wire_send(&o->w);
		req->opcode = XROCE_RC_WRITE_ONLY;
		req->psn = (WIRE_PSN + 4) & XROCE_PSN_MASK;
		req->rkey ^= 1;
		req->dmalen = 64;
		req->payload = 64;
		wire_send(&o->w);
		for (n = 0; wire_take(&o->w, WIRE_MS, &got, NULL) && got.opcode != XROCE_RC_ACK;)
			n++;
		check(n == 4 && got.syndrome == XROCE_SYN_NAK_ACC && got.psn == req->psn &&
		      got.msn == 1,
		      "%u packets, then opcode %#x, syndrome %#x, PSN %#x, MSN %u", n, got.opcode,
		      got.syndrome, got.psn, got.msn);
		/* The children have the handle open, too. */
		fast(thread, ballast);
		if (!odp_again(o))
			return;
	}
}

/* Make the link of LIVE_SPARE anew, with its maps but without its program. */
static bool forget_program(void)
{
	struct xroce_link_del del = { .size = sizeof(del) };
	struct xroce_link_add add = {
		.size = sizeof(add), .ifindex = if_nametoindex(LIVE_SPARE),
	};
	struct xroce_link_maps maps = {
		.size = sizeof(maps), .prog_fd = -1, .mr_stat_fd = -1,
	};
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	struct xroce_link_query q;

	check(fd >= 0 && !xroce_link_find(LIVE_SPARE, &q), "link");
	del.link = q.link;
	maps.mpt_fd = xroce_pin_open(LIVE_SPARE, "mpt");
	maps.qp_fd = xroce_pin_open(LIVE_SPARE, "qp");
	check(!live_ioctl(fd, XROCE_CMD_LINK_DEL, &del), "LINK_DEL");
	check(!live_ioctl(fd, XROCE_CMD_LINK_ADD, &add), "LINK_ADD");
	/* The program on the device has the number of the link as a constant. */
	check(add.link == q.link, "link %u, not %u", add.link, q.link);
	maps.link = add.link;
	check(!live_ioctl(fd, XROCE_CMD_LINK_MAPS, &maps), "LINK_MAPS");
	close(maps.mpt_fd);
	close(maps.qp_fd);
	close(fd);
	return !test_failed();
}

/* Without a program that could execute them, no frames are deferred. */
TEST(odp_no_program, "O3 U2", "a link without a program defers nothing")
{
	const struct wire_opts opts = { .dev = LIVE_SPARE, .from = "c1" };
	struct odp o;

	if (!check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES),
		   "attach") ||
	    !forget_program())
		return;
	if (odp_open_opts(&o, 1, &opts)) {
		ACKED(odp_write(&o, 0, 512, 7));
		check(o.rnr, "no RNR NAK");
		check(odp_is(o.mem, 512, 7), "written");
		odp_close(&o);
	}
	check(!live_detach(LIVE_SPARE, 0), "detach");
}

TEST_MAIN(live_main);
