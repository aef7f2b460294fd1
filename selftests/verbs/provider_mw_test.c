// SPDX-License-Identifier: GPL-2.0-only
/* Xroce's own provider: windows that are bound and invalidated without a system call. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <sys/syscall.h>

#include "provider_end.h"

#define AT	64u	/* offset of a window */
#define LENGTH	128u

static struct ibv_send_wr bind_wr(struct own *own, struct ibv_mw *mw, uint32_t rkey)
{
	return (struct ibv_send_wr){
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = mw, .rkey = rkey,
			.bind_info = { .mr = own->mr, .addr = (uintptr_t)own->memory + AT,
				       .length = LENGTH,
				       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
		},
	};
}

/* Post with the doorbell cut. */
static void post_quietly(struct own *own, struct ibv_send_wr *wr, const char *what)
{
	int kept = own_cut(own->doorbell);
	struct ibv_send_wr *bad;

	check_is(ibv_post_send(own->qp, wr, &bad), 0, "%s", what);
	own_mend(own->doorbell, kept);
}

/* A SEND does need the doorbell: otherwise the tests would prove nothing. */
OWN_TEST(provider_mw_doorbell, "V5 W10", "a message rings the doorbell")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	int kept = own_cut(own->doorbell);

	check_is(ibv_post_send(own->qp, &wr, &bad), ESPIPE);
	own_mend(own->doorbell, kept);
}

OWN_TEST(provider_mw_2, "V5 W10", "windows of type 2 need no system call")
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr *bad, wr, inval = { .opcode = IBV_WR_LOCAL_INV };
	uint32_t unbound;

	if (!check(mw, "window: %s", strerror(errno)))
		return;
	unbound = mw->rkey;
	own_try_write(own, unbound, own->memory + AT, false, "unbound");
	wr = bind_wr(own, mw, ibv_inc_rkey(mw->rkey));
	post_quietly(own, &wr, "bind");
	check(mw->rkey == wr.bind_mw.rkey, "key %#x", mw->rkey);
	own_try_write(own, mw->rkey, own->memory + AT, true, "bound");
	own_try_write(own, mw->rkey, own->memory + AT + LENGTH - 64, true, "its end");
	inval.invalidate_rkey = mw->rkey;
	post_quietly(own, &inval, "invalidate");
	own_try_write(own, mw->rkey, own->memory + AT, false, "invalidated");

	wr = bind_wr(own, mw, ibv_inc_rkey(mw->rkey));
	post_quietly(own, &wr, "bind again");
	own_try_write(own, mw->rkey, own->memory + AT + LENGTH - 63, false, "a byte past the end");
	wr = bind_wr(own, mw, mw->rkey ^ 1u << 20);
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "a key of another index");
	check(!ibv_dealloc_mw(mw), "window");
}

OWN_TEST(provider_mw_1, "V5 W10", "windows of type 1 need no system call")
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = {
		.bind_info = { .mr = own->mr, .addr = (uintptr_t)own->memory + AT,
			       .length = LENGTH, .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};
	uint32_t before, bound;
	int kept;

	if (!check(mw, "window: %s", strerror(errno)))
		return;
	before = mw->rkey;
	kept = own_cut(own->doorbell);
	check_is(ibv_bind_mw(own->qp, mw, &bind), 0);
	own_mend(own->doorbell, kept);
	bound = mw->rkey;
	check(bound != before && (bound ^ before) >> 8 == 0, "keys %#x, %#x", before, bound);
	own_try_write(own, bound, own->memory + AT, true, "bound");
	own_try_write(own, before, own->memory + AT, false, "the key from before");
	own_try_write(own, bound, own->memory + AT - 1, false, "a byte before");

	bind.bind_info = (struct ibv_mw_bind_info){};
	kept = own_cut(own->doorbell);
	check_is(ibv_bind_mw(own->qp, mw, &bind), 0, "unbind");
	own_mend(own->doorbell, kept);
	own_try_write(own, bound, own->memory + AT, false, "unbound");
	own_try_write(own, mw->rkey, own->memory + AT, false, "unbound, new key");
	check(!ibv_dealloc_mw(mw), "window");
}

OWN_TEST(provider_mw_waited, "V5 W10", "a program that waits for a bind gets its completion")
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_send_wr *bad, wr;
	struct ibv_wc wc = {};

	if (!check(mw, "window: %s", strerror(errno)))
		return;
	wr = bind_wr(own, mw, ibv_inc_rkey(mw->rkey));
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.wr_id = 99;
	check_is(ibv_post_send(own->qp, &wr, &bad), 0);
	check(end_wait(own->cq, &wc) == 0 && wc.opcode == IBV_WC_BIND_MW && wc.wr_id == 99,
	      "status %d, opcode %d", wc.status, wc.opcode);
	check(!ibv_dealloc_mw(mw), "window");
}

OWN_TEST(provider_mw_refused, "V5 W10", "binds that are wrong")
{
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_mw *other = ibv_alloc_mw(own->pd2, IBV_MW_TYPE_2);
	struct ibv_mw *first = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_1);
	struct ibv_mr *plain = ibv_reg_mr(xr_end.pd, own->memory, MEM_PAGE, OWN_RW);
	struct ibv_send_wr *bad, wr;
	struct ibv_wc wc;

	if (!check(mw && other && first && plain, "objects: %s", strerror(errno)))
		return;
	wr = bind_wr(own, other, ibv_inc_rkey(other->rkey));
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "a window of another domain");
	wr = bind_wr(own, first, ibv_inc_rkey(first->rkey));
	check_is(ibv_post_send(own->qp, &wr, &bad), EINVAL, "a window of type 1");
	wr = bind_wr(own, mw, ibv_inc_rkey(mw->rkey));
	wr.bind_mw.bind_info.mw_access_flags |= IBV_ACCESS_ZERO_BASED;
	check_is(ibv_post_send(own->qp, &wr, &bad), EOPNOTSUPP, "zero-based");
	wr = bind_wr(own, mw, ibv_inc_rkey(mw->rkey));
	wr.bind_mw.bind_info.mr = plain;
	wr.send_flags = IBV_SEND_SIGNALED;
	check_is(ibv_post_send(own->qp, &wr, &bad), 0, "a region without the right");
	check_is(end_wait(own->cq, &wc), IBV_WC_MW_BIND_ERR);
	own_again(own);
	check(!ibv_dealloc_mw(mw) && !ibv_dealloc_mw(other) && !ibv_dealloc_mw(first), "windows");
	check(!ibv_dereg_mr(plain), "region");
}

/* A completion queue of no queue pair, and the thread that arms it until it is told to stop. */
static struct ibv_cq *other;
static bool stop;
static __thread bool slow;

/*
 * In place of that of the C library, of which the provider's doorbell is a call: a thread that is
 * slow to ring it has taken what there is to ring for long before.
 */
off_t lseek(int fd, off_t offset, int whence)
{
	if (slow)
		usleep(500);
	return syscall(SYS_lseek, fd, offset, whence);
}

/* It rings for another thread, which must not go on before that has happened. */
static void *arms(void *arg __attribute__((unused)))
{
	slow = true;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		ibv_req_notify_cq(other, 0);
	return NULL;
}

static bool is_ready(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) && attr.qp_state == IBV_QPS_RTS;
}

#define RACES	1000u

OWN_TEST(provider_mw_race, "V5 W10", "what a bind names is freed while another thread rings")
{
	struct ibv_send_wr *bad, wr, inval = { .opcode = IBV_WR_LOCAL_INV };
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_2);
	struct ibv_mr *mr;
	pthread_t thread;
	unsigned int i;

	other = ibv_create_cq(xr_end.ctx, 16, NULL, NULL, 0);
	if (!check(mw && other && !pthread_create(&thread, NULL, arms, NULL), "objects"))
		return;
	for (i = 0; i < RACES && !test_failed(); i++) {
		mr = ibv_reg_mr(xr_end.pd, own->memory, OWN_BYTES, OWN_RW | IBV_ACCESS_MW_BIND);
		wr = bind_wr(own, mw, ibv_inc_rkey(mw->rkey));
		wr.bind_mw.bind_info.mr = mr;
		wr.next = &inval;
		inval.invalidate_rkey = wr.bind_mw.rkey;
		check_is(ibv_post_send(own->qp, &wr, &bad), 0, "bind and invalidate");
		/* Half of the time the other thread is in its doorbell then. */
		usleep(i % 2 ? 100 : 0);
		check_is(ibv_dereg_mr(mr), 0, "round %u", i);
		/* A bind that has not been executed before that fails. */
		check(is_ready(own->qp), "round %u: the bind has failed", i);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	check(!ibv_destroy_cq(other) && !ibv_dealloc_mw(mw), "objects");
}

TEST_MAIN(harness_main);
