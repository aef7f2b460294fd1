// SPDX-License-Identifier: GPL-2.0-only
/*
 * SENDs of rxe: the bytes are where receives say, with the right completion, and nothing
 * else is written. Run by recv.sh.
 */
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "clock.h"
#include "harness.h"
#include "receiver.h"

static void sizes(enum ibv_mtu mtu, bool ipv6)
{
	static const uint32_t lens[] = {
		0, 1, 2, 3, 4, 5, 63, 255, 1023, 1024, 1025, 2047, 2048, 2051,
		4096, 65536, 100001, RECEIVER_BYTES,
	};
	struct receiver_opts opts = receiver_rc;
	struct receiver r;
	size_t i;

	opts.mtu = mtu;
	opts.ipv6 = ipv6;
	if (!receiver_open(&r, &opts))
		return;
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++)
		receiver_scattered(&r, lens[i]);
	receiver_none(&r);
	receiver_close(&r);
}

TEST(sizes_256, "D2 D4", "SENDs of any size, scattered; IPv6") { sizes(IBV_MTU_256, true); }
TEST(sizes_1024, "D2 D4", "SENDs of any size, scattered") { sizes(IBV_MTU_1024, false); }
TEST(sizes_4096, "D2 D4", "SENDs of any size, scattered; IPv6") { sizes(IBV_MTU_4096, true); }

RECEIVER_TEST(immediate, "D2", "SEND with immediate", &receiver_rc)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htonl(0x11223344),
	};
	static const uint32_t lens[] = { 0, 5, 1024, 5000 };
	struct xroce_cqe want;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		receiver_recv(r->rq, i, 0, 5000);
		want = receiver_cqe(r, i, lens[i]);
		want.imm_or_key = htonl(0x11223344);
		want.flags = XROCE_WC_WITH_IMM;
		if (!receiver_must(r, wr, lens[i]) ||
		    !receiver_completes(r, &want))
			break;
		check(!memcmp(receiver_buf, sender_buf, lens[i]), "bytes");
		receiver_untouched(0, lens[i]);
	}
}

/* The bytes go to the address in the RETH; the buffer of the receive is unchanged. */
static void write_immediate(enum ibv_qp_type type)
{
	static const uint32_t lens[] = { 0, 1, 1024, 1025, 5000 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htonl(0xcafe0001),
		.wr.rdma = { IOVA + 4321, 0 },
	};
	struct receiver_opts opts = receiver_rc;
	struct xroce_cqe want;
	struct receiver r;
	size_t i;

	opts.type = type;
	if (!receiver_open(&r, &opts))
		return;
	wr.wr.rdma.rkey = server.mr.rkey;
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		receiver_recv(r.rq, i, 0, 16);
		memcpy(server.want + REGION_OFF + 4321, sender_buf, lens[i]);
		want = receiver_cqe(&r, i, lens[i]);
		want.opcode = XROCE_WC_RECV_RDMA_WITH_IMM;
		want.imm_or_key = htonl(0xcafe0001);
		want.flags = XROCE_WC_WITH_IMM;
		if (!receiver_must(&r, wr, lens[i]) ||
		    !receiver_completes(&r, &want))
			break;
		connection_compare("after a WRITE with immediate");
		receiver_untouched(0, 0);
	}
	receiver_close(&r);
}

TEST(write_immediate, "D2", "WRITE with immediate") { write_immediate(IBV_QPT_RC); }
TEST(uc_write_immediate, "D2", "UC: WRITE with immediate") { write_immediate(IBV_QPT_UC); }

/*
 * The queue pair has ended: there is an event and a cause, and all posted receives are
 * flushed.
 */
static void ended(struct receiver *r, uint32_t cause, uint64_t first_flushed,
		  uint32_t flushed)
{
	struct xroce_async async = receiver_event();
	struct xroce_qp_query q = receiver_query(r);
	struct xroce_cqe cqe;
	uint32_t i;

	check(async.type == XROCE_EVENT_QP_FATAL && async.id == r->qpn,
	      "event %u of %#x", async.type, async.id);
	check(q.state == XROCE_QPS_ERR && q.cause == cause, "state %u, cause %u",
	      q.state, q.cause);
	for (i = 0; i < flushed && receiver_wait(r, &cqe); i++)
		check(cqe.wr_id == first_flushed + i && cqe.qpn == r->qpn &&
		      cqe.status == XROCE_WC_WR_FLUSH_ERR,
		      "work request %#llx, status %u", cqe.wr_id, cqe.status);
	receiver_none(r);
	check(xroce_async_next(server.x, &async) == -EAGAIN, "a second event");
}

/* A SEND fails: check the client's status and the first completion. */
static void fails(struct receiver *r, uint32_t len, int client_status,
		  uint32_t status, uint32_t cause)
{
	struct xroce_cqe cqe;
	int got;

	receiver_recv(r->rq, 0x101, 0, 100);
	receiver_recv(r->rq, 0x102, 0, 100);
	got = receiver_do(r, receiver_send, len);
	check(got == client_status, "the client got %d", got);
	if (receiver_wait(r, &cqe))
		check(cqe.wr_id == 0x100 && cqe.status == status &&
		      cqe.qpn == r->qpn, "work request %#llx, status %u",
		      cqe.wr_id, cqe.status);
	ended(r, cause, 0x101, 2);
}

TEST(too_long, "D5", "a SEND longer than the receive is refused")
{
	static const uint32_t room[] = { 0, 99, 1024, 4000 };
	struct receiver r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(room) && !test_failed(); i++) {
		if (!receiver_open(&r, &receiver_rc))
			return;
		receiver_fill();
		receiver_recv(r.rq, 0x100, 0, room[i]);
		fails(&r, room[i] + 1, IBV_WC_REM_INV_REQ_ERR,
		      XROCE_WC_LOC_LEN_ERR, XROCE_CAUSE_INV_LENGTH);
		receiver_untouched(0, room[i] & ~1023u);
		receiver_close(&r);
	}
}

static void protection(const struct xroce_sge_local *sge)
{
	struct receiver r;

	if (!receiver_open(&r, &receiver_rc))
		return;
	receiver_fill();
	check(!xroce_post_recv(r.rq, 0x100, sge, 1), "post_recv");
	fails(&r, 64, IBV_WC_REM_OP_ERR, XROCE_WC_LOC_PROT_ERR,
	      XROCE_CAUSE_OP_PROT);
	receiver_untouched(0, 0);
	connection_compare("after a refused SEND");
	receiver_close(&r);
}

TEST(wrong_lkey, "D5 R9", "an L_Key that names no region is refused")
{
	struct xroce_sge_local sge = { 0, 64, 0 };

	if (!receiver_setup())
		return;
	sge.addr = (uintptr_t)receiver_buf;
	sge.lkey = receiver_lkey ^ 1;
	protection(&sge);
	sge.lkey = receiver_lkey ^ 0x100;
	protection(&sge);
	sge.lkey = 0;
	protection(&sge);
}

TEST(other_rights, "D5 P2", "an L_Key is refused: other domain, no local write, deregistered")
{
	struct xroce_mr_reg reg = { .length = 4096 };
	struct xroce_sge_local sge = { 0, 64, 0 };

	if (!receiver_setup())
		return;
	reg.addr = (uintptr_t)receiver_buf;
	reg.iova = reg.addr;
	reg.pd = server.other_pd;
	reg.access = XROCE_ACCESS_LOCAL_WRITE;
	check(!xroce_mr_reg(server.x, &reg), "MR_REG");
	sge.addr = reg.iova;
	sge.lkey = reg.lkey;
	protection(&sge);
	xroce_mr_dereg(server.x, reg.mr);

	reg.pd = server.pd;
	reg.access = XROCE_ACCESS_REMOTE_READ;
	check(!xroce_mr_reg(server.x, &reg), "MR_REG");
	sge.lkey = reg.lkey;
	protection(&sge);
	/* The same key after deregistration. */
	xroce_mr_dereg(server.x, reg.mr);
	protection(&sge);
}

TEST(out_of_bounds, "D5 R1", "an element past either end of its region is refused")
{
	uint64_t start, end;
	struct xroce_sge_local sge = { 0, 64, 0 };

	if (!receiver_setup())
		return;
	start = (uintptr_t)receiver_buf - RECEIVER_GUARD;
	end = start + RECEIVER_BYTES + RECEIVER_SPARE + 2 * RECEIVER_GUARD;
	sge.lkey = receiver_lkey;
	sge.addr = start - 1;
	protection(&sge);
	sge.addr = end - 63;
	protection(&sge);
	sge.addr = -32ull;		/* wraps past 2^64 */
	protection(&sge);
}

/* More elements than the queue was made for, which libxroce would refuse. */
RECEIVER_TEST(malformed, "D5", "a work request with too many elements is refused", &receiver_rc)
{
	struct xroce_rq_wqe *wqe;

	receiver_fill();
	receiver_recv(r->rq, 0x100, 0, 100);
	wqe = (void *)((char *)xroce_rq_ring(r->rq) + XROCE_RING_HEADER);
	wqe->num_sge = receiver_rc.max_sge + 1;
	fails(r, 64, IBV_WC_REM_OP_ERR, XROCE_WC_LOC_QP_OP_ERR,
	      XROCE_CAUSE_OP_WQE);
	receiver_untouched(0, 0);
}

RECEIVER_TEST(invalidate, "D2 D5", "a peer cannot invalidate a region", &receiver_rc)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV };
	int status;

	wr.invalidate_rkey = server.mr.rkey;
	receiver_recv(r->rq, 0x100, 0, 100);
	receiver_recv(r->rq, 0x101, 0, 100);
	status = receiver_do(r, wr, 64);
	check(status == IBV_WC_REM_ACCESS_ERR, "status %d", status);
	ended(r, XROCE_CAUSE_ACC_KEY, 0x100, 2);
}

RECEIVER_TEST(not_ready, "D2 D5", "RNR NAK, then a receive is posted and the SEND is received",
	      &receiver_rc)
{
	struct xroce_cqe cqe;
	double end;
	int status;

	receiver_fill();
	receiver_post(r, receiver_send, 3000);
	end = clock_now() + 10;
	while (!receiver_query(r).naks && clock_now() < end)
		usleep(1000);
	receiver_none(r);
	check(receiver_query(r).naks, "no RNR NAK");
	receiver_recv(r->rq, 7, 0, 3000);
	status = requester_wait(&client);
	check(status == IBV_WC_SUCCESS, "3000 bytes: status %d", status);
	if (receiver_wait(r, &cqe))
		check(!cqe.status && cqe.byte_len == 3000 &&
		      !memcmp(receiver_buf, sender_buf, 3000), "status %u",
		      cqe.status);
}

TEST_MAIN(connection_main);
