// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "verbs_object.h"

struct verbs_objects obj;

struct ibv_mr *objects_reg(struct ibv_pd *pd, int access)
{
	struct ibv_mr *new = ibv_reg_mr(pd, obj.memory, sizeof(obj.memory), access);

	check(new, "region with %#x: %s", access, strerror(errno));
	return new;
}

bool objects_open(void)
{
	if (!ends_open() || !end_open(&obj.other, "xr0", "10.77.0.2"))
		return false;
	memset(obj.peer_message, 0xc3, sizeof(obj.peer_message));
	obj.pd2 = ibv_alloc_pd(xr_end.ctx);
	obj.mr = objects_reg(xr_end.pd, RW | IBV_ACCESS_MW_BIND);
	obj.unbindable = objects_reg(xr_end.pd, RW);
	obj.mr2 = obj.pd2 ? objects_reg(obj.pd2, RW | IBV_ACCESS_MW_BIND) : NULL;
	obj.foreign = objects_reg(obj.other.pd, RW | IBV_ACCESS_MW_BIND);
	obj.peer_mr = ibv_reg_mr(rxe_end.pd, obj.peer_message, MESSAGE, IBV_ACCESS_LOCAL_WRITE);
	obj.cq = ibv_create_cq(xr_end.ctx, 64, NULL, NULL, 0);
	obj.peer_cq = ibv_create_cq(rxe_end.ctx, 64, NULL, NULL, 0);
	if (!check(obj.mr2 && obj.peer_mr && obj.cq && obj.peer_cq, "objects: %s", strerror(errno)))
		return false;
	obj.qp = end_qp(&xr_end, IBV_QPT_RC, obj.cq, obj.cq, NULL, 8, 8);
	obj.peer = end_qp(&rxe_end, IBV_QPT_RC, obj.peer_cq, obj.peer_cq, NULL, 8, 1);
	return obj.qp && obj.peer && ends_connect(obj.qp, obj.peer);
}

void objects_close(void)
{
	check(!ibv_destroy_qp(obj.qp) && !ibv_destroy_qp(obj.peer), "queue pairs");
	check(!ibv_destroy_cq(obj.cq) && !ibv_destroy_cq(obj.peer_cq), "completion queues");
	check(!ibv_dereg_mr(obj.mr) && !ibv_dereg_mr(obj.mr2) && !ibv_dereg_mr(obj.unbindable) &&
	      !ibv_dereg_mr(obj.foreign) && !ibv_dereg_mr(obj.peer_mr), "regions");
	check(!ibv_dealloc_pd(obj.pd2), "domain");
	end_close(&obj.other);
	ends_close();
}

/* A message of the peer, of @bytes to @at. Return: status of its completion. */
static int peer_writes(uint32_t rkey, uint32_t at, uint32_t bytes)
{
	struct ibv_sge sge = { (uintptr_t)obj.peer_message, bytes, obj.peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)obj.memory + at, .rkey = rkey },
	};
	struct ibv_wc wc;

	return check(!ibv_post_send(obj.peer, &wr, &bad), "post") ? end_wait(obj.peer_cq, &wc) : -1;
}

void objects_try_write(uint32_t rkey, uint32_t at, bool accept, const char *what)
{
	int ret = peer_writes(rkey, at, MESSAGE);

	check(ret == (accept ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR), "%s: %d", what, ret);
	check(memcmp(obj.memory, obj.zeros, sizeof(obj.memory)) ? accept : !accept, "%s: memory",
	      what);
	memset(obj.memory, 0, sizeof(obj.memory));
	if (!accept)
		ends_connect(obj.qp, obj.peer);
}
