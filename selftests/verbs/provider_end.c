// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "provider_end.h"

/* Of those that opening the device has made, it is the anonymous file that is not for events. */
int own_doorbell(const struct ibv_context *ctx)
{
	char path[32], link[64];
	int fd, found = -1;
	ssize_t n;

	for (fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, link, sizeof(link) - 1);
		if (n < 0 || fd == ctx->cmd_fd || fd == ctx->async_fd)
			continue;
		link[n] = '\0';
		if (strstr(link, "anon_inode:") && strstr(link, "xroce"))
			found = fd;
	}
	return found;
}

struct ibv_qp *own_qp(struct ibv_pd *pd, struct ibv_qp_init_attr_ex *init)
{
	struct ibv_qp *qp;

	init->comp_mask |= IBV_QP_INIT_ATTR_PD;
	init->pd = pd;
	if (!init->cap.max_send_wr)
		init->cap = (struct ibv_qp_cap){
			.max_send_wr = OWN_DEPTH, .max_recv_wr = init->srq ? 0 : OWN_DEPTH,
			.max_send_sge = OWN_SGE, .max_recv_sge = init->srq ? 0 : 2,
			.max_inline_data = OWN_INLINE,
		};
	qp = ibv_create_qp_ex(pd->context, init);
	check(qp, "create a queue pair: %s", strerror(errno));
	return qp;
}

static bool qp_open(struct own *own, uint64_t ops)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
		.comp_mask = ops ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0, .send_ops_flags = ops,
	};

	own->qp = own_qp(xr_end.pd, &init);
	own->cap = init.cap;
	own->peer = end_qp(&rxe_end, IBV_QPT_RC, own->peer_cq, own->peer_cq, NULL, OWN_DEPTH,
			   OWN_DEPTH);
	return own->qp && own->peer && own_again(own);
}

bool own_open(struct own *own, struct ibv_cq *(*cq)(void), uint64_t ops)
{
	*own = (struct own){};
	if (!ends_open())
		return false;
	own->doorbell = own_doorbell(xr_end.ctx);
	own->memory = mem_map(OWN_BYTES / MEM_PAGE);
	own->peer_memory = mem_map(OWN_BYTES / MEM_PAGE);
	if (!check(own->doorbell >= 0, "no doorbell") || !own->memory || !own->peer_memory)
		return false;
	own->pd2 = ibv_alloc_pd(xr_end.ctx);
	own->mr = ibv_reg_mr(xr_end.pd, own->memory, OWN_BYTES,
			     OWN_RW | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND);
	own->peer_mr = ibv_reg_mr(rxe_end.pd, own->peer_memory, OWN_BYTES,
				  OWN_RW | IBV_ACCESS_REMOTE_ATOMIC);
	own->cq = cq ? cq() : ibv_create_cq(xr_end.ctx, 128, NULL, NULL, 0);
	own->peer_cq = ibv_create_cq(rxe_end.ctx, 128, NULL, NULL, 0);
	return check(own->pd2 && own->mr && own->peer_mr && own->cq && own->peer_cq,
		     "objects: %s", strerror(errno)) && qp_open(own, ops);
}

void own_close(struct own *own)
{
	check(!ibv_destroy_qp(own->qp) && !ibv_destroy_qp(own->peer), "queue pairs");
	check(!ibv_destroy_cq(own->cq) && !ibv_destroy_cq(own->peer_cq), "completion queues");
	check(!ibv_dereg_mr(own->mr) && !ibv_dereg_mr(own->peer_mr), "regions");
	check(!ibv_dealloc_pd(own->pd2), "domain");
	munmap(own->memory, OWN_BYTES);
	munmap(own->peer_memory, OWN_BYTES);
	ends_close();
}

bool own_again(struct own *own)
{
	return ends_connect(own->qp, own->peer);
}

int own_cut(int fd)
{
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, 0), ends[2];

	check(kept >= 0 && !pipe2(ends, O_CLOEXEC) && dup2(*ends, fd) == fd, "cut: %s",
	      strerror(errno));
	close(ends[0]);
	close(ends[1]);
	return kept;
}

void own_mend(int fd, int kept)
{
	check(dup2(kept, fd) == fd, "mend: %s", strerror(errno));
	close(kept);
}

int own_peer_writes(struct own *own, uint32_t rkey, const void *at, uint32_t bytes)
{
	struct ibv_sge sge = { (uintptr_t)own->peer_memory, bytes, own->peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)at, .rkey = rkey },
	};
	struct ibv_wc wc;

	return check(!ibv_post_send(own->peer, &wr, &bad), "post") ? end_wait(own->peer_cq, &wc) :
								     -1;
}

void own_try_write(struct own *own, uint32_t rkey, char *at, bool accept, const char *what)
{
	static const char zeros[OWN_BYTES];
	int ret;

	memset(own->memory, 0, OWN_BYTES);
	memset(own->peer_memory, 0xc3, 64);
	ret = own_peer_writes(own, rkey, at, 64);
	check(ret == (accept ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR), "%s: %d", what, ret);
	if (accept)
		check(!memcmp(at, own->peer_memory, 64), "%s: memory", what);
	else
		check(!memcmp(own->memory, zeros, OWN_BYTES), "%s: it was written", what);
	if (!accept)
		own_again(own);
}

struct ibv_send_wr own_wr(struct own *own, enum ibv_wr_opcode opcode, struct ibv_sge *sge)
{
	return (struct ibv_send_wr){
		.sg_list = sge,
		.num_sge = !!sge,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)own->peer_memory,
			     .rkey = own->peer_mr->rkey },
	};
}
