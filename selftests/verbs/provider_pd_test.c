// SPDX-License-Identifier: GPL-2.0-only
/* Xroce's own provider: memory of a parent domain's allocators, and what other processes import. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "provider_end.h"

/* What an allocator was asked for. */
static struct {
	int live;
	int refuse;
	bool stock;
	uint64_t what;
} asked;

static void *allocate(struct ibv_pd *pd, void *arg, size_t size, size_t alignment, uint64_t what)
{
	void *memory;

	check(pd && arg == &asked && size && !(alignment & (alignment - 1)), "%zu bytes at %zu",
	      size, alignment);
	asked.what = what;
	if (asked.stock)
		return IBV_ALLOCATOR_USE_DEFAULT;
	if (asked.refuse || posix_memalign(&memory, alignment, size))
		return NULL;
	memset(memory, 0xa5, size);
	asked.live++;
	return memory;
}

static void release(struct ibv_pd *pd, void *arg, void *memory, uint64_t what)
{
	check(pd && arg == &asked && what == asked.what, "kind %u", (unsigned int)what);
	asked.live--;
	free(memory);
}

/* A queue pair of the domain, in memory of @live pieces. */
static void try_qp(struct own *own, struct ibv_pd *pd, int live, const char *what)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	};
	struct ibv_sge sge = { (uintptr_t)own->memory, 64, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	struct ibv_qp *qp = own_qp(pd, &init), *first = own->qp;
	struct ibv_wc wc;

	if (!qp)
		return;
	check_is(asked.live, live, "%s", what);
	own->qp = qp;
	own_again(own);
	strcpy(own->memory, what);
	check_is(ibv_post_send(qp, &wr, &bad), 0);
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
	check(!strcmp(own->peer_memory, what), "%.24s", own->peer_memory);
	if (live)
		check_is(ibv_dealloc_pd(pd), EBUSY, "in use");
	check(!ibv_destroy_qp(qp), "queue pair");
	check_is(asked.live, 0, "%s: free", what);
	own->qp = first;
	own_again(own);
}

OWN_TEST(provider_allocators, "V5", "queues in memory of the program's allocator")
{
	struct ibv_parent_domain_init_attr attr = {
		.pd = xr_end.pd, .alloc = allocate, .pd_context = &asked,
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT,
	};
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_pd *pd;

	errno = 0;
	check(!ibv_alloc_parent_domain(xr_end.ctx, &attr) && errno == EINVAL, "no free: %d", errno);
	attr.free = release;
	pd = ibv_alloc_parent_domain(xr_end.ctx, &attr);
	if (!check(pd, "domain: %s", strerror(errno)))
		return;
	try_qp(own, pd, 1, "of the program");
	asked.stock = true;
	try_qp(own, pd, 0, "the default");
	asked.stock = false;
	asked.refuse = 1;
	errno = 0;
	check(!ibv_create_qp(pd, &init) && errno == ENOMEM, "no memory: %d", errno);
	asked.refuse = 0;
	check(!ibv_dealloc_pd(pd), "domain");
}

/* As a process does that has got the file of the context over a socket. */
OWN_TEST(provider_import, "V5", "a context, a domain and a region are imported")
{
	int fd = fcntl(xr_end.ctx->cmd_fd, F_DUPFD_CLOEXEC, 0), doorbell;
	struct ibv_context *ctx = ibv_import_device(fd);
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_RC };
	struct ibv_cq *cq, *first_cq = own->cq;
	struct ibv_qp *qp, *first = own->qp;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_wc wc;

	if (!check(ctx, "device: %s", strerror(errno))) {
		close(fd);
		return;
	}
	doorbell = own_doorbell(ctx);
	check(doorbell >= 0 && doorbell != own->doorbell, "its doorbell is %d", doorbell);
	pd = ibv_import_pd(ctx, xr_end.pd->handle);
	mr = pd ? ibv_import_mr(pd, own->mr->handle) : NULL;
	check(pd && !ibv_import_mr(pd, own->mr->handle + 1000), "a region that there is not");
	cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = pd && cq ? own_qp(pd, &init) : NULL;
	if (check(mr && qp, "objects: %s", strerror(errno))) {
		struct ibv_sge sge = { (uintptr_t)own->memory, 64, mr->lkey };
		struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);

		check(mr->lkey == own->mr->lkey && mr->rkey == own->mr->rkey &&
		      mr->length == own->mr->length, "its keys");
		own->qp = qp;
		own->cq = cq;
		own_again(own);
		strcpy(own->memory, "imported");
		check_is(ibv_post_send(qp, &wr, &bad), 0);
		check_is(end_wait(cq, &wc), IBV_WC_SUCCESS);
		check(!strcmp(own->peer_memory, "imported"), "%.24s", own->peer_memory);
		check(!ibv_destroy_qp(qp), "queue pair");
		ibv_unimport_mr(mr);
	}
	if (cq)
		check(!ibv_destroy_cq(cq), "completion queue");
	if (pd)
		ibv_unimport_pd(pd);
	check(!ibv_close_device(ctx), "close");
	own->qp = first;
	own->cq = first_cq;
	own_again(own);
	check(own->mr->lkey == own->mr->rkey, "the first is as before");
}

TEST_MAIN(harness_main);
