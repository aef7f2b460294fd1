// SPDX-License-Identifier: GPL-2.0-only
/*
 * Concurrent accesses: rxe's queue pairs and a thread of the server change one word of
 * memory that is registered and mapped; short WRITEs make progress beside a long READ. Run
 * by concurrent.sh.
 *
 * Environment: XROCE_CONCURRENT_OPS is the number of additions of each queue pair, up to
 * 500,000. XROCE_READ_MIB is the length of the READ in MiB.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "connection.h"
#include "counters.h"
#include "harness.h"
#include "setting.h"
#include "shadow.h"

#define QPS		8
#define DEPTH		8		/* additions in flight on each queue pair */
#define OPS		500
#define ROUNDS		25		/* acquisitions of the lock by each queue pair */
#define READ_MIB	64

#define WORD		2048u		/* offset in the file; outside the region */
#define COUNT		(WORD + 64)
#define MIB		(1u << 20)
#define LOCAL		(1ull << 32)	/* addend of the thread */

#define WRITES_LEN	64u

/* Offset in the client's buffer of all operands and results; the long READ ends before it. */
static uint32_t small_off;
static struct xroce_mr_reg words;
static uint8_t *mapped;			/* the file, mapped by the server's program */

/**
 * struct neighbour - the server's own thread
 * @run: called again and again
 * @done: number of calls
 * @stop: set by the test
 */
struct neighbour {
	void (*run)(void);
	uint64_t done;
	bool stop;
};

static uint64_t *word_at(uint32_t off)
{
	return (uint64_t *)(mapped + off);
}

static bool setup(void)
{
	uint32_t read_len = setting("XROCE_READ_MIB", READ_MIB) * MIB;

	small_off = read_len;
	if (!connection_setup_sized(read_len + MIB))
		return false;
	if (mapped)
		return true;
	words = (struct xroce_mr_reg){
		.pd = server.pd,
		.access = ACCESS_ALL,
		.length = 4096,
	};

	if (!check_is(xroce_mr_reg_file(server.x, server.file, 0, &words), 0, "words"))
		return false;
	mapped = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		      server.file, 0);
	if (mapped == MAP_FAILED)
		mapped = NULL;
	return check(mapped, "mmap: %s", strerror(errno));
}

static void *neighbour_main(void *arg)
{
	struct neighbour *n = arg;

	while (!__atomic_load_n(&n->stop, __ATOMIC_RELAXED)) {
		n->run();
		n->done++;
	}
	return NULL;
}

static bool open_one(struct connection *c, enum ibv_mtu mtu, bool ipv6)
{
	const struct connection_opts opts = { .timeout = 18, .retry = 7 };

	return connection_open_opts(c, mtu, RIGHTS, ipv6, &opts);
}

/* Check a word, and set what connection_compare() compares it with. */
static void expect(uint32_t off, uint64_t want)
{
	check(*word_at(off) == want, "%#llx, not %#llx",
	      (long long)*word_at(off), (long long)want);
	memcpy(server.want + off, &want, sizeof(want));
}

/* Run @drive on @qps connections, with @n beside it. */
static void side_by_side(struct neighbour *n, struct connection *c, uint32_t qps,
			 void (*drive)(struct connection *c))
{
	pthread_t thread;
	uint32_t i;
	int err;

	for (i = 0; i < qps; i++)
		if (!open_one(&c[i], IBV_MTU_1024, i % 2))
			return;
	err = pthread_create(&thread, NULL, neighbour_main, n);
	if (check(!err, "thread: %s", strerror(err))) {
		drive(c);
		__atomic_store_n(&n->stop, true, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
	}
	for (i = 0; i < qps; i++)
		connection_close(&c[i]);
}

static bool post(struct connection *c, uint32_t qp, struct requester_op op)
{
	op.id = op.id << 8 | qp;
	op.off += small_off;
	op.rkey = words.rkey;
	return requester_post(&client, c[qp].qp, &op);
}

/* Return: id of the completed request, or -1 with a failed check. */
static int64_t wait_one(void)
{
	struct ibv_wc wc;
	int status = requester_wait_for(&client, &wc);

	if (!check(status == IBV_WC_SUCCESS, "%s", status < 0 ? "no completion" :
		   ibv_wc_status_str(status)))
		return -1;
	return wc.wr_id;
}

/*
 * Additions. Those of the queue pairs stay in the lower half of the word; the thread adds
 * to the upper half. A value found by a queue pair shows the progress of both.
 */
static struct shadow_word sum;

static uint64_t operand_of(uint32_t qp, uint32_t run)
{
	return 1 + (run * 7919 + qp) % 1000;
}

static void local_add(void)
{
	__atomic_fetch_add(word_at(WORD), LOCAL, __ATOMIC_SEQ_CST);
}

static bool add_one(struct connection *c, uint32_t qp, uint32_t run)
{
	return post(c, qp, (struct requester_op){
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.off = 8 * (qp * DEPTH + run % DEPTH),
		.len = 8,
		.va = WORD,
		.operand = operand_of(qp, run),
	});
}

static void drive_adds(struct connection *c)
{
	uint32_t ops = setting("XROCE_CONCURRENT_OPS", OPS);
	uint32_t posted[QPS] = {}, done[QPS] = {}, turns = 0, left = QPS * ops;
	uint64_t found, upper = 0;
	int64_t id;
	uint32_t qp;

	for (qp = 0; qp < QPS; qp++)
		while (posted[qp] < DEPTH && posted[qp] < ops)
			if (!add_one(c, qp, posted[qp]++))
				return;
	for (; left; left--) {
		id = wait_one();
		if (id < 0)
			return;
		qp = id & 0xff;
		memcpy(&found, client.buf + small_off +
		       8 * (qp * DEPTH + done[qp] % DEPTH), sizeof(found));
		turns += found / LOCAL != upper;
		upper = found / LOCAL;
		shadow_found(&sum, qp, found % LOCAL, 0,
			     operand_of(qp, done[qp]++));
		if (posted[qp] < ops && !add_one(c, qp, posted[qp]++))
			return;
	}
	note("%u additions of %u queue pairs, the thread's seen going on %u times",
	     QPS * ops, QPS, turns);
	check(turns, "nothing ran concurrently");
}

TEST(fetch_add, "D2 D5", "8 queue pairs and a thread add; the sum is exact")
{
	struct neighbour thread = { .run = local_add };
	struct connection c[QPS];
	uint64_t want;

	if (!setup())
		return;
	*word_at(WORD) = 0;
	shadow_start(&sum, 0);
	side_by_side(&thread, c, QPS, drive_adds);
	if (test_failed())
		return;
	want = shadow_adds(&sum) + thread.done * LOCAL;
	note("%llu additions of the thread", (long long)thread.done);
	expect(WORD, want);
	connection_compare("after the additions");
}

/*
 * A lock is 0 or its owner. The owner reads a counter and writes it back incremented; only
 * the lock prevents lost updates.
 */
enum step { LOCK, READ_COUNT, WRITE_COUNT, UNLOCK };

static void local_lock(void)
{
	uint64_t free = 0;

	while (!__atomic_compare_exchange_n(word_at(WORD), &free, ~0ull, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		free = 0;
		sched_yield();
	}
	++*word_at(COUNT);
	__atomic_store_n(word_at(WORD), 0, __ATOMIC_SEQ_CST);
	/* Let the others have the lock. */
	usleep(1000);
}

static bool lock_step(struct connection *c, uint32_t qp, enum step step)
{
	struct requester_op op = {
		.off = 16 * qp + (step == LOCK || step == UNLOCK ? 8 : 0),
		.len = 8,
		.va = step == LOCK || step == UNLOCK ? WORD : COUNT,
		.id = step,
	};

	switch (step) {
	case LOCK:
		op.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
		op.operand = qp + 1;
		break;
	case UNLOCK:
		op.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
		op.compare = qp + 1;
		break;
	case READ_COUNT:
		op.opcode = IBV_WR_RDMA_READ;
		break;
	case WRITE_COUNT:
		op.opcode = IBV_WR_RDMA_WRITE;
		break;
	}
	return post(c, qp, op);
}

static void drive_locks(struct connection *c)
{
	uint32_t rounds[QPS] = {}, left = QPS, missed = 0;
	uint64_t *mine, found;
	int64_t id;
	bool ok;
	uint32_t qp;

	for (qp = 0; qp < QPS; qp++)
		if (!lock_step(c, qp, LOCK))
			return;
	while (left) {
		id = wait_one();
		if (id < 0)
			return;
		qp = id & 0xff;
		mine = (uint64_t *)(client.buf + small_off + 16 * qp);
		found = mine[1];
		ok = true;
		switch ((enum step)(id >> 8)) {
		case LOCK:
			missed += !!found;
			ok = lock_step(c, qp, found ? LOCK : READ_COUNT);
			break;
		case READ_COUNT:
			mine[0]++;
			ok = lock_step(c, qp, WRITE_COUNT) &&
			     lock_step(c, qp, UNLOCK);
			break;
		case WRITE_COUNT:
			break;
		case UNLOCK:
			check(found == qp + 1, "QP %u unlocks for %llu", qp,
			      (long long)found);
			if (++rounds[qp] < ROUNDS)
				ok = lock_step(c, qp, LOCK);
			else
				left--;
		}
		if (!ok)
			return;
	}
	note("%u locks of %u queue pairs, %u attempts in vain", QPS * ROUNDS, QPS,
	     missed);
}

TEST(cmp_swap, "D2 D5", "8 queue pairs and a thread share a lock")
{
	struct neighbour thread = { .run = local_lock };
	struct connection c[QPS];

	if (!setup())
		return;
	*word_at(WORD) = 0;
	*word_at(COUNT) = 0;
	side_by_side(&thread, c, QPS, drive_locks);
	if (test_failed())
		return;
	note("%llu locks of the thread", (long long)thread.done);
	expect(COUNT, QPS * ROUNDS + thread.done);
	expect(WORD, 0);
	connection_compare("after the locks");
}

/* Make a region of its own over a file of its own. */
static bool long_region(uint32_t len, uint8_t **bytes, struct xroce_mr_reg *mr)
{
	int err, file = memfd_create("long", MFD_CLOEXEC);
	uint32_t i;

	if (!check(file >= 0 && !ftruncate(file, len), "%s", strerror(errno)))
		return false;
	*bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (!check(*bytes != MAP_FAILED, "%s", strerror(errno)))
		return false;
	for (i = 0; i < len; i += 4)
		*(uint32_t *)(*bytes + i) = i * 2654435761u;
	*mr = (struct xroce_mr_reg){
		.pd = server.pd,
		.access = XROCE_ACCESS_REMOTE_READ,
		.length = len,
	};
	err = xroce_mr_reg_file(server.x, file, 0, mr);
	close(file);
	return check(!err, "region: %s", strerror(-err));
}

static bool short_write(struct connection *c, uint32_t run)
{
	uint8_t *bytes = client.buf + small_off;

	memset(bytes, run * 31 + 7, WRITES_LEN);
	memcpy(bytes, &run, sizeof(run));
	memcpy(server.want, bytes, WRITES_LEN);
	return post(c, 0, (struct requester_op){
		.opcode = IBV_WR_RDMA_WRITE,
		.len = WRITES_LEN,
	});
}

/**
 * struct pace - duration of requests
 * @n: number of requests
 * @sum: seconds
 * @max: seconds of the slowest
 */
struct pace {
	uint32_t n;
	double sum;
	double max;
};

static void pace_add(struct pace *p, double seconds)
{
	p->n++;
	p->sum += seconds;
	if (seconds > p->max)
		p->max = seconds;
}

/* Issue WRITEs one by one: @n of them, or until the READ of c[1] is complete. */
static struct pace write_on(struct connection *c, uint32_t n)
{
	struct pace p = {};
	bool reading = !n;
	double begun;
	int64_t id;

	while (reading || p.n < n) {
		begun = clock_now();
		if (!short_write(c, p.n))
			break;
		id = wait_one();
		if (id > 0) {
			reading = false;
			id = wait_one();
		}
		if (id < 0)
			break;
		pace_add(&p, clock_now() - begun);
	}
	return p;
}

static void compare_read(const uint8_t *bytes, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len && client.buf[i] == bytes[i]; i++)
		;
	if (i < len)
		check(false, "byte %u of the READ is %#x, not %#x", i,
		      client.buf[i], bytes[i]);
}

/*
 * On veth the client's ring is full of READ responses most of the time. Responses that the
 * XDP program sends meanwhile are lost, so the slowest WRITE may be one that the client
 * sent again after a second.
 */
TEST(read_beside_writes, "D2 D5", "WRITEs make progress beside a long READ")
{
	struct pace alone, beside;
	struct requester_op op = { .opcode = IBV_WR_RDMA_READ, .id = 1 };
	struct xroce_stat before, after;
	struct xroce_mr_reg mr;
	struct connection c[2];
	double seconds;
	uint8_t *bytes;

	if (!setup() || !long_region(small_off, &bytes, &mr) ||
	    !open_one(&c[0], IBV_MTU_1024, false) ||
	    !open_one(&c[1], IBV_MTU_4096, true))
		return;
	op.len = small_off;
	op.rkey = mr.rkey;
	alone = write_on(c, 200);
	memset(client.buf, 0xa5, op.len);
	counters_read(server.stat, &before);
	seconds = clock_now();
	if (requester_post(&client, c[1].qp, &op)) {
		beside = write_on(c, 0);
		seconds = clock_now() - seconds;
		compare_read(bytes, op.len);
		connection_compare("after the WRITEs");
		check(beside.n > 1, "%u WRITEs during the READ", beside.n);
		counters_read(server.stat, &after);
		note("READ of %u MiB: %.1f s; %u WRITEs of %u bytes meanwhile, %llu sent again",
		     op.len / MIB, seconds, beside.n, WRITES_LEN,
		     after.duplicate - before.duplicate);
		note("slowest WRITE %.0f us, mean %.0f us; with no READ %.0f us, mean %.0f us",
		     beside.max * 1e6, beside.sum / beside.n * 1e6,
		     alone.max * 1e6, alone.sum / alone.n * 1e6);
	}
	connection_close(&c[0]);
	connection_close(&c[1]);
	check(!xroce_mr_dereg(server.x, mr.mr), "dereg");
	munmap(bytes, op.len);
}

TEST_MAIN(connection_main);
