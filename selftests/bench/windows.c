// SPDX-License-Identifier: GPL-2.0-only
/*
 * What it costs to bind a memory window and to revoke it, beside rxe, and beside
 * registering its region, which is the other way to grant access. See bench.sh,
 * which runs this.
 *
 *   windows [-o FILE]
 *
 * "posted": the work request is written into the ring, and one of XROCE's system
 * calls applies 64 of them: little more than what a packet pays that comes next.
 * "alone": each is applied by a system call of its own and its completion polled,
 * as rxe's always are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <json-c/json.h>
#include <sched.h>
#include <sys/mman.h>

#include "harness.h"
#include "libxroce.h"
#include "responder.h"

#define LENGTH		(1u << 20)
#define BATCH		64u
#define ROUNDS		9	/* of which the median counts; one to warm up */
#define RIGHTS		(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ)
#define REGION		(XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND | RIGHTS)

static void *memory;
static struct {
	struct xroce *x;
	struct xroce_cq *cq;
	struct xroce_sq *sq;
	uint32_t pd;
	uint32_t qpn;
	struct xroce_mr_reg mr;
	struct xroce_bind one;
	struct xroce_bind two;
} own;
static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	struct ibv_mw *one;
	struct ibv_mw *two;
	uint32_t rkey;
} rxe;
static bool failed;

static bool done(int err, const char *what)
{
	if (err) {
		fprintf(stderr, "bench: %s: %s\n", what,
			strerror(err < 0 ? -err : err));
		failed = true;
	}
	return !err;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static struct xroce_mr_reg region(void)
{
	return (struct xroce_mr_reg){
		.pd = own.pd,
		.access = REGION,
		.addr = (uintptr_t)memory,
		.length = LENGTH,
		.iova = (uintptr_t)memory,
	};
}

static bool own_qp(void)
{
	struct xroce_qp_add add = { .pd = own.pd, .type = XROCE_QPT_RC };
	struct xroce_qp_modify m = {
		.pkey = 0xffff,
		.path_mtu = XROCE_MTU_4096,
		.dest_qpn = PEER_QPN,
	};
	struct xroce_rq *rq;
	int err;

	add.send_cq = xroce_cq_id(own.cq);
	err = xroce_qp_create(own.x, &add, &rq);
	own.qpn = m.qpn = add.qpn;
	responder_gid(RESPONDER_ADDR, m.sgid);
	responder_gid(PEER_ADDR, m.dgid);
	m.mask = XROCE_QP_STATE | XROCE_QP_PKEY | XROCE_QP_ACCESS;
	m.state = XROCE_QPS_INIT;
	if (!err)
		err = xroce_qp_modify(own.x, &m);
	m.mask = XROCE_QP_STATE | XROCE_QP_AV | XROCE_QP_PATH_MTU |
		 XROCE_QP_DEST_QPN | XROCE_QP_RQ_PSN |
		 XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
	m.state = XROCE_QPS_RTR;
	if (!err)
		err = xroce_qp_modify(own.x, &m);
	m.mask = XROCE_QP_STATE;
	m.state = XROCE_QPS_RTS;
	if (!err)
		err = xroce_qp_modify(own.x, &m);
	return done(err, "xroce: queue pair");
}

static bool own_window(uint32_t type, struct xroce_bind *b)
{
	struct xroce_mw_add add = { .pd = own.pd, .type = type };

	*b = (struct xroce_bind){
		.qpn = own.qpn,
		.lkey = own.mr.lkey,
		.addr = own.mr.iova,
		.length = LENGTH,
		.access = RIGHTS,
	};
	if (!done(xroce_mw_add(own.x, &add), "xroce: window"))
		return false;
	b->rkey = add.rkey;
	return true;
}

static bool own_open(void)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };

	if (xroce_attach(RESPONDER_DEV, &opts)) {
		fprintf(stderr, "bench: xroce: attach: %s\n", opts.error);
		return false;
	}
	own.x = xroce_open(RESPONDER_DEV);
	if (!own.x || !done(xroce_pd_add(own.x, 0, &own.pd), "xroce: domain"))
		return false;
	own.cq = xroce_cq_add(own.x, 256);
	own.sq = xroce_sq_add(own.x, BATCH);
	if (!done(own.cq && own.sq ? 0 : errno, "xroce: queues"))
		return false;
	own.mr = region();
	return done(xroce_mr_reg(own.x, &own.mr), "xroce: region") &&
	       own_qp() && own_window(XROCE_MW_TYPE_1, &own.one) &&
	       own_window(XROCE_MW_TYPE_2B, &own.two);
}

static void own_close(void)
{
	char error[XROCE_ERROR_MAX] = "";

	/* Mapped queues would keep the handle. */
	xroce_mw_del(own.x, own.one.rkey >> XROCE_KEY_SHIFT);
	xroce_mw_del(own.x, own.two.rkey >> XROCE_KEY_SHIFT);
	xroce_qp_del(own.x, own.qpn);
	xroce_sq_del(own.sq);
	xroce_cq_del(own.cq);
	xroce_close(own.x);
	if (xroce_detach(RESPONDER_DEV, XROCE_F_FORCE, error))
		fprintf(stderr, "bench: xroce: detach: %s\n", error);
}

static bool rxe_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = rxe.cq,
		.recv_cq = rxe.cq,
		.cap = { 16, 1, 1, 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = PEER_QPN,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh.hop_limit = 64, .grh.sgid_index = 1 },
	};
	int err;

	rxe.qp = ibv_create_qp(rxe.pd, &init);
	if (!done(rxe.qp ? 0 : errno, "rxe: queue pair"))
		return false;
	responder_gid(PEER_ADDR, a.ah_attr.grh.dgid.raw);
	err = ibv_modify_qp(rxe.qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	a.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(rxe.qp, &a, IBV_QP_STATE | IBV_QP_AV |
				    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER);
	a.qp_state = IBV_QPS_RTS;
	if (!err)
		err = ibv_modify_qp(rxe.qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT |
				    IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	return done(err, "rxe: queue pair");
}

static struct ibv_mr *rxe_region(void)
{
	return ibv_reg_mr(rxe.pd, memory, LENGTH, REGION);
}

static bool rxe_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i] && !rxe.ctx; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), RESPONDER_RXE))
			rxe.ctx = ibv_open_device(list[i]);
	}
	if (list)
		ibv_free_device_list(list);
	if (!done(rxe.ctx ? 0 : ENODEV, RESPONDER_RXE))
		return false;
	rxe.pd = ibv_alloc_pd(rxe.ctx);
	rxe.cq = ibv_create_cq(rxe.ctx, 64, NULL, NULL, 0);
	if (!done(rxe.pd && rxe.cq ? 0 : errno, "rxe"))
		return false;
	rxe.mr = rxe_region();
	rxe.one = ibv_alloc_mw(rxe.pd, IBV_MW_TYPE_1);
	rxe.two = ibv_alloc_mw(rxe.pd, IBV_MW_TYPE_2);
	if (!done(rxe.mr && rxe.one && rxe.two ? 0 : errno, "rxe: windows"))
		return false;
	rxe.rkey = rxe.two->rkey;
	return rxe_qp();
}

static void own_completion(void)
{
	struct xroce_cqe cqe = { .status = ~0u };

	done(xroce_cq_poll(own.cq, &cqe, 1) == 1 && !cqe.status ? 0 : EIO,
	     "xroce: completion");
}

static void rxe_completion(void)
{
	struct ibv_wc wc = { .status = -1 };
	int n;

	/* Its worker has the one CPU only when it is left to it. */
	while (!(n = ibv_poll_cq(rxe.cq, 1, &wc)))
		sched_yield();
	if (n != 1 || wc.status) {
		fprintf(stderr, "bench: rxe: completion of %llu: %s\n",
			(unsigned long long)wc.wr_id,
			ibv_wc_status_str(wc.status));
		exit(1);
	}
}

/* A batch, applied together. */
static void own_one_posted(uint32_t n)
{
	while (n--)
		done(xroce_bind_mw(own.sq, &own.one), "xroce: post");
	done(xroce_sq_apply(own.sq), "xroce: apply");
}

/* In pairs: half of them bind, half of them invalidate. */
static void own_two_posted(uint32_t n)
{
	for (; n; n -= 2) {
		own.two.rkey = xroce_inc_rkey(own.two.rkey);
		done(xroce_post_bind(own.sq, &own.two), "xroce: post");
		done(xroce_post_local_inv(own.sq, 0, own.qpn, own.two.rkey, 0),
		     "xroce: post");
	}
	done(xroce_sq_apply(own.sq), "xroce: apply");
}

static void own_two_alone(uint32_t n)
{
	for (own.two.flags = XROCE_SQ_SIGNALED; n; n -= 2) {
		own.two.rkey = xroce_inc_rkey(own.two.rkey);
		done(xroce_post_bind(own.sq, &own.two), "xroce: post");
		done(xroce_sq_apply(own.sq), "xroce: apply");
		own_completion();
		done(xroce_post_local_inv(own.sq, 0, own.qpn, own.two.rkey,
					  XROCE_SQ_SIGNALED), "xroce: post");
		done(xroce_sq_apply(own.sq), "xroce: apply");
		own_completion();
	}
	own.two.flags = 0;
}

static void own_one_alone(uint32_t n)
{
	for (own.one.flags = XROCE_SQ_SIGNALED; n; n--) {
		done(xroce_bind_mw(own.sq, &own.one), "xroce: post");
		done(xroce_sq_apply(own.sq), "xroce: apply");
		own_completion();
	}
	own.one.flags = 0;
}

static void own_register(uint32_t n)
{
	struct xroce_mr_reg r;

	while (n--) {
		r = region();
		done(xroce_mr_reg(own.x, &r), "xroce: register");
		done(xroce_mr_dereg(own.x, r.mr), "xroce: deregister");
	}
}

/* To the same memory and other rights, so that it is pinned anew. */
static void own_reregister(uint32_t n)
{
	static struct xroce_mr_reg r;
	struct xroce_mr_rereg c;

	if (!r.mr) {
		r = region();
		done(xroce_mr_reg(own.x, &r), "xroce: register");
	}
	while (n--) {
		c = (struct xroce_mr_rereg){
			.mr = r.mr,
			.mask = XROCE_REREG_TRANSLATION | XROCE_REREG_ACCESS,
			.access = REGION & ~(n & 1 ? RIGHTS : 0),
			.addr = r.addr,
			.length = r.length,
			.iova = r.iova,
		};
		done(xroce_mr_rereg(own.x, &c), "xroce: re-register");
	}
}

/* Other rights alone: the memory stays pinned as it is. */
static void own_rights(uint32_t n)
{
	static struct xroce_mr_reg r;
	struct xroce_mr_rereg c;

	if (!r.mr) {
		r = region();
		done(xroce_mr_reg(own.x, &r), "xroce: register");
	}
	while (n--) {
		c = (struct xroce_mr_rereg){
			.mr = r.mr,
			.mask = XROCE_REREG_ACCESS,
			.access = REGION & ~(n & 1 ? RIGHTS : 0),
		};
		done(xroce_mr_rereg(own.x, &c), "xroce: rights");
	}
}

static void rxe_post(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->send_flags = IBV_SEND_SIGNALED;
	if (done(ibv_post_send(rxe.qp, wr, &bad), "rxe: post"))
		rxe_completion();
}

static void rxe_two(uint32_t n)
{
	struct ibv_send_wr wr;

	for (; n; n -= 2) {
		rxe.rkey = ibv_inc_rkey(rxe.rkey);
		wr = (struct ibv_send_wr){
			.wr_id = 1,
			.opcode = IBV_WR_BIND_MW,
			.bind_mw = { rxe.two, rxe.rkey,
				     { rxe.mr, (uintptr_t)memory, LENGTH,
				       RIGHTS } },
		};
		rxe_post(&wr);
		/* The next bind names the window by the key that it has. */
		rxe.two->rkey = rxe.rkey;
		wr = (struct ibv_send_wr){
			.wr_id = 2,
			.opcode = IBV_WR_LOCAL_INV,
			.invalidate_rkey = rxe.rkey,
		};
		rxe_post(&wr);
	}
}

static void rxe_one(uint32_t n)
{
	struct ibv_mw_bind b = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { rxe.mr, (uintptr_t)memory, LENGTH, RIGHTS },
	};

	while (n--)
		if (done(ibv_bind_mw(rxe.qp, rxe.one, &b), "rxe: bind"))
			rxe_completion();
}

static void rxe_register(uint32_t n)
{
	struct ibv_mr *mr;

	while (n--) {
		mr = rxe_region();
		if (!done(mr ? 0 : errno, "rxe: register"))
			return;
		done(ibv_dereg_mr(mr), "rxe: deregister");
	}
}

/**
 * struct row - what is measured
 * @name: for people and in JSON
 * @own: do it @n times
 * @rxe: likewise; NULL: there is none
 * @n: how often
 */
static const struct row {
	const char *name;
	void (*own)(uint32_t n);
	void (*rxe)(uint32_t n);
	uint32_t n;
} rows[] = {
	{ "bind type 1, posted", own_one_posted, NULL, BATCH },
	{ "bind/invalidate type 2, posted", own_two_posted, NULL, BATCH },
	{ "bind type 1, alone", own_one_alone, rxe_one, BATCH },
	{ "bind/invalidate type 2, alone", own_two_alone, rxe_two, BATCH },
	{ "register and deregister 1 MiB", own_register, rxe_register, 4 },
	{ "re-register 1 MiB, memory", own_reregister, NULL, 4 },
	{ "re-register 1 MiB, rights only", own_rights, NULL, 4 },
};

static int compare(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

static double cost(void (*fn)(uint32_t n), uint32_t n)
{
	double v[ROUNDS], start;
	int i;

	fn(n);
	for (i = 0; i < ROUNDS; i++) {
		start = now();
		fn(n);
		v[i] = (now() - start) / n;
	}
	qsort(v, ROUNDS, sizeof(v[0]), compare);
	return v[ROUNDS / 2];
}

static void measure(json_object *all)
{
	json_object *o;
	double c;
	size_t i;

	printf("%-32s %10s %10s\n", "instructions", "xroce", "rxe");
	for (i = 0; i < ARRAY_SIZE(rows) && !failed; i++) {
		o = json_object_new_object();
		json_object_object_add(o, "what",
				       json_object_new_string(rows[i].name));
		c = cost(rows[i].own, rows[i].n);
		json_object_object_add(o, "xroce", json_object_new_int64(c));
		printf("%-32s %10.0f", rows[i].name, c);
		if (rows[i].rxe) {
			c = cost(rows[i].rxe, rows[i].n);
			json_object_object_add(o, "rxe",
					       json_object_new_int64(c));
			printf(" %10.0f\n", c);
		} else {
			printf(" %10s\n", "-");
		}
		fflush(stdout);
		json_object_array_add(all, o);
	}
}

int main(int argc, char **argv)
{
	json_object *all = json_object_new_array();
	const char *out = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "o:")) != -1) {
		if (opt != 'o')
			return 2;
		out = optarg;
	}
	memory = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	/* Small pages, all there beforehand. */
	madvise(memory, LENGTH, MADV_NOHUGEPAGE);
	memset(memory, 1, LENGTH);
	if (!own_open())
		return 1;
	if (rxe_open())
		measure(all);
	else
		failed = true;
	if (out && !failed &&
	    json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY)) {
		fprintf(stderr, "bench: %s: cannot be written\n", out);
		failed = true;
	}
	json_object_put(all);
	own_close();
	return failed;
}
