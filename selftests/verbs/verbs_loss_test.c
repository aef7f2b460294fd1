// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams and messages of UC from xr1 to xr2, on links that lose, double, delay or corrupt
 * frames: what arrives is right, and what does not arrive is counted. Messages of RC, for which
 * the receiver is late besides, arrive.
 * verbs_loss.sh makes the devices and the disciplines (netem).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "clock.h"
#include "counters.h"
#include "gid.h"
#include "mem.h"
#include "setting.h"
#include "verbs_end.h"
#include "verbs_netem.h"

#define MESSAGES	400u
#define RECEIVES	(2 * MESSAGES)
#define BURST		16u		/* messages under way at a time */
#define SLOT		4096u		/* bytes of memory for a message */
#define GRH		40u		/* bytes before a datagram */
#define UD_LENGTH	300u
#define UC_LENGTH	3000u		/* three packets */
/* A message of UC is late if all its packets are: one of 8,000 if 5% of packets are late. */
#define UC_LATE		4u
#define LAST		MESSAGES	/* number of a message on a clean link, behind all others */
#define SINKS		2u
#define GROUP		"239.7.7.7"
#define MCAST_QPN	0xffffffu
#define OUT		"m2"		/* its netem has the frames from xr1 */
#define NETDEV		"q0"		/* of xr2 */
/* Frames of other protocols that netem may have dropped: neighbour discovery, group reports */
#define OTHERS		20u

/**
 * struct sink - a queue pair that receives
 * @cq: its completion queue
 * @qp: the queue pair
 * @at: RECEIVES slots of memory
 * @mr: region over it
 * @copies: how often each message has arrived
 * @arrived: messages that have arrived, LAST included
 * @late: of these, those with a smaller number than one before
 * @next: one more than the largest number so far
 */
struct sink {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t *at;
	struct ibv_mr *mr;
	uint32_t copies[MESSAGES + 1];
	uint32_t arrived;
	uint32_t late;
	uint32_t next;
};

/**
 * struct source - the queue pair that sends
 * @cq: its completion queue
 * @qp: the queue pair
 * @ah: where datagrams go to; NULL: UC
 * @qpn: their destination
 * @at: BURST slots of memory
 * @mr: region over it
 * @length: bytes of a message
 */
struct source {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	uint32_t qpn;
	uint8_t *at;
	struct ibv_mr *mr;
	uint32_t length;
};

/* What a link does. */
enum trouble { NONE, LOSS, DUPLICATE, REORDER, CORRUPT };

static const char *const netem_words[] = {
	"", "loss 10%", "duplicate 10%", "delay 1ms reorder 95%", "corrupt 10%",
};

static struct verbs_end from, to;
static struct source source;
static struct sink sinks[SINKS];
static unsigned int used;	/* sinks */

static union ibv_gid group_gid(void)
{
	union ibv_gid gid = {};

	gid_parse(GROUP, gid.raw);
	return gid;
}

/* Byte @i of message @number, behind the number itself. */
static uint8_t byte_of(uint32_t number, uint32_t i)
{
	return number * 37 + i * 11 + 1;
}

static bool sink_open(struct sink *s, enum ibv_qp_type type, bool group)
{
	union ibv_gid gid = group_gid();

	memset(s, 0, sizeof(*s));
	s->cq = ibv_create_cq(to.ctx, RECEIVES, NULL, NULL, 0);
	s->at = mem_map(RECEIVES);
	s->mr = ibv_reg_mr(to.pd, s->at, (size_t)RECEIVES * SLOT, IBV_ACCESS_LOCAL_WRITE);
	if (!check(s->cq && s->mr, "sink: %s", strerror(errno)))
		return false;
	s->qp = end_qp(&to, type, s->cq, s->cq, NULL, 1, RECEIVES);
	return s->qp && (!group || check(!ibv_attach_mcast(s->qp, &gid, 0), "join"));
}

static void sink_close(struct sink *s, bool group)
{
	union ibv_gid gid = group_gid();

	check(!group || !ibv_detach_mcast(s->qp, &gid, 0), "leave");
	check(!ibv_destroy_qp(s->qp) && !ibv_dereg_mr(s->mr) && !ibv_destroy_cq(s->cq), "destroy");
	munmap(s->at, (size_t)RECEIVES * SLOT);
}

static bool source_open(enum ibv_qp_type type, bool group)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = group ? group_gid() : to.gid, .sgid_index = from.gid_index,
			 .hop_limit = 1 },
	};

	memset(&source, 0, sizeof(source));
	source.length = type == IBV_QPT_UD ? UD_LENGTH : UC_LENGTH;
	source.cq = ibv_create_cq(from.ctx, BURST, NULL, NULL, 0);
	source.at = mem_map(BURST);
	source.mr = ibv_reg_mr(from.pd, source.at, (size_t)BURST * SLOT, 0);
	if (!check(source.cq && source.mr, "source: %s", strerror(errno)))
		return false;
	source.qp = end_qp(&from, type, source.cq, source.cq, NULL, BURST, 1);
	if (type == IBV_QPT_UD) {
		source.ah = ibv_create_ah(from.pd, &attr);
		source.qpn = group ? MCAST_QPN : sinks[0].qp->qp_num;
		check(source.ah, "create_ah: %s", strerror(errno));
	}
	return source.qp && !test_failed();
}

static void source_close(void)
{
	if (source.ah)
		check(!ibv_destroy_ah(source.ah), "destroy_ah");
	check(!ibv_destroy_qp(source.qp) && !ibv_dereg_mr(source.mr) &&
	      !ibv_destroy_cq(source.cq), "destroy");
	munmap(source.at, (size_t)BURST * SLOT);
}

/* Attempts of RC: eight of 0.02 s. */
#define ATTEMPTS	{ .timeout = 12, .retry = 7 }
static struct attempts {
	uint8_t timeout;
	uint8_t retry;
} attempts = ATTEMPTS;

/* RC: without end after RNR NAKs. */
static int qp_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .sq_psn = END_PSN, .timeout = attempts.timeout,
		.retry_cnt = attempts.retry, .rnr_retry = 7, .max_rd_atomic = 1,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static bool source_ready(enum ibv_qp_type type)
{
	bool reliable = type == IBV_QPT_RC;
	int ret = end_move(&from, source.qp, &to, sinks[0].qp->qp_num,
			   reliable ? IBV_QPS_RTR : IBV_QPS_RTS);

	return check(!ret && (!reliable || !qp_rts(source.qp)), "RTS");
}

/* Open everything, with one queue pair that receives, or with two in a group. */
static bool opened(enum ibv_qp_type type, bool group)
{
	unsigned int i;

	used = group ? SINKS : 1;
	if (!end_open(&from, "xr1", "10.79.0.2") || !end_open(&to, "xr2", "10.79.0.3"))
		return false;
	for (i = 0; i < used; i++)
		if (!sink_open(&sinks[i], type, group))
			return false;
	if (!source_open(type, group) || !source_ready(type))
		return false;
	for (i = 0; i < used; i++)
		check(!end_move(&to, sinks[i].qp, &from, source.qp->qp_num, IBV_QPS_RTR), "RTR");
	return !test_failed();
}

static void closed(bool group)
{
	unsigned int i;

	source_close();
	for (i = 0; i < used; i++)
		sink_close(&sinks[i], group);
	end_close(&from);
	end_close(&to);
}

/* Post the work requests from @first on, before @end. */
static void receive(struct sink *s, uint32_t first, uint32_t end)
{
	struct ibv_recv_wr *bad;
	uint32_t i;

	for (i = first; i < end; i++) {
		struct ibv_sge sge = {
			.addr = (uintptr_t)s->at + (size_t)i * SLOT, .length = SLOT,
			.lkey = s->mr->lkey,
		};
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };

		check(!ibv_post_recv(s->qp, &wr, &bad), "post_recv %u", i);
	}
}

/* A work request for message @number, which is written to @at. */
static struct ibv_send_wr request(uint32_t number, uint8_t *at, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.wr_id = number, .sg_list = sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	uint32_t i;

	*sge = (struct ibv_sge){
		.addr = (uintptr_t)at, .length = source.length, .lkey = source.mr->lkey,
	};

	if (source.ah) {
		wr.wr.ud.ah = source.ah;
		wr.wr.ud.remote_qpn = source.qpn;
		wr.wr.ud.remote_qkey = END_QKEY;
	}
	memcpy(at, &number, sizeof(number));
	for (i = sizeof(number); i < source.length; i++)
		at[i] = byte_of(number, i);
	return wr;
}

static void post(uint32_t number, uint8_t *at)
{
	struct ibv_send_wr wr, *bad;
	struct ibv_sge sge;

	wr = request(number, at, &sge);
	check(!ibv_post_send(source.qp, &wr, &bad), "post_send %u", number);
}

/* Send the messages from @first on, before @end. */
static void send_messages(uint32_t first, uint32_t end)
{
	struct ibv_wc wc;
	uint32_t i;

	while (first < end && !test_failed()) {
		uint32_t n = end - first < BURST ? end - first : BURST;

		for (i = 0; i < n; i++)
			post(first + i, source.at + (size_t)i * SLOT);
		for (i = 0; i < n; i++)
			check(end_wait(source.cq, &wc) == IBV_WC_SUCCESS &&
			      wc.wr_id == first + i, "message %u is sent", first + i);
		first += n;
	}
}

/* Check a message that has arrived, and count it. */
static void arrived(struct sink *s, const struct ibv_wc *wc)
{
	uint32_t head = source.ah ? GRH : 0, number, i;
	const uint8_t *at;

	if (!check(wc->status == IBV_WC_SUCCESS, "receive: %s", ibv_wc_status_str(wc->status)) ||
	    !check(wc->byte_len == head + source.length, "%u bytes", wc->byte_len) ||
	    !check(wc->wr_id < RECEIVES, "work request %lu", wc->wr_id))
		return;
	at = s->at + wc->wr_id * SLOT + head;
	memcpy(&number, at, sizeof(number));
	if (!check(number <= LAST, "a message of number %u", number))
		return;
	for (i = sizeof(number); i < source.length; i++)
		if (!check(at[i] == byte_of(number, i), "byte %u of message %u", i, number))
			break;
	check(!at[source.length], "a byte behind message %u", number);
	s->copies[number]++;
	s->arrived++;
	if (number < s->next)
		s->late++;
	else
		s->next = number + 1;
}

static void drain(struct sink *s)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(s->cq, 1, &wc) == 1)
		arrived(s, &wc);
}

/* Take what arrives, until the last message is there and nothing more comes. */
static void arrive(struct sink *s)
{
	struct ibv_wc wc;
	uint32_t before;

	while (!s->copies[LAST] && !test_failed())
		if (check(end_wait(s->cq, &wc) >= 0, "the last message has not arrived"))
			arrived(s, &wc);
	do {
		before = s->arrived;
		usleep(50000);
		drain(s);
	} while (s->arrived != before);
}

static uint32_t lost(const struct sink *s)
{
	uint32_t i, n = 0;

	for (i = 0; i < MESSAGES; i++)
		n += !s->copies[i];
	return n;
}

/* Packets that the program refused or dropped, for all reasons. */
static uint64_t refused(const struct xroce_stat *before, const struct xroce_stat *after)
{
	const __u64 *was = (const __u64 *)before, *is = (const __u64 *)after;
	uint64_t sum = 0;
	size_t i;

	for (i = COUNTER(inv_opcode); i <= COUNTER(drop_busy); i++)
		sum += is[i] - was[i];
	return sum;
}

/* What has become of the messages of @type that were not there or came twice. */
static void sink_check(const struct sink *s, enum ibv_qp_type type, enum trouble trouble,
		       uint64_t dropped)
{
	uint32_t gone = lost(s);
	bool datagrams = type == IBV_QPT_UD;

	note("%u of %u arrived, %u did not, %u late; netem dropped %lu", s->arrived - 1, MESSAGES,
	     gone, s->late, dropped);
	check(s->copies[LAST] == 1, "the last message %u times", s->copies[LAST]);
	if (trouble != DUPLICATE || !datagrams)
		check(s->arrived - 1 == MESSAGES - gone, "a message twice");
	switch (trouble) {
	case LOSS:
		check(gone && gone <= dropped, "missing, but not lost");
		/* Of UC, several packets of a message may have been lost. */
		check(!datagrams || gone + OTHERS >= dropped, "arrived, though lost");
		break;
	case DUPLICATE:
		check(!datagrams || (!gone && s->arrived - 1 > MESSAGES), "not doubled");
		break;
	case REORDER:
		check(!datagrams || (!gone && s->late), "not reordered");
		break;
	case CORRUPT:
		check(gone && gone < MESSAGES / 2, "not corrupted");
		break;
	default:
		check(!gone && !s->late, "a clean link");
	}
	check(datagrams || s->late <= (trouble == REORDER ? UC_LATE : 0),
	      "messages of UC in another order");
}

/* What the counters of the receiving device say, for one queue pair. */
static void counted(const struct xroce_stat *before, enum ibv_qp_type type, enum trouble trouble)
{
	struct xroce_stat after;
	uint64_t dropped;

	if (!netdev_counters(NETDEV, &after))
		return;
	dropped = refused(before, &after);
	note("received %llu, executed %llu, dropped %lu, wrong CRC %llu", after.rx - before->rx,
	     after.send - before->send, dropped, after.drop_icrc - before->drop_icrc);
	if (used > 1) {
		check(after.send - before->send == sinks[0].arrived + sinks[1].arrived,
		      "datagrams for the group");
		check(sinks[0].arrived == sinks[1].arrived, "a copy for one only");
	} else {
		if (type == IBV_QPT_UD)
			check(after.send - before->send == sinks[0].arrived, "datagrams");
		check(after.rx - before->rx == after.send - before->send + dropped,
		      "packets neither executed nor dropped");
	}
	check((trouble == CORRUPT) == (after.drop_icrc != before->drop_icrc), "wrong CRC");
	/* A frame whose headers are corrupted may be another's. */
	if (trouble == CORRUPT && type == IBV_QPT_UD && used == 1)
		check(lost(&sinks[0]) <= dropped + after.pass - before->pass + OTHERS,
		      "missing, but not counted");
}

static void impaired(enum ibv_qp_type type, enum trouble trouble)
{
	struct xroce_stat before;
	uint64_t dropped;
	unsigned int i;

	for (i = 0; i < used; i++)
		receive(&sinks[i], 0, RECEIVES);
	if (!netdev_counters(NETDEV, &before) || !netem_set(OUT, netem_words[trouble]))
		return;
	send_messages(0, MESSAGES);
	/* Frames that are late leave before the last message does. */
	usleep(50000);
	dropped = netem_dropped(OUT);
	netem_set(OUT, "");
	send_messages(LAST, LAST + 1);
	for (i = 0; i < used; i++)
		arrive(&sinks[i]);
	for (i = 0; i < used; i++)
		sink_check(&sinks[i], type, trouble, dropped);
	counted(&before, type, trouble);
}

static void troubled(enum ibv_qp_type type, bool group, enum trouble trouble)
{
	if (!opened(type, group))
		return;
	impaired(type, trouble);
	closed(group);
}

TEST(ud_clean, "D2 D6", "datagrams on a clean link") { troubled(IBV_QPT_UD, false, NONE); }
TEST(ud_loss, "D2 D6", "10% of datagrams lost") { troubled(IBV_QPT_UD, false, LOSS); }
TEST(ud_duplicate, "D2 D6", "10% of datagrams doubled") { troubled(IBV_QPT_UD, false, DUPLICATE); }
TEST(ud_reorder, "D2 D6", "5% of datagrams late") { troubled(IBV_QPT_UD, false, REORDER); }
TEST(ud_corrupt, "D2 D4", "a wrong bit in 10% of datagrams") { troubled(IBV_QPT_UD, false, CORRUPT); }
TEST(group_clean, "V9 D6", "a group on a clean link") { troubled(IBV_QPT_UD, true, NONE); }
TEST(group_loss, "V9 D6", "10% of a group's datagrams lost") { troubled(IBV_QPT_UD, true, LOSS); }
TEST(group_duplicate, "V9 D6", "10% of a group's datagrams doubled")
{
	troubled(IBV_QPT_UD, true, DUPLICATE);
}
TEST(group_reorder, "V9 D6", "5% of a group's datagrams late") { troubled(IBV_QPT_UD, true, REORDER); }
TEST(group_corrupt, "V9 D4", "a wrong bit in 10% of them") { troubled(IBV_QPT_UD, true, CORRUPT); }
TEST(uc_clean, "D2 D6", "messages of UC on a clean link") { troubled(IBV_QPT_UC, false, NONE); }
TEST(uc_loss, "D2 D6", "10% of packets of UC lost") { troubled(IBV_QPT_UC, false, LOSS); }
TEST(uc_duplicate, "D2 D6", "10% of packets of UC doubled") { troubled(IBV_QPT_UC, false, DUPLICATE); }
TEST(uc_reorder, "D2 D6", "5% of packets of UC late") { troubled(IBV_QPT_UC, false, REORDER); }
TEST(uc_corrupt, "D2 D4", "a wrong bit in 10% of packets of UC")
{
	troubled(IBV_QPT_UC, false, CORRUPT);
}

/*
 * RC: the receiver has no work requests for a second, and then one from time to time. The RNR
 * NAKs show that it is there, so that what is lost meanwhile never amounts to retry_cnt.
 */
#define LATE_MS		1000u
#define SLOW_MS		20u

/* BURST messages from @first on are completed, in order. */
static void completed(uint32_t first)
{
	struct ibv_wc wc;
	uint32_t i;
	int status;

	for (i = first; i < first + BURST && !test_failed(); i++) {
		status = end_wait(source.cq, &wc);
		check(status == IBV_WC_SUCCESS && wc.wr_id == i, "message %u: %s", i,
		      status < 0 ? "nothing" : ibv_wc_status_str(status));
	}
}

static void late(const char *words)
{
	uint32_t i;

	if (!opened(IBV_QPT_RC, false))
		return;
	if (!netem_set(OUT, words))
		goto out;
	for (i = 0; i < BURST; i++)
		post(i, source.at + (size_t)i * SLOT);
	usleep(LATE_MS * 1000);
	for (i = 0; i < BURST; i++) {
		receive(&sinks[0], i, i + 1);
		usleep(SLOW_MS * 1000);
	}
	completed(0);
	drain(&sinks[0]);
	check(sinks[0].arrived == BURST && !sinks[0].late, "%u arrived", sinks[0].arrived);
	netem_set(OUT, "");
out:
	closed(false);
}

/* Two bursts of messages of RC, for which receives are posted; @a: attempts that they have. */
static void bursts(const char *words, struct attempts a)
{
	uint32_t i, turn;

	attempts = a;
	if (opened(IBV_QPT_RC, false) && netem_set(OUT, words)) {
		receive(&sinks[0], 0, 2 * BURST);
		for (turn = 0; turn < 2; turn++) {
			for (i = 0; i < BURST; i++)
				post(turn * BURST + i, source.at + (size_t)i * SLOT);
			completed(turn * BURST);
		}
		netem_set(OUT, "");
	}
	attempts = (struct attempts)ATTEMPTS;
	closed(false);
}

/* A timeout before the first answer, or a later one, would end the connection. */
TEST(rc_long_path, "V7 Q3", "a local ACK timeout that is shorter than the round-trip time")
{
	bursts("delay 20ms", (struct attempts){ .timeout = 1 });
}

TEST(rc_lost, "V7 Q3", "20% of packets lost") { bursts("loss 20%", (struct attempts)ATTEMPTS); }
TEST(rc_late_loss, "V7 Q3", "5% of packets lost before receives are posted") { late("loss 5%"); }
TEST(rc_late_reorder, "V7 Q3", "5% of packets late before receives are posted")
{
	late("delay 1ms reorder 95%");
}

/* --- A program that computes, while queue pairs wait for receives that never come. */

#define LOOPS		64u
#define WORK_SECONDS	1.5
#define WORK_LEAST	0.7	/* part of the work that it does without them */

static struct ibv_qp *loop[2][LOOPS];

/* Return: units of work in WORK_SECONDS. */
static unsigned long work(void)
{
	double end = clock_now() + WORK_SECONDS;
	volatile uint32_t sink = 0;
	unsigned long units = 0;
	uint32_t i;

	while (clock_now() < end) {
		for (i = 0; i < 20000; i++)
			sink += i * i;
		units++;
	}
	return units;
}

/* A queue pair of xr1 with a SEND, for which that of xr2 has no receive. */
static bool loop_open(uint32_t i)
{
	struct ibv_send_wr wr, *bad;
	struct ibv_sge sge;

	loop[0][i] = end_qp(&from, IBV_QPT_RC, source.cq, source.cq, NULL, 1, 1);
	loop[1][i] = end_qp(&to, IBV_QPT_RC, sinks[0].cq, sinks[0].cq, NULL, 1, 1);
	if (!loop[0][i] || !loop[1][i] ||
	    !check(!end_move(&from, loop[0][i], &to, loop[1][i]->qp_num, IBV_QPS_RTR) &&
		   !qp_rts(loop[0][i]) &&
		   !end_move(&to, loop[1][i], &from, loop[0][i]->qp_num, IBV_QPS_RTR), "connect"))
		return false;
	wr = request(0, source.at, &sge);
	return check(!ibv_post_send(loop[0][i], &wr, &bad), "post");
}

TEST(rc_never_ready, "Q3 Q5", "a neighbour of queue pairs whose peers are never ready")
{
	unsigned long before, with, after;
	uint32_t i, end;

	if (!opened(IBV_QPT_RC, false))
		return;
	netem_set(OUT, "");
	before = work();
	for (i = 0; i < LOOPS && loop_open(i); i++)
		;
	end = i;
	/* The first waits are as short as the peer asks, 10 microseconds. */
	sleep(1);
	with = work();
	for (i = 0; i < end; i++)
		check(!ibv_destroy_qp(loop[0][i]) && !ibv_destroy_qp(loop[1][i]), "destroy");
	after = work();
	note("units of work: %lu before, %lu with, %lu after", before, with, after);
	/* On a slow kernel our part of the work is that much dearer. */
	check(with * setting("XROCE_SLOW", 1) >= WORK_LEAST * (before < after ? before : after),
	      "%lu units of %lu or %lu", with, before, after);
	closed(false);
}

/* Datagrams without a work request for them are missed and counted; those before are not. */
#define ROOM	10u
TEST(ud_no_room, "D2 D6", "more datagrams than work requests")
{
	struct xroce_stat before, after = {};
	uint32_t i;
	int fd;

	if (!opened(IBV_QPT_UD, false))
		return;
	fd = xroce_pin_open(NETDEV, "stat");
	if (netem_set(OUT, "") && netdev_counters(NETDEV, &before)) {
		receive(&sinks[0], 0, ROOM);
		send_messages(0, 3 * ROOM);
		counters_settled(fd, &before, 3 * ROOM, &after);
		drain(&sinks[0]);
		for (i = 0; i < ROOM; i++)
			check(sinks[0].copies[i] == 1, "message %u", i);
		check(sinks[0].arrived == ROOM, "%u arrived", sinks[0].arrived);
		check(after.send - before.send == ROOM &&
		      after.drop_recv - before.drop_recv == 2 * ROOM, "counted");
	}
	close(fd);
	closed(false);
}

/*
 * Of datagrams that are posted together, one does not fit into a frame of the network device: it is
 * lost and counted, and the others arrive.
 */
#define LONG		5u		/* its number */
#define LONG_LENGTH	2000u
TEST(ud_too_long, "D2 D6", "a datagram that exceeds the MTU")
{
	struct ibv_send_wr wr[BURST] = {}, *bad;
	struct ibv_sge sge[BURST];
	struct xroce_stat before, after;
	struct ibv_wc wc;
	uint32_t i;

	if (!opened(IBV_QPT_UD, false))
		return;
	if (!netem_set(OUT, "") || !netdev_counters("p0", &before) ||
	    !check(!system("nsenter --net=/run/netns/xr ip link set p0 mtu 1500"), "mtu"))
		goto out;
	receive(&sinks[0], 0, RECEIVES);
	for (i = 0; i < BURST; i++) {
		wr[i] = request(i, source.at + (size_t)i * SLOT, &sge[i]);
		wr[i].next = i + 1 < BURST ? &wr[i + 1] : NULL;
	}
	sge[LONG].length = LONG_LENGTH;
	check(!ibv_post_send(source.qp, wr, &bad), "post_send");
	for (i = 0; i < BURST; i++)
		check(end_wait(source.cq, &wc) == IBV_WC_SUCCESS, "message %u is sent", i);
	send_messages(LAST, LAST + 1);
	arrive(&sinks[0]);
	for (i = 0; i < BURST; i++)
		check(sinks[0].copies[i] == (i != LONG), "message %u", i);
	if (netdev_counters("p0", &after))
		check(after.drop_tx - before.drop_tx == 1, "%llu dropped",
		      after.drop_tx - before.drop_tx);
	check(!system("nsenter --net=/run/netns/xr ip link set p0 mtu 4300"), "mtu");
out:
	closed(false);
}

TEST_MAIN(harness_main);
