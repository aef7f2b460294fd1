/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Operations: sets of enum ibv_wr_opcode. */
#ifndef XP_OP_H
#define XP_OP_H

#include <stdbool.h>

#include <infiniband/driver.h>

#include "uapi/xroce.h"

#define XP_OP(op)	(1u << IBV_WR_##op)

#define XP_OPS_SEND	(XP_OP(SEND) | XP_OP(SEND_WITH_IMM))
#define XP_OPS_WRITE	(XP_OP(RDMA_WRITE) | XP_OP(RDMA_WRITE_WITH_IMM))
#define XP_OPS_LOCAL	(XP_OP(LOCAL_INV) | XP_OP(BIND_MW))
#define XP_OPS_UC	(XP_OPS_SEND | XP_OPS_WRITE | XP_OPS_LOCAL)
#define XP_OPS_RC	(XP_OPS_UC | XP_OP(SEND_WITH_INV) | XP_OP(RDMA_READ) | \
			 XP_OP(ATOMIC_CMP_AND_SWP) | XP_OP(ATOMIC_FETCH_AND_ADD) | \
			 XP_OP(ATOMIC_WRITE))

/* True if @op is in a set of operations. */
static inline bool xp_op_in(unsigned int op, unsigned int set)
{
	return op < 32 && set & 1u << op;
}

/* True if ibv_post_send() to a queue pair of the type can have the operation. */
static inline bool xp_op_has(enum ibv_qp_type type, unsigned int op)
{
	return xp_op_in(op, type == IBV_QPT_RC ? XP_OPS_RC :
			    type == IBV_QPT_UC ? XP_OPS_UC : XP_OPS_SEND);
}

/* True if the message can be in the work request itself. */
static inline bool xp_op_inline(unsigned int op)
{
	return xp_op_in(op, XP_OPS_SEND | XP_OP(SEND_WITH_INV) | XP_OPS_WRITE |
			    XP_OP(ATOMIC_WRITE));
}

/* True if it sends nothing: it is executed before the next packet that arrives. */
static inline bool xp_op_local(unsigned int op)
{
	return xp_op_in(op, XP_OPS_LOCAL);
}

/* True if it has a list of local memory. */
static inline bool xp_op_data(unsigned int op)
{
	return !xp_op_in(op, XP_OPS_LOCAL | XP_OP(ATOMIC_WRITE) | XP_OP(FLUSH));
}

#endif
