// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <sys/mman.h>

#include "counters.h"
#include "verbs_peer.h"
#include "wire.h"

#define PAGES	(2 * PEER_PAGES + 2)
#define SENDS	63u
#define SGES	32u
#define INLINE	256u

const struct peer_opts peer_usual = { .retries = 7, .reads = 4 };
struct verbs_peer peer;

static const struct peer_opts *opts;
static struct verbs_end end;		/* its address: the test has no device */
static struct wire wire;
static uint8_t *memory;

/* --- The connection. */

static int to_rts(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = PEER_PSN,
		.timeout = opts->timeout,
		.retry_cnt = opts->retries,
		.rnr_retry = opts->rnr_retries,
		.max_rd_atomic = opts->reads,
	};

	return ibv_modify_qp(peer.qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void fill(void)
{
	uint32_t i;

	memset(memory, PEER_GUARD, PAGES * MEM_PAGE);
	for (i = 0; i < PEER_BYTES; i++)
		peer.out[i] = packet_pattern(PEER_PATTERN, i);
}

bool peer_again(void)
{
	int ret = end_move(&xr_end, peer.qp, &end, WIRE_QPN, IBV_QPS_RTR);

	fill();
	if (!ret)
		ret = to_rts();
	return check(!ret, "to RTS: %s", strerror(ret));
}

static bool open_qp(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = SENDS, .max_send_sge = SGES, .max_inline_data = INLINE,
			 .max_recv_wr = 1, .max_recv_sge = 1 },
	};

	peer.cq = ibv_create_cq(xr_end.ctx, 2 * SENDS, NULL, NULL, 0);
	init.send_cq = peer.cq;
	init.recv_cq = peer.cq;
	ring_forget();
	peer.qp = peer.cq ? ibv_create_qp(xr_end.pd, &init) : NULL;
	return check(peer.qp, "queue pair: %s", strerror(errno)) &&
	       ring_new(&peer.ring, SENDS + 1) && peer_again();
}

static bool open_memory(void)
{
	memory = mem_map(PAGES);
	if (!memory)
		return false;
	peer.out = memory + MEM_PAGE;
	peer.in = peer.out + PEER_BYTES;
	peer.mr = ibv_reg_mr(xr_end.pd, peer.out, 2 * PEER_BYTES, IBV_ACCESS_LOCAL_WRITE);
	return check(peer.mr, "region: %s", strerror(errno));
}

static bool open_all(void)
{
	memset(&peer, 0, sizeof(peer));
	memset(&end, 0, sizeof(end));
	memory = NULL;
	wire = (struct wire){ .fd = -1, .peer = WIRE_QPN };
	memcpy(end.gid.raw, packet_write(0).saddr, sizeof(end.gid.raw));
	return end_open(&xr_end, "xr0", "10.77.0.2") && open_memory() && open_qp() &&
	       wire_socket(&wire);
}

static void close_all(void)
{
	check(!peer.qp || !ibv_destroy_qp(peer.qp), "destroy the queue pair");
	check(!peer.cq || !ibv_destroy_cq(peer.cq), "destroy the completion queue");
	check(!peer.mr || !ibv_dereg_mr(peer.mr), "deregister the region");
	end_close(&xr_end);
	if (wire.fd >= 0)
		close(wire.fd);
	if (memory)
		munmap(memory, PAGES * MEM_PAGE);
}

void peer_call(const struct peer_opts *options, void (*test)(void))
{
	opts = options;
	if (open_all())
		test();
	close_all();
}

/* --- Work requests. */

static bool is_atomic(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

struct ibv_sge peer_sge(void *at, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)at, len, peer.mr->lkey };
}

struct ibv_send_wr peer_wr(uint64_t id, enum ibv_wr_opcode opcode, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.wr_id = id,
		.sg_list = sge,
		.num_sge = sge ? 1 : 0,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (opcode == IBV_WR_SEND_WITH_INV)
		wr.invalidate_rkey = PEER_IMM;
	else
		wr.imm_data = htobe32(PEER_IMM);
	if (!is_atomic(opcode)) {
		wr.wr.rdma.remote_addr = PEER_VA;
		wr.wr.rdma.rkey = PEER_RKEY;
		return wr;
	}
	wr.wr.atomic.remote_addr = PEER_VA;
	wr.wr.atomic.rkey = PEER_RKEY;
	wr.wr.atomic.compare_add = opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? PEER_COMPARE : PEER_SWAP;
	wr.wr.atomic.swap = PEER_SWAP;
	return wr;
}

void peer_post_list(struct ibv_send_wr *first)
{
	struct ibv_send_wr *bad;
	check_is(ibv_post_send(peer.qp, first, &bad), 0, "post");
}

void peer_post_many(uint64_t id, enum ibv_wr_opcode opcode, uint32_t len, uint32_t n)
{
	bool reads = opcode == IBV_WR_RDMA_READ || is_atomic(opcode);
	struct ibv_sge sge = peer_sge(reads ? peer.in : peer.out, len);
	struct ibv_send_wr wr[SENDS];
	uint32_t i;

	for (i = 0; i < n; i++) {
		wr[i] = peer_wr(id + i, opcode, len ? &sge : NULL);
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	peer_post_list(wr);
}

void peer_post(uint64_t id, enum ibv_wr_opcode opcode, uint32_t len)
{
	peer_post_many(id, opcode, len, 1);
}

void peer_completes(uint64_t id, enum ibv_wc_status status)
{
	struct ibv_wc wc = {};
	int got = end_wait(peer.cq, &wc);

	check(got == (int)status && wc.wr_id == id, "work request %llu, status %d; not %llu, %d",
	      (unsigned long long)wc.wr_id, got, (unsigned long long)id, status);
}

void peer_incomplete(void)
{
	struct ibv_wc wc;

	if (ibv_poll_cq(peer.cq, 1, &wc))
		check(false, "work request %llu is complete, status %d",
		      (unsigned long long)wc.wr_id, wc.status);
}

/* --- Requests. */

/* The entry of the queue pair in the map "qp": read it, or write it if @put. */
static void peer_entry(struct xroce_qp *q, bool put)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), slot;
	int fd = xroce_pin_open(LIVE_DEV, "qp");

	check(fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len), "map qp: %d", fd);
	slot = info.max_entries ? peer.qp->qp_num % info.max_entries : 0;
	if (put)
		check(!bpf_map_update_elem(fd, &slot, q, 0), "write entry %u", slot);
	else
		check(!bpf_map_lookup_elem(fd, &slot, q) && q->qpn == peer.qp->qp_num,
		      "entry %u", slot);
	close(fd);
}

struct xroce_qp peer_map(void)
{
	struct xroce_qp q = {};

	peer_entry(&q, false);
	return q;
}

void peer_map_put(struct xroce_qp q)
{
	peer_entry(&q, true);
}

static bool is_fetch_add(uint8_t opcode)
{
	return opcode == XROCE_RC_FETCH_ADD;
}

struct packet peer_request(uint8_t opcode, uint32_t n)
{
	struct packet to_us = packet_write(0), want = to_us;

	memcpy(want.dst_mac, to_us.src_mac, sizeof(want.dst_mac));
	memcpy(want.src_mac, to_us.dst_mac, sizeof(want.src_mac));
	memcpy(want.saddr, to_us.daddr, sizeof(want.saddr));
	memcpy(want.daddr, to_us.saddr, sizeof(want.daddr));
	want.sport = peer_map().sport;
	want.frag = PACKET_IP_DF;
	want.opcode = opcode;
	want.mig = true;
	want.dqpn = WIRE_QPN;
	want.psn = (PEER_PSN + n) & XROCE_PSN_MASK;
	want.va = PEER_VA;
	want.rkey = PEER_RKEY;
	want.swap = PEER_SWAP;
	want.compare = is_fetch_add(opcode) ? 0 : PEER_COMPARE;
	want.imm = PEER_IMM;
	want.pattern = PEER_PATTERN;
	want.ackreq = opcode != XROCE_RC_READ_REQUEST && opcode != XROCE_RC_CMP_SWAP &&
		      !is_fetch_add(opcode);
	return want;
}

static bool same_bytes(const struct frame *a, const struct frame *b)
{
	uint32_t i;

	for (i = 0; i < a->len && i < b->len && a->bytes[i] == b->bytes[i]; i++)
		;
	return check(i == a->len && i == b->len, "byte %u of %u is %#x, not %#x of %u", i, b->len,
		     b->bytes[i], a->bytes[i], a->len);
}

/*
 * Take a request; until there is one with opcode and PSN of @want, if @others may come. @asks: it
 * may ask for an acknowledgement, though @want does not. Return: whether it does.
 */
static bool take(struct packet want, bool others, bool asks)
{
	static struct frame wanted, came;
	struct packet got;

	if (test_failed())
		return false;
	do {
		if (!check(wire_take(&wire, WIRE_MS, &got, &came),
			   "no request: opcode %#x, PSN %#x", want.opcode, want.psn))
			return false;
	} while (others && (got.opcode != want.opcode || got.psn != want.psn));
	want.ackreq |= asks && got.ackreq;
	packet_build(&want, &wanted);
	if (!same_bytes(&wanted, &came))
		packet_diff(&want, &got);
	return got.ackreq;
}

bool peer_take(struct packet *got)
{
	return !test_failed() && check(wire_take(&wire, WIRE_MS, got, NULL), "no request");
}

void peer_expect(const struct packet *want)
{
	take(*want, false, false);
}

void peer_await(const struct packet *want)
{
	take(*want, true, false);
}

void peer_expect_cnp(void)
{
	struct packet got;
	struct frame came;

	if (test_failed() ||
	    !check(wire_take(&wire, WIRE_MS, &got, &came), "no congestion notification"))
		return;
	check(got.opcode == XROCE_OP_CNP && got.becn && got.payload == 16 && !(got.tos & 3),
	      "opcode %#x, BECN %d, %u bytes, TOS %#x", got.opcode, got.becn, got.payload,
	      got.tos);
}

static struct packet data(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len, bool ack)
{
	struct packet want = peer_request(opcode, n);

	want.payload = len;
	want.pad = -len & 3;
	want.pattern = packet_pattern(PEER_PATTERN, off);
	want.ackreq = ack;
	return want;
}

void peer_expect_data(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len, bool ack)
{
	take(data(opcode, n, off, len, ack), false, false);
}

bool peer_expect_asking(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len)
{
	return take(data(opcode, n, off, len, false), false, true);
}

void peer_expect_send(uint32_t n, uint32_t len)
{
	peer_expect_data(XROCE_RC_SEND_ONLY, n, 0, len, true);
}

void peer_expect_three(void)
{
	peer_expect_data(XROCE_RC_SEND_ONLY, 0, 0, 4, false);
	peer_expect_data(XROCE_RC_SEND_ONLY, 1, 0, 4, false);
	peer_expect_send(2, 4);
}

void peer_expect_write(uint8_t opcode, uint32_t n, uint32_t len)
{
	struct packet want = peer_request(opcode, n);

	want.dmalen = len;
	want.payload = len < PEER_MTU ? len : PEER_MTU;
	want.pad = -want.payload & 3;
	want.ackreq = len <= PEER_MTU;
	peer_expect(&want);
}

void peer_expect_kept(uint32_t n, bool ack, bool again)
{
	struct packet want = peer_request(XROCE_RC_SEND_ONLY, n);

	want.payload = 4;
	want.ackreq = ack;
	want.sack = true;
	want.again = again;
	peer_expect(&want);
}

void peer_expect_part(uint32_t n, uint32_t len, uint32_t off)
{
	struct packet want = peer_request(XROCE_RC_READ_REQUEST, n);

	want.va += off;
	want.dmalen = len;
	peer_expect(&want);
}

void peer_expect_read(uint32_t n, uint32_t len, uint32_t done)
{
	peer_expect_part(n, len - done, done);
}

void peer_skip(void)
{
	struct packet got;
	struct frame came;

	while (wire_take(&wire, 1, &got, &came))
		;
}

void peer_quiet(void)
{
	wire_quiet(&wire);
}

/* --- Responses. */

struct packet peer_data(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len)
{
	struct packet p = packet_write(len);

	p.opcode = opcode;
	p.ackreq = false;
	p.mig = true;
	p.dqpn = peer.qp->qp_num;
	p.psn = (PEER_PSN + n) & XROCE_PSN_MASK;
	p.syndrome = XROCE_SYN_ACK;
	p.pattern = packet_pattern(PEER_PATTERN, off);
	return p;
}

struct packet peer_response(uint8_t opcode, uint32_t n)
{
	return peer_data(opcode, n, 0, 0);
}

void peer_send(const struct packet *response)
{
	wire.req = *response;
	wire_send(&wire);
}

void peer_counted(const struct packet *response, size_t counter)
{
	if (test_failed())
		return;
	wire.req = *response;
	wire_counted(&wire, counter);
}

void peer_ignored(const struct packet *response)
{
	peer_counted(response, COUNTER(req_ignored));
}

void peer_foreign(const struct packet *response)
{
	struct packet bad = *response;

	bad.saddr[15] ^= 4;
	peer_counted(&bad, COUNTER(drop_addr));
	bad = *response;
	bad.daddr[15] ^= 8;
	peer_counted(&bad, COUNTER(drop_addr));
	bad = *response;
	bad.pkey = 0xfffe;
	peer_counted(&bad, COUNTER(drop_pkey));
	bad = *response;
	bad.icrc_flip = 1;
	peer_counted(&bad, COUNTER(drop_icrc));
	bad = *response;
	bad.dqpn ^= 1;
	peer_counted(&bad, COUNTER(drop_qpn));
}

void peer_ack(uint32_t n)
{
	peer_nak(XROCE_SYN_ACK, n);
}

void peer_nak(uint8_t syndrome, uint32_t n)
{
	struct packet p = peer_response(XROCE_RC_ACK, n);

	p.syndrome = syndrome;
	peer_send(&p);
}

struct packet peer_selective(uint32_t n, uint32_t lost, uint32_t bits)
{
	struct packet p = peer_response(XROCE_OP_SACK, n);

	p.syndrome = XROCE_SYN_NAK_SEQ;
	p.sack_lost = lost;
	p.sack_bits[0] = bits;
	return p;
}

void peer_sack(uint32_t n, uint32_t lost, uint32_t bits)
{
	struct packet p = peer_selective(n, lost, bits);

	peer_send(&p);
}

void peer_keep(void)
{
	uint32_t i;

	peer_post_many(1, IBV_WR_SEND, 4, 3);
	peer_expect_three();
	peer_nak(XROCE_SYN_NAK_SEQ, 0);
	peer_expect_send(0, 4);
	peer_ack(2);
	for (i = 1; i <= 3; i++)
		peer_completes(i, IBV_WC_SUCCESS);
	peer_quiet();
}

void peer_send_data(uint8_t opcode, uint32_t n, uint32_t off, uint32_t len)
{
	struct packet p = peer_data(opcode, n, off, len);

	peer_send(&p);
}

/* Check that bytes are PEER_GUARD. */
static void untouched(const uint8_t *from, const uint8_t *to)
{
	const uint8_t *at = from;

	while (at < to && *at == PEER_GUARD)
		at++;
	check(at == to, "byte %td of \"in\" is %#x", at - peer.in, at < to ? *at : 0);
}

void peer_received(uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len && peer.in[i] == packet_pattern(PEER_PATTERN, i); i++)
		;
	check(i == len, "byte %u of %u is %#x", i, len, peer.in[i]);
	untouched(memory, peer.out);
	untouched(peer.in + len, memory + PAGES * MEM_PAGE);
}
