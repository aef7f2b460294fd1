// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>
#include <sys/mman.h>

#include "harness.h"
#include "rng.h"
#include "setting.h"
#include "verbs_ring.h"

#define MOST	64	/* rings that are mapped at a time */

static struct verbs_ring known[MOST];
static size_t known_count;

static size_t mapped(struct verbs_ring *list)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uintptr_t from, to;
	uint64_t offset;
	char line[512];
	size_t n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "/dev/infiniband/uverbs") || n == MOST ||
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64, &from, &to,
			   &offset) != 3)
			continue;
		list[n].at = (void *)from;
		list[n].bytes = to - from;
		list[n++].offset = offset;
	}
	if (f)
		fclose(f);
	return n;
}

void ring_forget(void)
{
	known_count = mapped(known);
}

static bool is_known(const struct verbs_ring *r)
{
	size_t i;

	for (i = 0; i < known_count; i++)
		if (known[i].at == r->at && known[i].offset == r->offset)
			return true;
	return false;
}

bool ring_new(struct verbs_ring *r, uint32_t slots)
{
	struct verbs_ring list[MOST];
	size_t i, n = mapped(list), found = 0;

	for (i = 0; i < n; i++) {
		if (is_known(&list[i]) || list[i].at->index_mask != slots - 1)
			continue;
		*r = list[i];
		r->slots = slots;
		r->stride = 1u << r->at->log2_elem_size;
		found++;
	}
	return check(found == 1, "%zu of %zu mappings are a ring of %u", found, n, slots);
}

void *ring_entry(const struct verbs_ring *r, uint32_t index)
{
	return (char *)r->at + offsetof(struct rxe_queue_buf, data) +
	       (size_t)(index & (r->slots - 1)) * r->stride;
}

void *ring_map(struct ibv_context *ctx, const struct verbs_ring *r)
{
	return mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ctx->cmd_fd, r->offset);
}

int ring_doorbell(struct ibv_context *ctx, uint32_t qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send post;
	} cmd = {
		.hdr = { IB_USER_VERBS_CMD_POST_SEND, sizeof(cmd) / 4, sizeof(resp) / 4 },
		.post = {
			.response = (uintptr_t)&resp,
			.qp_handle = qp,
			.wqe_size = sizeof(struct ib_uverbs_send_wr),
		},
	};

	return write(ctx->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : -errno;
}

int ring_modify(struct ibv_context *ctx, uint32_t qp, enum ibv_qp_state state)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_modify_qp modify;
	} cmd = {
		.hdr = { IB_USER_VERBS_CMD_MODIFY_QP, sizeof(cmd) / 4, 0 },
		.modify = {
			.qp_handle = qp,
			.attr_mask = IBV_QP_STATE,
			.qp_state = state,
		},
	};

	if (state == IBV_QPS_INIT) {
		cmd.modify.attr_mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
		cmd.modify.port_num = 1;
	}
	return write(ctx->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : -errno;
}

int ring_resize_srq(struct ibv_context *ctx, uint32_t srq, uint32_t max_wr, const void *to,
		    size_t bytes)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_modify_srq modify;
		struct rxe_modify_srq_cmd driver;
	} cmd = {
		.modify = { .srq_handle = srq, .attr_mask = IBV_SRQ_MAX_WR, .max_wr = max_wr },
		.driver = { .mmap_info_addr = (uintptr_t)to },
	};
	size_t size = sizeof(cmd) - sizeof(cmd.driver) + bytes;

	cmd.hdr = (struct ib_uverbs_cmd_hdr){ IB_USER_VERBS_CMD_MODIFY_SRQ, size / 4, 0 };
	return write(ctx->cmd_fd, &cmd, size) == (ssize_t)size ? 0 : -errno;
}

int ring_main(int argc, char **argv, bool (*set_up)(void), void (*clean_up)(void))
{
	int status;

	rng_seed(setting("XROCE_SEED", 1));
	if (!set_up())
		return 1;
	status = harness_main(argc, argv);
	clean_up();
	return status;
}
