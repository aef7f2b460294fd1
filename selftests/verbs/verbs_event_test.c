// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous events and completion events of the verbs device, each beside the case in which
 * there is none. That none has come is seen after the peer has got its answer: the module
 * raises an event before it answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "live.h"
#include "mem.h"
#include "verbs_command.h"
#include "verbs_end.h"

#define MESSAGE		64u
#define RECVS		15u
#define MANY		200u	/* receives, more than the module flushes at a time */
#define CQES		(MANY + 2 * RECVS)
#define IN_XR		"nsenter --net=/run/netns/xr "

static char memory[MEM_PAGE] __attribute__((aligned(MEM_PAGE)));
static char peer_message[MESSAGE];
static struct ibv_mr *mr, *peer_mr;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq, *peer_cq;
static struct ibv_qp *qp, *peer;

static bool objects(struct ibv_srq *(*shared)(void), struct ibv_srq **srq)
{
	if (!ends_open())
		return false;
	mr = ibv_reg_mr(xr_end.pd, memory, sizeof(memory),
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	peer_mr = ibv_reg_mr(rxe_end.pd, peer_message, MESSAGE, IBV_ACCESS_LOCAL_WRITE);
	channel = ibv_create_comp_channel(xr_end.ctx);
	if (!check(mr && peer_mr && channel, "objects: %s", strerror(errno)))
		return false;
	fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK);
	cq = ibv_create_cq(xr_end.ctx, CQES, &cq, channel, 0);
	peer_cq = ibv_create_cq(rxe_end.ctx, 64, NULL, NULL, 0);
	if (!check(cq && peer_cq, "completion queues: %s", strerror(errno)))
		return false;
	if (shared)
		*srq = shared();
	qp = end_qp(&xr_end, IBV_QPT_RC, cq, cq, shared ? *srq : NULL, 4, RECVS);
	peer = end_qp(&rxe_end, IBV_QPT_RC, peer_cq, peer_cq, NULL, 16, 1);
	return qp && peer && ends_connect(qp, peer);
}

static void objects_gone(struct ibv_srq *srq)
{
	check(!ibv_destroy_qp(qp) && !ibv_destroy_qp(peer), "queue pairs");
	check(!srq || !ibv_destroy_srq(srq), "shared queue");
	check(!ibv_destroy_cq(cq) && !ibv_destroy_cq(peer_cq), "completion queues");
	check(!ibv_destroy_comp_channel(channel), "channel");
	check(!ibv_dereg_mr(mr) && !ibv_dereg_mr(peer_mr), "regions");
	ends_close();
}

static struct ibv_srq *new_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = RECVS, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(xr_end.pd, &init);

	check(srq, "%s", strerror(errno));
	return srq;
}

static void post(struct ibv_srq *srq, uint32_t n)
{
	struct ibv_sge sge = { (uintptr_t)memory, MESSAGE, mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	while (n--)
		check(!(srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qp, &wr, &bad)),
		      "post");
}

/* A message of the peer. Return: status of its completion, which follows the answer. */
static int peer_does(enum ibv_wr_opcode opcode, uint32_t rkey, unsigned int flags)
{
	struct ibv_sge sge = { (uintptr_t)peer_message, MESSAGE, peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED | flags,
		.wr.rdma = { .remote_addr = (uintptr_t)memory, .rkey = rkey },
	};
	struct ibv_wc wc;

	return check(!ibv_post_send(peer, &wr, &bad), "post") ? end_wait(peer_cq, &wc) : -1;
}

static void peer_sends(unsigned int flags)
{
	check_is(peer_does(IBV_WR_SEND, 0, flags), 0, "the peer's SEND");
}

/* All events of a type so far, without waiting. */
static void events_are(enum ibv_event_type type, unsigned int want)
{
	unsigned int got = end_events(&xr_end, type);

	check(got == want, "%s: %u, not %u", ibv_event_type_str(type), got, want);
}

struct awaited {
	enum ibv_event_type type;
	unsigned int count;
};

static bool has_come(void *arg)
{
	struct awaited *a = arg;

	return end_events(&xr_end, a->type) >= a->count;
}

static void event_comes(enum ibv_event_type type, unsigned int count)
{
	struct awaited a = { type, count };

	check(live_wait(has_come, &a), "%s does not come", ibv_event_type_str(type));
	events_are(type, count);
}

/* --- Asynchronous events. */

static int invalidate(uint32_t key)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = key,
	};
	struct ibv_wc wc;

	return check(!ibv_post_send(qp, &wr, &bad), "post") ? end_wait(cq, &wc) : -1;
}

TEST(event_qp_fatal, "V6 D5", "a queue pair ends by a packet, not by a work request")
{
	int ret;

	if (!objects(NULL, NULL))
		return;
	check_is(peer_does(IBV_WR_RDMA_WRITE, mr->rkey, 0), 0, "a WRITE");
	events_are(IBV_EVENT_QP_FATAL, 0);
	check_is(peer_does(IBV_WR_RDMA_WRITE, mr->rkey ^ 1, 0), IBV_WC_REM_ACCESS_ERR,
		 "a WRITE with a wrong key");
	event_comes(IBV_EVENT_QP_FATAL, 1);
	ends_connect(qp, peer);
	check(!end_state(qp, IBV_QPS_ERR), "ERR");
	events_are(IBV_EVENT_QP_FATAL, 1);
	ends_connect(qp, peer);
	ret = invalidate(mr->rkey);
	/* The completion tells the program; there is no event besides (IBTA 11.6.3). */
	check(ret == IBV_WC_MW_BIND_ERR, "LOCAL_INV: %d", ret);
	events_are(IBV_EVENT_QP_FATAL, 1);
	check(!xr_end.events[IBV_EVENT_QP_LAST_WQE_REACHED], "no shared queue");
	objects_gone(NULL);
}

TEST(event_last_wqe, "V6", "the last receive of a queue pair with a shared queue")
{
	struct ibv_srq *srq;
	struct ibv_wc wc;

	if (!objects(new_srq, &srq))
		return;
	post(srq, 2);
	peer_sends(0);
	events_are(IBV_EVENT_QP_LAST_WQE_REACHED, 0);
	check(!end_state(qp, IBV_QPS_ERR), "ERR");
	event_comes(IBV_EVENT_QP_LAST_WQE_REACHED, 1);
	check(!end_state(qp, IBV_QPS_ERR), "ERR again");
	events_are(IBV_EVENT_QP_LAST_WQE_REACHED, 1);
	ends_connect(qp, peer);
	check_is(peer_does(IBV_WR_RDMA_WRITE, mr->rkey ^ 1, 0), IBV_WC_REM_ACCESS_ERR,
		 "a WRITE with a wrong key");
	event_comes(IBV_EVENT_QP_LAST_WQE_REACHED, 2);
	event_comes(IBV_EVENT_QP_FATAL, 1);
	ends_connect(qp, peer);
	/* The completions of receives. */
	while (ibv_poll_cq(cq, 1, &wc) == 1)
		;
	check_is(invalidate(mr->rkey), IBV_WC_MW_BIND_ERR, "LOCAL_INV");
	event_comes(IBV_EVENT_QP_LAST_WQE_REACHED, 3);
	events_are(IBV_EVENT_QP_FATAL, 1);
	objects_gone(srq);
}

static struct ibv_pd *other;

static struct ibv_srq *srq_of_other(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = RECVS, .max_sge = 1 } };
	struct ibv_srq *srq;

	other = ibv_alloc_pd(xr_end.ctx);
	srq = other ? ibv_create_srq(other, &init) : NULL;
	check(srq, "%s", strerror(errno));
	return srq;
}

/* Elements of a shared receive queue are in its own domain, not in that of the queue pair. */
TEST(event_srq_domain, "V6 P2", "the domain of a shared queue is not that of its queue pair")
{
	struct ibv_mr *own, *theirs;
	struct ibv_srq *srq;
	struct ibv_wc wc;

	if (!objects(srq_of_other, &srq))
		return;
	own = mr;
	theirs = ibv_reg_mr(other, memory, MESSAGE, IBV_ACCESS_LOCAL_WRITE);
	if (!check(theirs, "region: %s", strerror(errno)))
		return;
	mr = theirs;
	post(srq, 1);
	mr = own;
	peer_sends(0);
	check_is(end_wait(cq, &wc), 0, "into its domain");
	post(srq, 1);
	check_is(peer_does(IBV_WR_SEND, 0, 0), IBV_WC_REM_OP_ERR, "into that of the queue pair");
	check_is(end_wait(cq, &wc), IBV_WC_LOC_PROT_ERR, "the receive");
	check(!ibv_dereg_mr(theirs), "deregister");
	/* The other domain goes with the context. */
	objects_gone(srq);
}

static void limit(struct ibv_srq *srq, uint32_t n)
{
	struct ibv_srq_attr attr = { .srq_limit = n };

	check(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "limit %u", n);
	check(!ibv_query_srq(srq, &attr) && attr.srq_limit == n, "limit is %u", attr.srq_limit);
}

TEST(event_srq_limit, "V6", "the limit of a shared queue")
{
	struct ibv_srq_attr attr;
	struct ibv_srq *srq;

	if (!objects(new_srq, &srq))
		return;
	post(srq, 6);
	peer_sends(0);
	peer_sends(0);
	events_are(IBV_EVENT_SRQ_LIMIT_REACHED, 0);
	limit(srq, 3);
	peer_sends(0);
	events_are(IBV_EVENT_SRQ_LIMIT_REACHED, 0);
	peer_sends(0);
	event_comes(IBV_EVENT_SRQ_LIMIT_REACHED, 1);
	check(!ibv_query_srq(srq, &attr) && !attr.srq_limit, "it is still armed");
	peer_sends(0);
	events_are(IBV_EVENT_SRQ_LIMIT_REACHED, 1);
	objects_gone(srq);
}

/* A queue of @cqe; all receives of a queue pair are flushed into it. */
static void flush_into(int cqe, int more, unsigned int want)
{
	struct ibv_cq *small = ibv_create_cq(xr_end.ctx, cqe, NULL, NULL, 0);
	struct ibv_sge sge = { (uintptr_t)memory, MESSAGE, mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_qp *other;
	struct ibv_wc wc;
	int i, n;

	if (!check(small, "%s", strerror(errno)))
		return;
	n = small->cqe;
	other = end_qp(&xr_end, IBV_QPT_RC, small, small, NULL, 1, n + more);
	check(other && !end_move(&xr_end, other, &rxe_end, 0x11, IBV_QPS_INIT), "INIT");
	for (i = 0; i < n + more && !test_failed(); i++)
		check(!ibv_post_recv(other, &wr, &bad), "post");
	check(!end_state(other, IBV_QPS_ERR), "ERR");
	events_are(IBV_EVENT_CQ_ERR, want);
	for (i = 0; ibv_poll_cq(small, 1, &wc) == 1; i++)
		;
	check(i == n, "%d completions of %d", i, n);
	check(!ibv_destroy_qp(other) && !ibv_destroy_cq(small), "destroy");
}

TEST(event_cq_error, "V6", "a completion queue overflows")
{
	if (!objects(NULL, NULL))
		return;
	flush_into(15, 0, 0);
	flush_into(15, 1, 1);
	objects_gone(NULL);
}

static void command(const char *words)
{
	check(!system(words), "%s", words);
}

TEST(event_port, "V6 V3", "the port goes down and up")
{
	if (!objects(NULL, NULL))
		return;
	end_events(&xr_end, IBV_EVENT_PORT_ERR);
	memset(xr_end.events, 0, sizeof(xr_end.events));
	command(IN_XR "ip link set x0 arp off");
	command(IN_XR "ip link set x0 arp on");
	events_are(IBV_EVENT_PORT_ERR, 0);
	command(IN_XR "ip link set x0 down");
	event_comes(IBV_EVENT_PORT_ERR, 1);
	events_are(IBV_EVENT_PORT_ACTIVE, 0);
	command(IN_XR "ip link set x0 up");
	event_comes(IBV_EVENT_PORT_ACTIVE, 1);
	events_are(IBV_EVENT_PORT_ERR, 1);
	objects_gone(NULL);
}

static bool gids_settled(void *arg)
{
	union ibv_gid gid;

	(void)arg;
	return !ibv_query_gid(xr_end.ctx, 1, xr_end.gid_index, &gid) &&
	       !memcmp(&gid, &xr_end.gid, sizeof(gid));
}

TEST(event_gid, "V6 V3", "an address is added")
{
	unsigned int n;

	if (!objects(NULL, NULL))
		return;
	check(live_wait(gids_settled, NULL), "no address");
	n = end_events(&xr_end, IBV_EVENT_GID_CHANGE);
	command(IN_XR "ip addr add 10.99.0.1/24 dev lo");
	command(IN_XR "ip addr del 10.99.0.1/24 dev lo");
	events_are(IBV_EVENT_GID_CHANGE, n);
	command(IN_XR "ip addr add 10.77.0.9/24 dev x0");
	event_comes(IBV_EVENT_GID_CHANGE, n + 1);
	command(IN_XR "ip addr del 10.77.0.9/24 dev x0");
	event_comes(IBV_EVENT_GID_CHANGE, n + 2);
	objects_gone(NULL);
}

/* --- Completion events. */

static unsigned int unacked;

/* Read all completion events that have come. Return: how many. */
static unsigned int notified(void)
{
	struct ibv_cq *which;
	unsigned int n;
	void *context;

	for (n = 0; !ibv_get_cq_event(channel, &which, &context); n++)
		check(which == cq && context == &cq, "of another queue");
	unacked += n;
	return n;
}

static void taken(uint32_t n)
{
	struct ibv_wc wc;
	uint32_t i;
	int status;

	for (i = 0; i < n; i++) {
		status = end_wait(cq, &wc);
		check(!status || status == IBV_WC_WR_FLUSH_ERR, "%d", status);
	}
}

static void message(unsigned int flags, unsigned int want, const char *when)
{
	unsigned int n;

	peer_sends(flags);
	taken(1);
	n = notified();
	check(n == want, "%s: %u events, not %u", when, n, want);
}

TEST(event_next, "V6", "armed for the next completion")
{
	if (!objects(NULL, NULL))
		return;
	unacked = 0;
	post(NULL, 8);
	message(0, 0, "not armed");
	message(IBV_SEND_SOLICITED, 0, "not armed, solicited");
	check(!ibv_req_notify_cq(cq, 0), "arm");
	message(0, 1, "armed");
	message(0, 0, "not armed again");
	check(!ibv_req_notify_cq(cq, 0) && !ibv_req_notify_cq(cq, 1), "arm twice");
	message(0, 1, "armed for all, then for solicited");
	check(unacked == 2, "%u events", unacked);
	/* ibv_destroy_cq() waits until all of them are acknowledged. */
	ibv_ack_cq_events(cq, unacked);
	objects_gone(NULL);
}

TEST(event_solicited, "V6", "armed for a solicited or failed completion")
{
	if (!objects(NULL, NULL))
		return;
	unacked = 0;
	post(NULL, 8);
	check(!ibv_req_notify_cq(cq, 1), "arm");
	message(0, 0, "not solicited");
	message(IBV_SEND_SOLICITED, 1, "solicited");
	message(IBV_SEND_SOLICITED, 0, "not armed again");
	check(!ibv_req_notify_cq(cq, 1), "arm");
	check(!end_state(qp, IBV_QPS_ERR), "ERR");
	taken(5);
	check(notified() == 1, "a failed completion");
	ibv_ack_cq_events(cq, unacked);
	objects_gone(NULL);
}

static bool comes(void *arg)
{
	return (*(unsigned int *)arg += notified());
}

/*
 * The event of one message. Return: 1: it came at once; 0: later, as it was held; -1: this says
 * nothing, because it came so late that the period may have been over.
 */
static int event_is_held(void)
{
	double end = clock_now() + XROCE_MODERATION_USEC_MAX / 1e6;
	unsigned int n;
	bool held;

	post(NULL, 1);
	check(!ibv_req_notify_cq(cq, 0), "arm");
	peer_sends(0);
	taken(1);
	n = notified();
	held = !n;
	if (held && clock_now() >= end)
		held = false;
	check(live_wait(comes, &n) && n == 1, "%u events", n);
	return held ? 0 : clock_now() < end ? 1 : -1;
}

static void event_comes_at(int want, const char *when)
{
	int i, got = -1;

	for (i = 0; i < 200 && got < 0 && !test_failed(); i++)
		got = event_is_held();
	check(got == want, "%s: %d", when, got);
}

TEST(event_moderated, "V6 V5", "a program whose provider knows it moderates events of its queues")
{
	const uint16_t most = XROCE_MODERATION_COUNT_MAX, longest = XROCE_MODERATION_USEC_MAX;
	struct ibv_context *other;

	if (!objects(NULL, NULL))
		return;
	unacked = 0;
	other = ibv_open_device(xr_end.ctx->device);
	if (!check(other, "%s", strerror(errno)))
		return;
	event_comes_at(1, "by default");
	check(command_moderate(other, cq->handle, most, longest), "by another context");
	check_is(command_moderate(xr_end.ctx, cq->handle, most + 1, 1), EINVAL, "count");
	check_is(command_moderate(xr_end.ctx, cq->handle, 2, longest + 1), EINVAL, "period");
	event_comes_at(1, "refused");
	check_is(command_moderate(xr_end.ctx, cq->handle, most, longest), 0, "moderate");
	event_comes_at(0, "moderated");
	check_is(command_moderate(xr_end.ctx, cq->handle, 0, 0), 0, "off");
	event_comes_at(1, "off");
	ibv_ack_cq_events(cq, unacked);
	check(!ibv_close_device(other), "close");
	objects_gone(NULL);
}

/* --- Receives that are posted in ERR. Only the next call tells the module of them. */

static void none_waits(const char *when)
{
	struct ibv_wc wc;

	check(!ibv_poll_cq(cq, 1, &wc), "%s: a completion", when);
}

/* All of them are flushed. */
static void flushed(uint32_t n)
{
	struct ibv_wc wc;
	uint32_t i;

	for (i = 0; i < n && !test_failed(); i++)
		check(end_wait(cq, &wc) == IBV_WC_WR_FLUSH_ERR, "completion %u of %u", i, n);
	none_waits("all are flushed");
}

static void ring(void)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
	};

	check(!ibv_post_send(qp, &wr, &bad), "post in ERR");
}

TEST(event_late_doorbell, "V6 D5", "receives posted in ERR are flushed by the next send")
{
	if (!objects(NULL, NULL))
		return;
	check(!end_state(qp, IBV_QPS_ERR), "ERR");
	post(NULL, 2);
	none_waits("without a call");
	ring();
	flushed(3);
	/* In RTS they wait for messages. */
	check(ends_connect(qp, peer), "connect");
	post(NULL, 1);
	peer_sends(0);
	taken(1);
	objects_gone(NULL);
}

/*
 * A queue pair in ERR goes through RESET, where end_move() begins, to ERR, and has a receive posted
 * there. @reset, @err: it goes to that state twice.
 */
static void late_again(struct ibv_qp *other, bool reset, bool err)
{
	struct ibv_recv_wr *bad, wr = {};

	if (test_failed())
		return;
	check((!reset || !end_state(other, IBV_QPS_RESET)) &&
	      !end_move(&xr_end, other, &rxe_end, 0x11, IBV_QPS_INIT) &&
	      !end_state(other, IBV_QPS_ERR) && (!err || !end_state(other, IBV_QPS_ERR)) &&
	      !ibv_post_recv(other, &wr, &bad), "ERR again");
	check(!ibv_req_notify_cq(cq, 0), "arm");
	flushed(1);
	check(notified() == 1, "once more");
}

/* Of two queue pairs that receive into the queue, one is in ERR. */
TEST(event_late_arm, "V6 D5", "or when their completion queue is armed, with an event")
{
	struct ibv_recv_wr *bad, wr = {};
	struct ibv_qp *other;
	uint32_t i;

	if (!objects(NULL, NULL))
		return;
	unacked = 0;
	post(NULL, 1);
	other = end_qp(&xr_end, IBV_QPT_RC, cq, cq, NULL, 1, MANY);
	if (!check(other && !end_move(&xr_end, other, &rxe_end, 0x11, IBV_QPS_INIT) &&
		   !end_state(other, IBV_QPS_ERR), "ERR"))
		return;
	for (i = 0; i < MANY && !test_failed(); i++)
		check(!ibv_post_recv(other, &wr, &bad), "post");
	none_waits("without a call");
	check(!ibv_req_notify_cq(cq, 0), "arm");
	flushed(MANY);
	check(notified() == 1, "of the first one");
	/* That it goes to RESET or to ERR twice makes no difference. */
	for (i = 0; i < 2; i++)
		late_again(other, true, false);
	for (i = 0; i < 10; i++)
		late_again(other, false, true);
	check(!end_state(other, IBV_QPS_RESET), "RESET");
	check(!ibv_req_notify_cq(cq, 0), "arm");
	peer_sends(0);
	taken(1);
	check(notified() == 1, "of the SEND");
	ibv_ack_cq_events(cq, unacked);
	check(!ibv_destroy_qp(other), "destroy");
	objects_gone(NULL);
}

/* A shared receive queue keeps them for other queue pairs. */
TEST(event_late_shared, "V6 D5", "those of a shared queue stay")
{
	struct ibv_srq *srq;

	if (!objects(new_srq, &srq))
		return;
	unacked = 0;
	check(!end_state(qp, IBV_QPS_ERR), "ERR");
	post(srq, 1);
	ring();
	check(!ibv_req_notify_cq(cq, 0), "arm");
	flushed(1);
	check(ends_connect(qp, peer), "connect");
	check(notified() <= 1 && !ibv_req_notify_cq(cq, 0), "arm");
	peer_sends(0);
	taken(1);
	check(notified() == 1, "of the SEND");
	ibv_ack_cq_events(cq, unacked);
	objects_gone(srq);
}

/* --- Events that the program does not read. */

#define ARMED		100000u
#define CYCLES		200u

static void ended(unsigned int cycles)
{
	while (cycles-- && !test_failed())
		check(!end_move(&xr_end, qp, &rxe_end, peer->qp_num, IBV_QPS_INIT) &&
		      !end_state(qp, IBV_QPS_ERR), "ERR");
}

static void drained(unsigned int cycles)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	ends_connect(qp, peer);
	while (cycles-- && !test_failed()) {
		/* The event comes out of softirq on this CPU. */
		check(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), "SQD");
		check(!end_state(qp, IBV_QPS_RTS), "RTS");
	}
}

static void read_one(enum ibv_event_type type)
{
	struct ibv_async_event event;

	if (!check(!ibv_get_async_event(xr_end.ctx, &event), "no event"))
		return;
	check(event.event_type == type, "%s", ibv_event_type_str(event.event_type));
	xr_end.events[event.event_type]++;
	ibv_ack_async_event(&event);
}

TEST(event_unread, "V6 V5", "events of objects that nobody reads do not pile up")
{
	struct ibv_srq_attr attr = { .srq_limit = 3 };
	struct ibv_srq *srq;
	unsigned int i;

	if (!objects(new_srq, &srq))
		return;
	end_events(&xr_end, IBV_EVENT_SRQ_LIMIT_REACHED);
	/* Nothing is posted, so that each of them raises the event. */
	for (i = 0; i < ARMED && !test_failed(); i++)
		check(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "arm");
	ended(CYCLES);
	drained(CYCLES);
	/* One of each kind; and what has been read may come again, whatever is behind it. */
	read_one(IBV_EVENT_SRQ_LIMIT_REACHED);
	read_one(IBV_EVENT_QP_LAST_WQE_REACHED);
	ended(2);
	check(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "arm");
	event_comes(IBV_EVENT_SQ_DRAINED, 1);
	event_comes(IBV_EVENT_QP_LAST_WQE_REACHED, 2);
	event_comes(IBV_EVENT_SRQ_LIMIT_REACHED, 2);
	check(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "arm");
	event_comes(IBV_EVENT_SRQ_LIMIT_REACHED, 3);
	drained(1);
	event_comes(IBV_EVENT_SQ_DRAINED, 2);
	objects_gone(srq);
}

/* A completion for which the queue is armed. */
static void flush_armed(void)
{
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	check(!ibv_req_notify_cq(cq, 0) && !ibv_post_send(qp, &wr, &bad), "post");
	check(end_wait(cq, &wc) == IBV_WC_WR_FLUSH_ERR, "flush");
}

TEST(event_completions_unread, "V6 V5", "completion events that nobody reads")
{
	unsigned int i, n;

	if (!objects(NULL, NULL))
		return;
	unacked = 0;
	check(!end_state(qp, IBV_QPS_ERR), "ERR");
	for (i = 0; i < 10; i++)
		flush_armed();
	check(notified() == 10, "an event of each");
	for (i = 0; i < 4 * (unsigned int)cq->cqe && !test_failed(); i++)
		flush_armed();
	n = notified();
	check(n && n <= (unsigned int)cq->cqe + 1, "%u events of a queue of %d", n, cq->cqe);
	flush_armed();
	check(notified() == 1, "it comes again");
	ibv_ack_cq_events(cq, unacked);
	objects_gone(NULL);
}

TEST_MAIN(harness_main);
