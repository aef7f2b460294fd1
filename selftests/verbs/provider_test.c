// SPDX-License-Identifier: GPL-2.0-only
/* Xroce's own provider: regions, queues and their limits. Beside what works is what is refused. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include "provider_end.h"

/* --- Regions. */

/* One combination of flags, from the first page in the first domain to another. */
static void try_rereg(struct own *own, int flags)
{
	bool moved = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	int access = flags & IBV_REREG_MR_CHANGE_ACCESS ? IBV_ACCESS_LOCAL_WRITE : 0;
	struct ibv_pd *pd = flags & IBV_REREG_MR_CHANGE_PD ? own->pd2 : NULL;
	char *to = moved ? own->memory + MEM_PAGE : NULL;
	struct ibv_mr *mr;
	uint32_t key;

	mr = ibv_reg_mr(xr_end.pd, own->memory, MEM_PAGE, OWN_RW);
	if (!check(mr, "region: %s", strerror(errno)))
		return;
	key = mr->rkey;
	own_try_write(own, key, own->memory, true, "before");
	check_is(ibv_rereg_mr(mr, flags, pd, to, moved ? 64 : 0, access), 0, "flags %d", flags);
	check(mr->pd == (pd ? pd : xr_end.pd), "flags %d: domain", flags);
	check(mr->addr == (to ? to : own->memory) && mr->length == (moved ? 64 : MEM_PAGE),
	      "flags %d: %zu bytes at %p", flags, mr->length, mr->addr);
	own_try_write(own, mr->rkey, mr->addr, !pd && !(flags & IBV_REREG_MR_CHANGE_ACCESS),
		      "after");
	if (moved)
		own_try_write(own, mr->rkey, to + 1, false, "a byte past the end");
	if (mr->rkey != key)
		own_try_write(own, key, own->memory, false, "the key from before");
	check(!ibv_dereg_mr(mr), "deregister");
}

OWN_TEST(provider_rereg, "V5 R5", "changing regions in place, each combination of flags")
{
	int flags;

	for (flags = 1; flags < 8; flags++)
		try_rereg(own, flags);
}

OWN_TEST(provider_rereg_key, "V5 R5", "the key from before a change of rights alone")
{
	struct ibv_mr *mr = ibv_reg_mr(xr_end.pd, own->memory, MEM_PAGE, IBV_ACCESS_LOCAL_WRITE);
	uint32_t key;

	if (!check(mr, "region: %s", strerror(errno)))
		return;
	key = mr->rkey;
	own_try_write(own, key, own->memory, false, "without the right");
	check_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, OWN_RW), 0);
	own_try_write(own, key, own->memory, true, "with the right");
	check(!ibv_dereg_mr(mr), "deregister");
}

#define STREAM		8u	/* WRITEs outstanding */
#define CHANGES		100u

/* The peer writes all the time: that right is never missing. */
OWN_TEST(provider_rereg_stream, "V5 R5", "rights are added and removed under traffic")
{
	struct ibv_sge sge = { (uintptr_t)own->peer_memory, 64, own->peer_mr->lkey };
	struct ibv_mr *mr = ibv_reg_mr(xr_end.pd, own->memory, MEM_PAGE, OWN_RW);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma.remote_addr = (uintptr_t)own->memory,
	};
	unsigned int i, n;
	struct ibv_wc wc;

	if (!check(mr, "region: %s", strerror(errno)))
		return;
	wr.wr.rdma.rkey = mr->rkey;
	for (i = 0; i < CHANGES && !test_failed(); i++) {
		for (n = 0; n < STREAM; n++)
			check(!ibv_post_send(own->peer, &wr, &bad), "post");
		check_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
				      i % 2 ? OWN_RW : OWN_RW & ~IBV_ACCESS_REMOTE_READ), 0);
		for (n = 0; n < STREAM && !test_failed(); n++)
			check_is(end_wait(own->peer_cq, &wc), IBV_WC_SUCCESS, "change %u", i);
	}
	check(mr->rkey == wr.wr.rdma.rkey, "the key");
	check_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			      IBV_ACCESS_LOCAL_WRITE), 0, "without the right");
	own_try_write(own, wr.wr.rdma.rkey, own->memory, false, "without the right");
	check(!ibv_dereg_mr(mr), "deregister");
}

OWN_TEST(provider_rereg_refused, "V5 R5", "what is refused leaves the region as it was")
{
	char *gone = mmap(NULL, MEM_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(xr_end.pd, own->memory, MEM_PAGE, OWN_RW);

	if (!check(mr, "region: %s", strerror(errno)))
		return;
	check_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, gone, MEM_PAGE, 0),
		 IBV_REREG_MR_ERR_CMD, "memory without rights");
	check_is(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			      IBV_ACCESS_REMOTE_WRITE), IBV_REREG_MR_ERR_CMD, "a right alone");
	check_is(ibv_rereg_mr(mr, 0, NULL, NULL, 0, OWN_RW), IBV_REREG_MR_ERR_INPUT, "no flag");
	own_try_write(own, mr->rkey, own->memory, true, "as before");
	check(!ibv_dereg_mr(mr), "deregister");
	munmap(gone, MEM_PAGE);
}

#define ADVISED		16u	/* pages */

/* Return: how many of the pages are present. */
static unsigned int present(char *memory)
{
	unsigned char in[ADVISED];
	unsigned int i, n = 0;

	check(!mincore(memory, sizeof(in) * MEM_PAGE, in), "mincore: %s", strerror(errno));
	for (i = 0; i < sizeof(in); i++)
		n += in[i] & 1;
	return n;
}

static int advise(struct ibv_pd *pd, char *memory, uint32_t bytes, uint32_t lkey)
{
	struct ibv_sge sge = { (uintptr_t)memory, bytes, lkey };

	return ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH,
			     &sge, 1);
}

OWN_TEST(provider_advise, "V5 O5", "on-demand memory that a program asks for")
{
	const uint32_t bytes = ADVISED * MEM_PAGE;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(xr_end.pd, memory, bytes, OWN_RW | IBV_ACCESS_ON_DEMAND);

	if (!check(mr, "region: %s", strerror(errno)))
		return;
	check(advise(own->pd2, memory, bytes, mr->lkey), "another domain");
	check(advise(xr_end.pd, memory, bytes, mr->lkey ^ 1), "a wrong key");
	check(advise(xr_end.pd, memory, bytes + 1, mr->lkey), "a byte past the end");
	check(!present(memory), "refused: %u pages", present(memory));
	check_is(advise(xr_end.pd, memory, bytes, mr->lkey), 0);
	check(present(memory) == ADVISED, "%u pages", present(memory));
	check(!ibv_dereg_mr(mr), "deregister");
	munmap(memory, bytes);
}

/* --- Messages in the work request. */

OWN_TEST(provider_inline, "V5 D2", "an inline list of three elements arrives whole")
{
	char text[] = "one and two, three and four";
	struct ibv_sge sge[] = {
		{ (uintptr_t)text, 7, 0 }, { (uintptr_t)text + 7, 1, 0 },
		{ (uintptr_t)text + 8, sizeof(text) - 8, 0 },
	};
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, sge);
	struct ibv_wc wc;

	wr.num_sge = ARRAY_SIZE(sge);
	wr.send_flags |= IBV_SEND_INLINE;
	check_is(ibv_post_send(own->qp, &wr, &bad), 0);
	/* The program may write there again. */
	memset(text, 'x', 5);
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
	check(!strcmp(own->peer_memory, "one and two, three and four"), "%.32s",
	      own->peer_memory);

	sge[2].addr = (uintptr_t)own->memory;
	sge[2].length = own->cap.max_inline_data - 8 + 1;
	bad = NULL;
	check(ibv_post_send(own->qp, &wr, &bad) == EINVAL && bad == &wr, "a byte too long");
	sge[2].length--;
	check_is(ibv_post_send(own->qp, &wr, &bad), 0, "as long as can be");
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
	wr.opcode = IBV_WR_RDMA_READ;
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "a READ");
}

/* --- Queues. */

/* Fill the send queue and one more, as one list. */
static void too_many_sends(struct own *own)
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	uint32_t i, n = own->cap.max_send_wr;
	struct ibv_send_wr *wr = calloc(n + 1, sizeof(*wr)), *bad = NULL;
	struct ibv_wc wc;

	for (i = 0; i <= n; i++) {
		wr[i] = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
		wr[i].wr_id = i;
		wr[i].next = i < n ? &wr[i + 1] : NULL;
	}
	check_is(ibv_post_send(own->qp, wr, &bad), ENOMEM, "a list of one too many");
	check(bad == &wr[n], "number %td of %u", bad - wr, n);
	for (i = 0; i < n; i++)
		check(end_wait(own->cq, &wc) == 0 && wc.wr_id == i, "%u: %d", i, wc.status);
	check(!ibv_poll_cq(own->cq, 1, &wc), "another completion");
	check_is(ibv_post_send(own->qp, &wr[n], &bad), 0, "there is room again");
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
	free(wr);
}

static void too_many_receives(struct own *own)
{
	struct ibv_recv_wr *bad = NULL, wr = {};
	uint32_t i, n = own->cap.max_recv_wr;

	for (i = 0; i < n; i++)
		check_is(ibv_post_recv(own->qp, &wr, &bad), 0, "receive %u", i);
	check(ibv_post_recv(own->qp, &wr, &bad) == ENOMEM && bad == &wr, "receive %u", n);
}

OWN_TEST(provider_full, "V5", "a queue that is full")
{
	check(own->cap.max_send_wr >= OWN_DEPTH && own->cap.max_recv_wr >= OWN_DEPTH, "%u, %u",
	      own->cap.max_send_wr, own->cap.max_recv_wr);
	too_many_sends(own);
	too_many_receives(own);
}

OWN_TEST(provider_wrong, "V5", "work requests that are wrong")
{
	struct ibv_sge sge[64] = { { (uintptr_t)own->memory, 8, own->mr->lkey } };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, sge);
	struct ibv_recv_wr *bad_recv, recv = { .sg_list = sge };

	wr.num_sge = own->cap.max_send_sge + 1;
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "elements");
	wr.num_sge = -1;
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "elements below 0");
	wr = own_wr(own, IBV_WR_TSO, sge);
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "operation");
	wr = own_wr(own, (enum ibv_wr_opcode)77, sge);
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "unknown operation");
	wr = own_wr(own, IBV_WR_SEND, sge);
	wr.send_flags |= IBV_SEND_IP_CSUM;
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "flag");
	recv.num_sge = own->cap.max_recv_sge + 1;
	check_is(ibv_post_recv(own->qp, &recv, &bad_recv), EINVAL, "elements of a receive");

	check(!end_state(own->qp, IBV_QPS_RESET), "RESET");
	wr = own_wr(own, IBV_WR_RDMA_WRITE, sge);
	recv.num_sge = 1;
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "send in RESET");
	check_is(ibv_post_recv(own->qp, &recv, &bad_recv), EINVAL, "receive in RESET");
	own_again(own);
	check_is(ibv_post_send(own->qp, &wr, &bad), 0, "in RTS");
	check_is(end_wait(own->cq, &(struct ibv_wc){}), IBV_WC_SUCCESS);
}

OWN_TEST(provider_flush, "V5 V6", "receives that are posted in ERR are flushed")
{
	struct ibv_recv_wr *bad, wr = { .wr_id = 1 };
	struct ibv_wc wc = {};

	check_is(ibv_post_recv(own->qp, &wr, &bad), 0, "before");
	usleep(10000);
	check(!ibv_poll_cq(own->cq, 1, &wc), "flushed before ERR");
	check(!end_state(own->qp, IBV_QPS_ERR), "ERR");
	check(end_wait(own->cq, &wc) == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 1, "%d", wc.status);
	for (wr.wr_id = 2; wr.wr_id < 5; wr.wr_id++) {
		check_is(ibv_post_recv(own->qp, &wr, &bad), 0, "in ERR");
		/* By the post itself. */
		check(ibv_poll_cq(own->cq, 1, &wc) == 1 && wc.status == IBV_WC_WR_FLUSH_ERR &&
		      wc.wr_id == wr.wr_id && wc.qp_num == own->qp->qp_num, "%lu: %d",
		      (unsigned long)wr.wr_id, wc.status);
	}
	own_again(own);
	check_is(ibv_post_recv(own->qp, &wr, &bad), 0, "after");
	usleep(10000);
	check(!ibv_poll_cq(own->cq, 1, &wc), "flushed after ERR");
}

OWN_TEST(provider_clean, "V5", "completions of a queue pair that is destroyed or reset")
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	};
	struct ibv_qp *other = own_qp(xr_end.pd, &init);
	struct ibv_recv_wr *bad, wr = { .wr_id = 7 };
	struct ibv_wc wc;
	int i;

	if (!other)
		return;
	check(!end_step(&xr_end, other, &rxe_end, 0, IBV_QPS_INIT), "INIT");
	for (i = 0; i < 3; i++) {
		wr.wr_id = 7;
		check(!ibv_post_recv(own->qp, &wr, &bad), "receive");
		wr.wr_id = 8;
		check(!ibv_post_recv(other, &wr, &bad), "receive of the other");
	}
	check(!end_state(own->qp, IBV_QPS_ERR) && !end_state(other, IBV_QPS_ERR), "ERR");
	check(!ibv_destroy_qp(other), "destroy");
	for (i = 0; i < 3; i++)
		check(end_wait(own->cq, &wc) == IBV_WC_WR_FLUSH_ERR && wc.wr_id == 7, "%d: %lu",
		      i, (unsigned long)wc.wr_id);
	check(!ibv_poll_cq(own->cq, 1, &wc), "one of the destroyed queue pair");
	wr.wr_id = 7;
	check(!ibv_post_recv(own->qp, &wr, &bad), "receive");
	own_again(own);
	check(!ibv_poll_cq(own->cq, 1, &wc), "one from before RESET");
}

OWN_TEST(provider_resize, "V5", "another size for a completion queue")
{
	struct ibv_recv_wr *bad, wr = {};
	struct ibv_wc wc;
	int i, n = 0;

	for (i = 0; i < 10; i++) {
		wr.wr_id = i;
		check(!ibv_post_recv(own->qp, &wr, &bad), "receive");
	}
	check(!end_state(own->qp, IBV_QPS_ERR), "ERR");
	check(ibv_poll_cq(own->cq, 1, &wc) == 1, "first");
	check_is(ibv_resize_cq(own->cq, 1000), 0, "larger");
	check(own->cq->cqe >= 1000, "%d", own->cq->cqe);
	check(ibv_poll_cq(own->cq, 1, &wc) == 1 && wc.wr_id == 1, "second: %lu",
	      (unsigned long)wc.wr_id);
	check(ibv_resize_cq(own->cq, 2), "8 completions in a queue for 2");
	check_is(ibv_resize_cq(own->cq, 20), 0, "smaller");
	for (i = 2; i < 10; i++)
		n += ibv_poll_cq(own->cq, 1, &wc) == 1 && wc.wr_id == (uint64_t)i;
	check(n == 8, "%d of 8", n);
}

/* --- Domains. */

/* Address space for what is mapped now and 256 KiB. */
static bool no_more_memory(struct rlimit *was)
{
	struct rlimit now;
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f) {
		if (fscanf(f, "%lu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	if (!check(pages && !getrlimit(RLIMIT_AS, was), "limit"))
		return false;
	now = (struct rlimit){ pages * MEM_PAGE + (256 << 10), was->rlim_max };
	return check(!setrlimit(RLIMIT_AS, &now), "limit: %s", strerror(errno));
}

OWN_TEST(provider_resize_unmapped, "V5", "no memory to map a queue of another size")
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr *bad_send, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	struct ibv_recv_wr *bad, receive = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_srq_attr attr = { .max_wr = 16000 };
	struct ibv_srq *srq = ibv_create_srq(xr_end.pd, &init);
	struct rlimit was;
	struct ibv_wc wc;
	unsigned int i;

	if (!check(srq, "shared queue: %s", strerror(errno)) || !no_more_memory(&was))
		return;
	check_is(ibv_resize_cq(own->cq, 500000), ENOMEM, "completion queue");
	check_is(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), ENOMEM, "shared queue");
	check(!setrlimit(RLIMIT_AS, &was), "limit");
	check(!ibv_query_srq(srq, &attr) && attr.max_wr < 100, "it has %u now", attr.max_wr);
	check_is(ibv_post_send(own->qp, &wr, &bad_send), 0, "post");
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "a completion");
	for (i = 0; i < 8; i++)
		check_is(ibv_post_srq_recv(srq, &receive, &bad), 0, "receive %u", i);
	check_is(ibv_resize_cq(own->cq, 1000), 0, "completion queue, later");
	attr.max_wr = 16000;
	check_is(ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), 0, "shared queue, later");
	check(!ibv_destroy_srq(srq), "shared queue");
}

static void *make_another(void *arg)
{
	struct own *own = arg;
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	};
	struct ibv_qp *qp = own_qp(xr_end.pd, &init);

	return qp && !ibv_destroy_qp(qp) ? own : NULL;
}

static void *destroy(void *qp)
{
	return ibv_destroy_qp(qp) ? NULL : qp;
}

static bool ended(pthread_t thread)
{
	struct timespec until;
	void *ret = NULL;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	return !pthread_timedjoin_np(thread, &ret, &until) && ret;
}

/* Destroying it waits for that, and nothing else does. */
OWN_TEST(provider_destroy_event, "V5 V6", "an event of a queue pair is not acknowledged yet")
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	pthread_t destroys, makes;
	struct ibv_async_event event;
	struct pollfd fd = { .fd = xr_end.ctx->async_fd, .events = POLLIN };

	check_is(ibv_modify_qp(own->qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0, "SQD");
	if (!check(poll(&fd, 1, 10000) == 1 && !ibv_get_async_event(xr_end.ctx, &event), "event") ||
	    !check(event.event_type == IBV_EVENT_SQ_DRAINED, "event %d", event.event_type))
		return;
	check(!pthread_create(&destroys, NULL, destroy, own->qp), "thread");
	usleep(200000);
	check(!pthread_create(&makes, NULL, make_another, own), "thread");
	check(ended(makes), "another queue pair waits, too");
	check(pthread_tryjoin_np(destroys, NULL) == EBUSY, "it has not waited");
	ibv_ack_async_event(&event);
	check(ended(destroys), "destroyed");
	own->qp = end_qp(&xr_end, IBV_QPT_RC, own->cq, own->cq, NULL, 1, 1);
}

OWN_TEST(provider_domains, "V5", "parent and thread domains")
{
	struct ibv_td_init_attr none = {};
	struct ibv_td *td = ibv_alloc_td(xr_end.ctx, &none);
	struct ibv_parent_domain_init_attr attr = { .pd = xr_end.pd, .td = td };
	struct ibv_pd *pd = ibv_alloc_parent_domain(xr_end.ctx, &attr);
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	};
	struct ibv_sge sge = { (uintptr_t)own->memory, 64, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	struct ibv_qp *qp, *first = own->qp;
	struct ibv_wc wc;

	if (!check(td && pd, "domains: %s", strerror(errno)))
		return;
	qp = own_qp(pd, &init);
	if (!qp)
		return;
	own->qp = qp;
	own_again(own);
	strcpy(own->memory, "from a thread domain");
	check_is(ibv_post_send(qp, &wr, &bad), 0);
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS);
	check(!strcmp(own->peer_memory, own->memory), "%.24s", own->peer_memory);
	check_is(ibv_dealloc_td(td), EBUSY, "in use");
	check(!ibv_destroy_qp(qp), "queue pair");
	check_is(ibv_dealloc_pd(xr_end.pd), EBUSY, "in use");
	check(!ibv_dealloc_pd(pd) && !ibv_dealloc_td(td), "domains");
	own->qp = first;
	own_again(own);
}

TEST_MAIN(harness_main);
