// SPDX-License-Identifier: GPL-2.0-only
/* Commands to the kernel, past libibverbs. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <sys/ioctl.h>

#include "verbs_command.h"

int command_rereg(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		  int access)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_rereg_mr arg;
	} cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_REREG_MR,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.arg = {
			.response = (uintptr_t)&resp,
			.mr_handle = mr->handle,
			.flags = flags,
			.start = (uintptr_t)addr,
			.length = length,
			.hca_va = (uintptr_t)addr,
			.pd_handle = pd->handle,
			.access_flags = access,
		},
	};

	if (write(mr->context->cmd_fd, &cmd, sizeof(cmd)) != sizeof(cmd))
		return errno;
	mr->lkey = resp.lkey;
	mr->rkey = resp.rkey;
	return 0;
}

int command_advise(struct ibv_pd *pd, struct ibv_sge *sge)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr[4];
	} cmd = {
		.hdr = {
			.length = sizeof(cmd),
			.object_id = UVERBS_OBJECT_MR,
			.method_id = UVERBS_METHOD_ADVISE_MR,
			.num_attrs = 4,
			.driver_id = RDMA_DRIVER_RXE,
		},
		.attr = {
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_PD_HANDLE,
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = pd->handle },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_ADVICE, .len = sizeof(__u64),
			  .flags = UVERBS_ATTR_F_MANDATORY,
			  .data = IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_FLAGS, .len = sizeof(__u32),
			  .flags = UVERBS_ATTR_F_MANDATORY,
			  .data = IB_UVERBS_ADVISE_MR_FLAG_FLUSH },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_SGE_LIST, .len = sizeof(*sge),
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)sge },
		},
	};

	return ioctl(pd->context->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? errno : 0;
}

int command_moderate(struct ibv_context *ctx, uint32_t cq, uint16_t count, uint16_t usec)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		struct ib_uverbs_ex_modify_cq arg;
	} cmd = {
		.hdr = {
			.command = IB_USER_VERBS_EX_CMD_MODIFY_CQ | IB_USER_VERBS_CMD_FLAG_EXTENDED,
			/* Of 8 bytes. */
			.in_words = sizeof(cmd.arg) / 8,
		},
		.arg = {
			.cq_handle = cq,
			.attr_mask = IBV_CQ_ATTR_MODERATE,
			.attr = { .cq_count = count, .cq_period = usec },
		},
	};

	return write(ctx->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : errno;
}
