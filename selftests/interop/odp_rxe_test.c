// SPDX-License-Identifier: GPL-2.0-only
/*
 * An independent requester and on-demand memory that is untouched, resident or swapped out.
 * Run by odp_rxe.sh.
 */
#include <errno.h>
#include <string.h>

#include <arpa/inet.h>
#include <sys/mman.h>

#include "harness.h"
#include "live.h"
#include "mem.h"
#include "receiver.h"
#include "setting.h"
#include "swap.h"

#define SPACE	(RECEIVER_BYTES + 4 * 4096u)
#define OFF	(4096u + 0x235)		/* offset of a message in the region */
#define VA	0x660000000000ull

static const struct receiver_opts opts = {
	.type = IBV_QPT_RC, .entries = 16, .max_sge = 2, .cqes = 64,
	.mtu = IBV_MTU_1024, .rnr_retry = 7, .sq = true,
};

static const uint32_t sizes[] = {
	1, 3, 64, 1023, 1024, 1025, 4095, 4096, 4097, 65536, 100001,
	RECEIVER_BYTES,
};

enum state { COLD, RESIDENT, SWAPPED, STATES };
static const char *const state_names[] = { "cold", "resident", "in swap" };

static uint8_t *mem;			/* the server's on-demand memory */
static struct xroce_mr_reg region;
static struct receiver r;

static bool setup(void)
{
	int err;

	if (!connection_setup_sized(RECEIVER_BYTES) || !receiver_setup())
		return false;
	if (!mem) {
		mem = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			   MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		madvise(mem, SPACE, MADV_NOHUGEPAGE);
		region = (struct xroce_mr_reg){
			.pd = server.pd,
			.access = ACCESS_ALL | XROCE_ACCESS_ON_DEMAND,
			.addr = (uintptr_t)mem,
			.length = SPACE,
			.iova = VA,
			.name = "odp_rxe_test",
		};
		err = xroce_mr_reg(server.x, &region);
		check(mem != MAP_FAILED && !err, "set-up: %d", err);
	}
	return receiver_open(&r, &opts);
}

static unsigned long long faults(void)
{
	struct xroce_mr_query q = { .mr = region.mr };

	check(!xroce_mr_query(server.x, &q), "MR_QUERY");
	return q.odp_faults;
}

/* Bring the memory to a state. It then holds 0 if cold, else @fill. */
static void bring_to(enum state state, uint8_t fill)
{
	size_t out;

	madvise(mem, SPACE, MADV_DONTNEED);
	if (state == COLD)
		return;
	memset(mem, fill, SPACE);
	if (state != SWAPPED)
		return;
	out = swap_out(mem, SPACE / MEM_PAGE);
	check(out > SPACE / MEM_PAGE / 2, "%zu pages in swap", out);
}

/* Only @len bytes at OFF have changed, and they are @want. */
static void compare(const void *want, uint32_t len, uint8_t fill)
{
	size_t i;

	check(!memcmp(mem + OFF, want, len), "%u bytes differ", len);
	for (i = 0; i < SPACE; i++) {
		if (i == OFF)
			i += len;
		if (i < SPACE && mem[i] != fill) {
			check(false, "byte %zu is %#x", i, mem[i]);
			break;
		}
	}
}

/* Run @fn with every size, for memory in every state. */
static void in_all_states(void (*fn)(uint32_t len, uint8_t fill))
{
	bool swap = swap_on();
	size_t state, i, states = swap ? STATES : SWAPPED;
	unsigned long long before;

	if (!swap)
		note("no zram: swapped-out memory is not tested");
	for (state = COLD; state < states && !test_failed(); state++) {
		if (!setup())
			break;
		before = faults();
		for (i = 0; i < ARRAY_SIZE(sizes) && !test_failed(); i++) {
			uint8_t fill = state == COLD ? 0 : 0x40 + i;

			bring_to(state, fill);
			receiver_fill();
			fn(sizes[i], fill);
			if (test_failed())
				note("%u bytes, %s", sizes[i],
				     state_names[state]);
		}
		check(faults() - before >= ARRAY_SIZE(sizes),
		      "%llu faults", faults() - before);
		note("%s: %llu faults", state_names[state], faults() - before);
		receiver_close(&r);
	}
	if (swap)
		swap_off();
}

static void succeeded(int status, const char *what)
{
	check(!status, "%s: %s", what,
	      status < 0 ? "no completion" : ibv_wc_status_str(status));
}

/* Post a receive of two elements. */
static void receive(uint64_t wr_id, uint32_t len)
{
	const struct xroce_sge_local sge[] = {
		{ VA + OFF, len / 3, region.lkey },
		{ VA + OFF + len / 3, len - len / 3, region.lkey },
	};

	check(!xroce_post_recv(r.rq, wr_id, sge, 2), "post_recv");
}

static void send_one(uint32_t len, uint8_t fill)
{
	const struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct xroce_cqe cqe;

	receive(len, len);
	succeeded(receiver_do(&r, wr, len), "SEND");
	if (!test_failed() && receiver_wait(&r, &cqe))
		check(!cqe.status && cqe.wr_id == len && cqe.byte_len == len,
		      "status %u, %u bytes", cqe.status, cqe.byte_len);
	compare(sender_buf, len, fill);
}

TEST(odp_rxe_send, "O3 D2", "SEND into on-demand receive buffers") { in_all_states(send_one); }

/*
 * Only two packets are deferred: those behind them are dropped, and more come when the two have
 * been executed. The sender, which has no retries, sees RNR NAKs, no sequence NAK.
 */
TEST(odp_rxe_dropped, "O3 D2", "SEND, with packets dropped behind deferred ones")
{
	uint32_t i, rounds = setting("XROCE_DROPPED_ROUNDS", 50);

	live_parameter("odp_defer_max", 2);
	if (setup()) {
		for (i = 0; i < rounds && !test_failed(); i++) {
			bring_to(COLD, 0);
			receiver_fill();
			send_one(RECEIVER_BYTES, 0);
		}
		note("%u messages", i);
		receiver_close(&r);
	}
	live_parameter("odp_defer_max", 256);
}

static void immediate_one(uint32_t len, uint8_t fill)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htonl(len),
		.wr.rdma = { VA + OFF, region.rkey },
	};
	struct xroce_cqe cqe;

	check(!xroce_post_recv(r.rq, len, NULL, 0), "post_recv");
	succeeded(receiver_do(&r, wr, len), "WRITE with immediate");
	if (!test_failed() && receiver_wait(&r, &cqe))
		check(!cqe.status && cqe.wr_id == len &&
		      cqe.imm_or_key == htonl(len) && cqe.byte_len == len,
		      "status %u, immediate %#x", cqe.status, cqe.imm_or_key);
	compare(sender_buf, len, fill);
}

TEST(odp_rxe_imm, "O3 D2", "WRITE with immediate") { in_all_states(immediate_one); }

static struct requester_op operation(enum ibv_wr_opcode opcode, uint32_t len)
{
	return (struct requester_op){
		.opcode = opcode, .len = len, .va = VA + OFF,
		.rkey = region.rkey,
	};
}

static void write_one(uint32_t len, uint8_t fill)
{
	struct requester_op op = operation(IBV_WR_RDMA_WRITE, len);

	memcpy(client.buf, sender_buf, len);
	succeeded(requester_do(&client, r.qp, &op), "WRITE");
	compare(sender_buf, len, fill);
}

TEST(odp_rxe_write, "O3", "WRITE of 1 B to 1 MiB") { in_all_states(write_one); }

static void read_one(uint32_t len, uint8_t fill)
{
	struct requester_op op = operation(IBV_WR_RDMA_READ, len);
	uint32_t i;

	memset(client.buf, 0xee, len);
	succeeded(requester_do(&client, r.qp, &op), "READ");
	for (i = 0; i < len && client.buf[i] == fill; i++)
		;
	check(i == len, "byte %u is %#x, not %#x", i, client.buf[i], fill);
}

TEST(odp_rxe_read, "O3", "READ of 1 B to 1 MiB") { in_all_states(read_one); }

/* An atomic on the last word of a page. @found and @left: the value before and after. */
static void atomic(enum ibv_wr_opcode opcode, uint64_t compare_to,
		   uint64_t operand, uint64_t found, uint64_t left, bool cold)
{
	struct requester_op op = operation(opcode, 8);
	uint8_t *word = mem + 2 * MEM_PAGE - 8;
	uint64_t got;

	if (cold)
		madvise(mem, SPACE, MADV_DONTNEED);
	op.va = VA + 2 * MEM_PAGE - 8;
	op.compare = compare_to;
	op.operand = operand;
	succeeded(requester_do(&client, r.qp, &op), "atomic operation");
	memcpy(&got, client.buf, 8);
	check(got == found, "found %#llx", (unsigned long long)got);
	memcpy(&got, word, 8);
	check(got == left, "memory holds %#llx", (unsigned long long)got);
}

TEST(odp_rxe_atomic, "O3", "atomic operations")
{
	if (!setup())
		return;
	atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 5, 0, 5, true);
	atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 6, 5, 11, false);
	atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 0, 7, 0, 7, true);
	atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 8, 9, 7, 7, false);
	receiver_close(&r);
}

static void fill(void *hole)
{
	check(mmap(hole, MEM_PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == hole,
	      "mmap: %s", strerror(errno));
}

/*
 * Unmapped memory: a WRITE is a remote access error, a SEND a protection error of the
 * receive.
 */
TEST(odp_rxe_unmapped, "O6", "accesses to unmapped memory")
{
	void *hole = mem + 3 * MEM_PAGE;
	const struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct requester_op op = operation(IBV_WR_RDMA_WRITE, 3 * 4096);
	struct xroce_cqe cqe;
	int status;

	if (!setup())
		return;
	madvise(mem, SPACE, MADV_DONTNEED);
	munmap(hole, MEM_PAGE);
	check_is(requester_do(&client, r.qp, &op), IBV_WC_REM_ACCESS_ERR, "WRITE");
	receiver_close(&r);
	/* Map the hole again now: otherwise the next set-up may map something there. */
	fill(hole);
	if (!setup())
		return;
	receive(1, 3 * 4096);
	munmap(hole, MEM_PAGE);
	status = receiver_do(&r, wr, 3 * 4096);
	check(status == IBV_WC_REM_OP_ERR, "SEND: %d", status);
	if (receiver_wait(&r, &cqe))
		check(cqe.status == XROCE_WC_LOC_PROT_ERR, "status %u",
		      cqe.status);
	fill(hole);
	receiver_close(&r);
}

TEST_MAIN(connection_main);
