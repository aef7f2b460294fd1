// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that polls the send queues of a program with xroce's own provider: who may have one,
 * what it executes, when it sleeps, and when it ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "uapi/rdma/xroce-abi.h"
#include "uapi/xroce.h"

#include "clock.h"
#include "group.h"
#include "live.h"
#include "provider_poller.h"
#include "rng.h"
#include "setting.h"
#include "verbs_device.h"

#define AWAKE		XROCE_POLL_MAX	/* microseconds: it sleeps late */
#define DROWSY		1u		/* it sleeps at once */
#define ROUNDS		3000		/* default of XROCE_POLL_ROUNDS */
#define FITFUL		300u		/* as long as an answer takes, more or less */
#define KILLS		8

/* A test of a connection whose program has a thread that sleeps late, or at once. */
#define AWAKE_TEST(name, ids, about) \
	TEST_OPENED(own, own, poller_open(&own, AWAKE), poller_close, name, ids, about)
#define DROWSY_TEST(name, ids, about) \
	TEST_OPENED(own, own, poller_open(&own, DROWSY), poller_close, name, ids, about)

static int ring(const struct own *own)
{
	return lseek(own->doorbell, own->qp->qp_num, XROCE_DOORBELL_SEND) ? errno : 0;
}

/*
 * Post a work request that the doorbell cannot have executed: it is cut. If the thread sleeps just
 * then, the request waits, a doorbell executes it, and another one is posted.
 */
static void post_to_thread(struct own *own, struct ibv_send_wr *wr, const char *what)
{
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int kept, err;

	do {
		check_is(ring(own), 0, "%s", what);
		kept = own_cut(own->doorbell);
		err = ibv_post_send(own->qp, wr, &bad);
		if (!err)
			check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "%s", what);
		own_mend(own->doorbell, kept);
		if (err == ESPIPE) {
			check_is(ring(own), 0, "%s", what);
			check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "%s", what);
		}
	} while (err == ESPIPE && !test_failed());
	check_is(err, 0, "%s", what);
}

AWAKE_TEST(provider_poll_kinds, "V5 D2", "a thread executes requests of each kind")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_sge into = { (uintptr_t)own->peer_memory + 64, 64, own->peer_mr->lkey };
	struct ibv_recv_wr receive = { .sg_list = &into, .num_sge = 1 }, *bad;
	uint64_t *ours = (void *)own->memory, *theirs = (void *)own->peer_memory;
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	int i;

	memcpy(ours, "by WRITE", 8);
	wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	post_to_thread(own, &wr, "WRITE");
	check(!memcmp(theirs, "by WRITE", 8), "its bytes");
	memcpy(theirs, "to READ.", 8);
	wr = own_wr(own, IBV_WR_RDMA_READ, &sge);
	post_to_thread(own, &wr, "READ");
	check(!memcmp(ours, "to READ.", 8), "its bytes");
	/* More than one, if the first waits for the thread. */
	for (i = 0; i < 8; i++)
		check(!ibv_post_recv(own->peer, &receive, &bad), "receive");
	memcpy(ours, "by SEND.", 8);
	wr = own_wr(own, IBV_WR_SEND, &sge);
	post_to_thread(own, &wr, "SEND");
	check_is(end_wait(own->peer_cq, &wc), IBV_WC_SUCCESS, "receive");
	check(!memcmp(own->peer_memory + 64, "by SEND.", 8), "its bytes");
	*theirs = 40;
	wr = own_wr(own, IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
	wr.wr.atomic.compare_add = 2;
	wr.wr.atomic.remote_addr = (uintptr_t)theirs;
	wr.wr.atomic.rkey = own->peer_mr->rkey;
	post_to_thread(own, &wr, "FETCH_ADD");
	check(*theirs >= 42 && *theirs == *ours + 2, "42 from %llu", (unsigned long long)*ours);
	if (!check(mw, "window"))
		return;
	wr = own_wr(own, IBV_WR_BIND_MW, NULL);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = own->mr, .addr = (uintptr_t)own->memory, .length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	check(!ibv_post_send(own->qp, &wr, &(struct ibv_send_wr *){ NULL }), "bind");
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "bind");
	own_try_write(own, mw->rkey, own->memory, true, "through the window");
	check(!ibv_dealloc_mw(mw), "window");
}

static void busy_for(unsigned int usec)
{
	int64_t end = clock_ns() + 1000ll * usec;

	while (clock_ns() < end)
		;
}

/* A thread that sleeps is woken by the doorbell, and what is posted meanwhile is executed. */
TEST_OPENED(own, own, poller_open(&own, FITFUL), poller_close, provider_poll_sleeps, "V5",
	    "a thread that sleeps and wakes all the time misses nothing")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	uint64_t i, n = setting("XROCE_POLL_ROUNDS", ROUNDS), asleep = 0;
	uint32_t *word = poller_word(xr_end.ctx);
	struct ibv_wc wc;

	rng_seed(setting("XROCE_SEED", 1));
	for (i = 0; i < n && !test_failed(); i++) {
		*(uint64_t *)own->memory = i;
		asleep += !!__atomic_load_n(word, __ATOMIC_RELAXED);
		check_is(ibv_post_send(own->qp, &wr, &bad), 0, "post");
		check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "a WRITE");
		check(*(uint64_t *)own->peer_memory == i, "its bytes");
		busy_for(rng_below(2 * FITFUL));
	}
	note("%llu times of %llu it slept", (unsigned long long)asleep, (unsigned long long)n);
	check(asleep && asleep < n, "always or never");
}

DROWSY_TEST(provider_poll_idle, "V5", "without work a thread sleeps, and uses no CPU")
{
	pid_t me = getpid(), tid = poller_of(me);
	uint32_t *word = poller_word(xr_end.ctx);
	uint64_t before;

	if (!poller_sleeps(word))
		return;
	/* What it executes after it has set the word. */
	usleep(100000);
	check(poller_state(me, tid) == 'S', "state %c", poller_state(me, tid));
	before = poller_ran(me, tid);
	check(before, "it has never had a CPU");
	sleep(2);
	check(poller_ran(me, tid) == before, "%llu ns more",
	      (unsigned long long)(poller_ran(me, tid) - before));
	check_is(ring(own), 0, "doorbell");
	usleep(100000);
	check(poller_ran(me, tid) > before, "the doorbell has not woken it");
}

/* The thread and the program are lied to. */
DROWSY_TEST(provider_poll_stuck, "V5", "an impossible index does not keep a thread awake")
{
	struct xroce_send_header *header = poller_mapped(xr_end.ctx, POLLER_SEND);
	uint32_t *word = poller_word(xr_end.ctx), tail = header->tail;

	poller_sleeps(word);
	__atomic_store_n(&header->tail, tail + 0x12345678, __ATOMIC_RELEASE);
	check_is(ring(own), EINVAL, "wake it");
	usleep(100000);
	poller_sleeps(word);
	__atomic_store_n(&header->tail, tail, __ATOMIC_RELEASE);
	/* The thread does not read the word, and sets it again. */
	__atomic_store_n(word, 0, __ATOMIC_RELAXED);
	check_is(ring(own), 0, "wake it");
	usleep(100000);
	poller_sleeps(word);
}

/* Open a device, with its standard error output in @said. Return: whether it has a thread. */
static bool opens(struct ibv_context **ctx, char *said, size_t size)
{
	int file = memfd_create("said", 0), kept = dup(STDERR_FILENO);
	pid_t before = poller_of(getpid());
	ssize_t n;

	dup2(file, STDERR_FILENO);
	*ctx = verbs_device_open("xr0");
	dup2(kept, STDERR_FILENO);
	close(kept);
	n = pread(file, said, size - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(file);
	check(*ctx, "open: %s", strerror(errno));
	return poller_of(getpid()) && !before;
}

TEST(provider_poll_refused, "V5 U3", "no thread unless the administrator allows it")
{
	struct ibv_context *ctx, *other;
	char said[256];

	if (!poller_exists())
		return;
	setenv("XROCE_DEBUG", "1", 1);
	poller_allow(0, 1);
	poller_ask(0);
	check(!opens(&ctx, said, sizeof(said)) && !*said, "not asked for: %s", said);
	check(!ctx || !ibv_close_device(ctx), "close");
	poller_ask(AWAKE);
	check(!opens(&ctx, said, sizeof(said)), "nobody may have one");
	check(strstr(said, "xroce_ib/parameters/poll_threads\n"), "it says: %s", said);
	check(!ctx || !ibv_close_device(ctx), "close");
	poller_allow(2, 1);
	check(opens(&ctx, said, sizeof(said)) && !*said, "one: %s", said);
	opens(&other, said, sizeof(said));
	check(strstr(said, "xroce_ib/parameters/poll_threads_user\n"), "a second one: %s", said);
	check(!other || !ibv_close_device(other), "close");
	poller_allow(1, 2);
	opens(&other, said, sizeof(said));
	check(strstr(said, "xroce_ib/parameters/poll_threads\n"), "all are taken: %s", said);
	check(!other || !ibv_close_device(other), "close");
	check(!ctx || !ibv_close_device(ctx), "close");
	poller_ask(0);
	poller_allow(0, 1);
	unsetenv("XROCE_DEBUG");
}

/* As nobody, who may have @most threads and processes. Return: whether it gets a thread. */
static bool nobody_opens(rlim_t most)
{
	struct rlimit limit = { most, most };
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		if (setrlimit(RLIMIT_NPROC, &limit) || setresuid(65534, 65534, 65534) ||
		    !verbs_device_open("xr0"))
			_exit(2);
		_exit(!poller_of(getpid()));
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	      WEXITSTATUS(status) < 2, "nobody: %#x", status);
	return !status;
}

AWAKE_TEST(provider_poll_users, "V5 U3", "each user has threads of his own limit")
{
	poller_allow(2, 1);
	check(nobody_opens(RLIM_INFINITY), "another user");
	check(!nobody_opens(1), "another user, beyond RLIMIT_NPROC");
	poller_allow(1, 1);
	check(!nobody_opens(RLIM_INFINITY), "another user, with all taken");
}

/* Microseconds of CPU that the control group has used. */
static uint64_t group_ran(void)
{
	unsigned long long usec = 0;
	char text[256];

	check(group_get("cpu.stat", text, sizeof(text)) &&
	      sscanf(text, "usage_usec %llu", &usec) == 1, "cpu.stat");
	return usec;
}

/* In a process of its own, which goes into the group with its thread. Return: exit status. */
static int in_group(void)
{
	struct own own;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	uint64_t group, thread, program;
	pid_t me = getpid(), tid;
	unsigned int i;

	if (!own_open(&own, NULL, 0) || !check(poller_of(me), "no thread") ||
	    !check(group_join(0), "the group"))
		return 1;
	tid = poller_of(me);
	sge = (struct ibv_sge){ (uintptr_t)own.memory, 8, own.mr->lkey };
	wr = own_wr(&own, IBV_WR_RDMA_WRITE, &sge);
	group = group_ran();
	thread = poller_ran(me, tid);
	program = poller_ran(me, me);
	for (i = 0; i < 20; i++) {
		post_to_thread(&own, &wr, "WRITE");
		usleep(AWAKE / 2);
	}
	group = group_ran() - group;
	thread = (poller_ran(me, tid) - thread) / 1000;
	program = (poller_ran(me, me) - program) / 1000;
	note("microseconds: group %llu, thread %llu, program %llu", (unsigned long long)group,
	     (unsigned long long)thread, (unsigned long long)program);
	/* Most of it is the thread's; what it has used since the last tick may be missing. */
	check(thread > program && group >= program + thread / 2, "the group has not paid for it");
	fflush(stdout);
	return test_failed();
}

TEST(provider_poll_group, "V5 U3", "a thread's CPU time is that of the program's control group")
{
	int status = -1;
	pid_t pid;

	if (!poller_exists() || !group_open("cpu"))
		return;
	poller_allow(4, 4);
	poller_ask(AWAKE);
	pid = fork();
	if (!pid)
		_exit(in_group());
	check(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "the program: %#x", status);
	group_close();
	poller_ask(0);
	poller_allow(0, 1);
}

/*
 * A child has its parent's context, but not the thread, which it does not wake: it rings the
 * doorbell.
 */
DROWSY_TEST(provider_poll_fork, "V5 U3", "a child made by fork(2) has no thread")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	pid_t me = getpid(), tid = poller_of(me), pid;
	uint32_t *word = poller_word(xr_end.ctx);
	struct ibv_wc wc;
	uint64_t before;
	int status = -1;

	memset(own->memory, 'f', 8);
	poller_sleeps(word);
	usleep(100000);
	before = poller_ran(me, tid);
	pid = fork();
	if (!pid)
		_exit(poller_of(getpid()) ? 1 : ibv_post_send(own->qp, &wr, &bad) ? 2 : 0);
	check(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "the child: %#x", status);
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "a WRITE");
	check(own->peer_memory[0] == 'f', "its bytes");
	check(poller_ran(me, tid) == before, "it has woken the thread");
}

/* The limit is one thread: another one can be had. */
static bool none_left(void *unused __attribute__((unused)))
{
	struct ibv_context *ctx = verbs_device_open("xr0");
	bool got = ctx && poller_of(getpid());

	check(!ctx || !ibv_close_device(ctx), "close");
	return got;
}

/* How a process with a thread ends, while its child has the context. */
enum end { EXIT, EXEC };

/* The child, in which nothing may fail: post, with a parent that has ended. Return: exit status. */
static int orphan(struct own *own, uint32_t *word)
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	struct ibv_wc wc;

	if (!live_wait(poller_is_set, word))
		return 1;
	if (ibv_post_send(own->qp, &wr, &bad))
		return 2;
	if (end_wait(own->cq, &wc) != IBV_WC_SUCCESS)
		return 3;
	return live_wait(none_left, NULL) ? 0 : 4;
}

/* In a process of its own. @out: where the child writes its exit status. */
static void parent(enum end end, int out)
{
	struct own own;
	uint32_t *word;
	char status;
	pid_t pid;

	if (!own_open(&own, NULL, 0) || !poller_of(getpid()))
		_exit(1);
	word = poller_word(xr_end.ctx);
	pid = fork();
	if (!pid) {
		status = orphan(&own, word);
		_exit(write(out, &status, 1) != 1);
	}
	if (end == EXEC)
		execlp("true", "true", NULL);
	_exit(pid < 0);
}

static void ends(enum end end, const char *what)
{
	char status = -1;
	int out[2];
	ssize_t n;
	pid_t pid;

	check(!pipe(out), "pipe");
	pid = fork();
	if (!pid) {
		close(out[0]);
		parent(end, out[1]);
	}
	close(out[1]);
	check(pid > 0 && waitpid(pid, NULL, 0) == pid, "%s", what);
	n = read(out[0], &status, 1);
	check(n == 1 && !status, "%s: the child: %d", what, status);
	close(out[0]);
	check(live_wait(none_left, NULL), "%s: the thread is left", what);
}

TEST(provider_poll_ends, "V5 U3", "a thread ends with its program, also by exec, not with the context")
{
	if (!poller_exists())
		return;
	poller_allow(1, 1);
	poller_ask(AWAKE);
	ends(EXIT, "exit");
	ends(EXEC, "exec");
	poller_ask(0);
	poller_allow(0, 1);
}

/* Post without end. */
static void posts(void)
{
	struct ibv_sge sge = {};
	struct ibv_send_wr wr, *bad;
	struct ibv_wc wc[8];
	struct own own;

	if (!own_open(&own, NULL, 0) || !poller_of(getpid()))
		_exit(1);
	sge = (struct ibv_sge){ (uintptr_t)own.memory, 8, own.mr->lkey };
	wr = own_wr(&own, IBV_WR_RDMA_WRITE, &sge);
	for (;;) {
		ibv_post_send(own.qp, &wr, &bad);
		ibv_poll_cq(own.cq, 8, wc);
	}
}

static bool has_thread(void *pid)
{
	return poller_of(*(pid_t *)pid);
}

TEST(provider_poll_killed, "V5 U3", "a program is killed with work in its ring")
{
	int status = 0, i;
	pid_t pid;

	if (!poller_exists())
		return;
	poller_allow(1, 1);
	poller_ask(AWAKE);
	for (i = 0; i < KILLS && !test_failed(); i++) {
		pid = fork();
		if (!pid)
			posts();
		check(live_wait(has_thread, &pid), "no thread");
		usleep(1000 * (50 + 20 * i));
		check(!kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid, "kill");
		check(WIFSIGNALED(status), "it has ended before: %#x", status);
		check(live_wait(none_left, NULL), "the thread is left");
	}
	poller_ask(0);
	poller_allow(0, 1);
}

/* Queue pairs come and go, with work in their rings, while the thread visits them. */
AWAKE_TEST(provider_poll_destroy, "V5", "queue pairs are destroyed while a thread polls")
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	}, one;
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	struct ibv_wc wc[16];
	struct ibv_qp *qp;
	int i, j;

	for (i = 0; i < 200 && !test_failed(); i++) {
		one = init;
		qp = own_qp(xr_end.pd, &one);
		if (!qp)
			break;
		/* Nobody answers it. */
		check(!end_move(&xr_end, qp, &rxe_end, 0x777777, IBV_QPS_RTS), "RTS");
		for (j = 0; j < 8; j++)
			check(!ibv_post_send(qp, &wr, &bad), "post");
		if (i % 2)
			usleep(rng_below(2000));
		check(!ibv_destroy_qp(qp), "destroy");
		while (ibv_poll_cq(own->cq, 16, wc) > 0)
			;
	}
	post_to_thread(own, &wr, "a WRITE afterwards");
}

TEST_MAIN(harness_main);
