/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The driver's part of commands of ib_uverbs, and of the answers, follows that of ib_uverbs. */
#ifndef XP_RESP_H
#define XP_RESP_H

#include <infiniband/driver.h>

#include "uapi/rdma/xroce-abi.h"

#define XP_RESP(name, core, drv)						\
	struct name {								\
		struct core ibv;						\
		struct drv xroce;						\
	};									\
	static_assert(offsetof(struct name, xroce) == sizeof(struct core), #name)

XP_RESP(xp_get_context_resp, ib_uverbs_get_context_resp, xroce_alloc_ucontext_resp);
XP_RESP(xp_get_context_cmd, ibv_get_context, xroce_alloc_ucontext_cmd);
XP_RESP(xp_create_cq_resp, ib_uverbs_ex_create_cq_resp, xroce_create_cq_resp);
XP_RESP(xp_resize_cq_resp, ib_uverbs_resize_cq_resp, xroce_resize_cq_resp);
XP_RESP(xp_create_srq_resp, ib_uverbs_create_srq_resp, xroce_create_srq_resp);
XP_RESP(xp_create_qp_resp, ib_uverbs_ex_create_qp_resp, xroce_create_qp_resp);
XP_RESP(xp_create_ah_resp, ib_uverbs_create_ah_resp, xroce_create_ah_resp);

#endif
