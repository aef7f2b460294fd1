// SPDX-License-Identifier: GPL-2.0-only
/* The tables of opcodes in include/xroce_op.h agree with each other, and with libibverbs. */
#include <infiniband/verbs.h>

#include "harness.h"
#include "xroce_op.h"

/* A work request's packets have the flags that their opcodes have. */
TEST(op_agree, "D2", "opcodes of a work request are what its row says")
{
	const struct xroce_wr_op *op;
	__u32 i, body;

	for (i = 0; i < XROCE_WR_OPS; i++) {
		op = xroce_wr_op(i);
		if (!op || !op->flags)
			continue;
		body = op->flags & (XROCE_OPF_SEND | XROCE_OPF_WRITE);
		check(xroce_op_flags(op->only) == op->flags, "%u: only", i);
		check(xroce_op_flags(op->last) == (body ? op->flags & ~XROCE_OPF_BEGIN : op->flags),
		      "%u: last", i);
		check(!body || xroce_op_flags(op->first) == (body | XROCE_OPF_BEGIN), "%u: first", i);
		check(!body || xroce_op_flags(op->middle) == body, "%u: middle", i);
		check(!(op->services & 1 << XROCE_QPT_UC) || xroce_op_uc(op->flags), "%u: UC", i);
		check(!(op->services & 1 << XROCE_QPT_UD) || xroce_op_ud(op->flags), "%u: UD", i);
	}
}

/* Each request that the responder knows can be posted, and no response can. */
TEST(op_complete, "D2", "each request can be posted, and no response")
{
	__u32 opcode, i, found;
	const struct xroce_wr_op *op;

	for (opcode = 0; opcode < 32; opcode++) {
		for (i = 0, found = 0; i < XROCE_WR_OPS; i++) {
			op = xroce_wr_op(i);
			found += op && op->flags && (op->first == opcode || op->middle == opcode ||
						     op->last == opcode || op->only == opcode);
		}
		check(!found == !(xroce_op_flags(opcode) & XROCE_OPF_KNOWN), "opcode %#x", opcode);
	}
}

/* The numbers are those of libibverbs: programs post them, and read them in completions. */
TEST(op_numbers, "D2", "opcodes and completions have the numbers of libibverbs")
{
	check(xroce_wr_op(IBV_WR_SEND)->wc == IBV_WC_SEND, "SEND");
	check(xroce_wr_op(IBV_WR_SEND_WITH_INV)->wc == IBV_WC_SEND, "SEND_WITH_INV");
	check(xroce_wr_op(IBV_WR_RDMA_WRITE_WITH_IMM)->wc == IBV_WC_RDMA_WRITE, "WRITE_WITH_IMM");
	check(xroce_wr_op(IBV_WR_RDMA_READ)->wc == IBV_WC_RDMA_READ, "READ");
	check(xroce_wr_op(IBV_WR_ATOMIC_CMP_AND_SWP)->wc == IBV_WC_COMP_SWAP, "CMP_SWAP");
	check(xroce_wr_op(IBV_WR_ATOMIC_FETCH_AND_ADD)->wc == IBV_WC_FETCH_ADD, "FETCH_ADD");
	check(xroce_wr_op(IBV_WR_BIND_MW)->wc == IBV_WC_BIND_MW, "BIND_MW");
	check(xroce_wr_op(IBV_WR_LOCAL_INV)->wc == IBV_WC_LOCAL_INV, "LOCAL_INV");
	check(!xroce_wr_op(IBV_WR_TSO), "TSO");
}

TEST_MAIN(harness_main);
