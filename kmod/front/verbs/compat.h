/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels from 6.12 on, in the operations of struct ib_device_ops.
 * Types of operations are compared by the compiler, so that kernels with changes of a later
 * version work, too. For an operation that exists in some kernels only, Kbuild looks into the
 * headers. If an operation has a type that is not known here, the compiler reports that the
 * initialiser in device.c has an incompatible type.
 */
#ifndef _XR_VERBS_COMPAT_H
#define _XR_VERBS_COMPAT_H

#include "verbs.h"

struct ib_dmah;

/* @fn, if the operation has its type, or else @other. */
#define XR_IB_OP(op, fn, other) \
	__builtin_choose_expr(__builtin_types_compatible_p( \
		typeof_member(struct ib_device_ops, op), typeof(&(fn))), fn, other)

/* Since 6.15 the port is an argument. */
static inline int xr_ib_counter_bind_qp_any(struct rdma_counter *counter, struct ib_qp *ib)
{
	return xr_ib_counter_bind_qp(counter, ib, XR_IB_PORT);
}

static inline int xr_ib_counter_unbind_qp_any(struct ib_qp *ib)
{
	return xr_ib_counter_unbind_qp(ib, XR_IB_PORT);
}

/* Since 6.17 there are DMA handles, which choose a cache of a CPU. */
static inline struct ib_mr *xr_ib_reg_user_mr_dmah(struct ib_pd *ib, u64 start, u64 length,
						   u64 iova, int access, struct ib_dmah *dmah,
						   struct ib_udata *udata)
{
	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	return xr_ib_reg_user_mr(ib, start, length, iova, access, udata);
}

/*
 * Since 7.0 completion queues of programs have operations of their own. XR_IB_RESIZE_CQ is the
 * name of an operation, as is the first argument of XR_IB_OP().
 */
#ifdef XR_IB_HAS_CREATE_USER_CQ
#define XR_IB_CREATE_USER_CQ	.create_user_cq = xr_ib_create_cq,
#else
#define XR_IB_CREATE_USER_CQ
#endif

#ifdef XR_IB_HAS_RESIZE_USER_CQ
#define XR_IB_RESIZE_CQ	resize_user_cq
#else
#define XR_IB_RESIZE_CQ	resize_cq
#endif

/* Then the number became unsigned. */
static inline int xr_ib_resize_cq_unsigned(struct ib_cq *ib, unsigned int cqe,
					   struct ib_udata *udata)
{
	return cqe > INT_MAX ? -EINVAL : xr_ib_resize_cq(ib, cqe, udata);
}

/*
 * ib_core of later kernels allocates counters in the size that the driver gives, and has the driver
 * initialise what it has added: nothing.
 */
#ifdef XR_IB_HAS_COUNTER_INIT
static inline void xr_ib_counter_init(struct rdma_counter *counter)
{
}

#define XR_IB_COUNTER_INIT \
	.counter_init = xr_ib_counter_init, .size_rdma_counter = sizeof(struct rdma_counter),
#else
#define XR_IB_COUNTER_INIT
#endif

#endif
