// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation of each operation that only xroce's own provider has, or executes in another way,
 * fails once (verbs_case.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "uapi/rdma/xroce-abi.h"

#include "fault.h"
#include "live.h"
#include "provider_poller.h"
#include "verbs_case.h"
#include "verbs_device.h"

#define AWAKE		XROCE_POLL_MAX	/* microseconds: a thread sleeps late */
#define SENDS		12u	/* more than a send queue has room for before it grows */

static struct own own;

/* --- Contexts, also with a thread that polls. */

static int open_device(void)
{
	return result(verbs_device_open("xr0"));
}

static bool no_thread(void *unused __attribute__((unused)))
{
	return !poller_of(getpid());
}

/* The thread ends later than the context. */
static void closed(void)
{
	check(live_wait(no_thread, NULL), "the thread is left");
}

static int close_device(void)
{
	return ibv_close_device(made.ctx);
}

static void undo_open(void)
{
	check(!close_device(), "close");
	closed();
}

/* The context that all tests have was opened without a thread. */
static void ask(void)
{
	closed();
	poller_ask(AWAKE);
}

static void make_open(void)
{
	ask();
	check(!open_device() && poller_of(getpid()), "a thread: %s", strerror(errno));
}

/* Of a context that another file is for: closing that does not close the first. */
static int import_device(void)
{
	int fd = fcntl(xr_end.ctx->cmd_fd, F_DUPFD_CLOEXEC, 0), err;

	if (fd < 0)
		return errno;
	err = result(ibv_import_device(fd));
	if (err)
		close(fd);
	return err;
}

static void undo_import(void)
{
	check(!close_device(), "close");
}

static int import_mr(void)
{
	return result(ibv_import_mr(xr_end.pd, own.mr->handle));
}

static void unimport_mr(void)
{
	ibv_unimport_mr(made.mr);
}

/* --- Queues. */

static int create_cq(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 100, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
	};

	return result(ibv_create_cq_ex(xr_end.ctx, &attr));
}

static int destroy_cq(void)
{
	return ibv_destroy_cq(ibv_cq_ex_to_cq(made.cq_ex));
}

static int modify_cq(void)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = { .cq_count = 4, .cq_period = 100 },
	};

	return ibv_modify_cq(own.cq, &attr);
}

static int create_srq(void)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 20, .max_sge = 2 }, .pd = xr_end.pd,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
	};

	return result(ibv_create_srq_ex(xr_end.ctx, &attr));
}

static int destroy_srq(void)
{
	return ibv_destroy_srq(made.srq);
}

static int create_qp(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type, .send_cq = own.cq, .recv_cq = own.cq, .pd = xr_end.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
		.cap = { .max_send_wr = 20, .max_recv_wr = 40, .max_send_sge = 1,
			 .max_recv_sge = 2, .max_inline_data = OWN_INLINE },
	};

	return result(ibv_create_qp_ex(xr_end.ctx, &attr));
}

static int create_rc(void)
{
	return create_qp(IBV_QPT_RC);
}

static int create_ud(void)
{
	return create_qp(IBV_QPT_UD);
}

static int destroy_qp(void)
{
	return ibv_destroy_qp(made.qp);
}

/* --- Regions. */

static void region(void)
{
	far_map();
	check(!result(ibv_reg_mr(xr_end.pd, own.memory, MEM_PAGE, OWN_RW)), "region");
}

static void region_on_demand(void)
{
	far_map();
	check(!result(ibv_reg_mr(xr_end.pd, FAR, FAR_PAGES * MEM_PAGE,
				 OWN_RW | IBV_ACCESS_ON_DEMAND)), "region");
}

static void region_gone(void)
{
	check(!ibv_dereg_mr(made.mr), "region");
	far_unmap();
}

static int alloc_null(void)
{
	return result(ibv_alloc_null_mr(xr_end.pd));
}

static int dereg(void)
{
	return ibv_dereg_mr(made.mr);
}

/* A failure leaves the region with its keys. */
static int rereg(int flags, struct ibv_pd *pd, int access)
{
	const struct ibv_mr was = *made.mr;
	int ret = ibv_rereg_mr(made.mr, flags, pd, FAR, FAR_PAGES * MEM_PAGE, access), err = errno;

	if (!ret)
		return 0;
	check_is(ret, IBV_REREG_MR_ERR_CMD);
	check(!memcmp(made.mr, &was, sizeof(was)), "the region has changed");
	return err;
}

static int rereg_memory(void)
{
	return rereg(IBV_REREG_MR_CHANGE_TRANSLATION, NULL, 0);
}

static int rereg_pd(void)
{
	return rereg(IBV_REREG_MR_CHANGE_PD, own.pd2, 0);
}

static int rereg_access(void)
{
	return rereg(IBV_REREG_MR_CHANGE_ACCESS, NULL, IBV_ACCESS_LOCAL_WRITE);
}

static int rereg_all(void)
{
	return rereg(IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD |
		     IBV_REREG_MR_CHANGE_ACCESS, own.pd2, OWN_RW | IBV_ACCESS_ON_DEMAND);
}

static int rereg_pinned(void)
{
	return rereg(IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS, NULL, OWN_RW);
}

static int advise(uint32_t flags)
{
	struct ibv_sge sge = { (uintptr_t)FAR, FAR_PAGES * MEM_PAGE, made.mr->lkey };

	return ibv_advise_mr(xr_end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, flags, &sge, 1);
}

static int advise_now(void)
{
	return advise(IBV_ADVISE_MR_FLAG_FLUSH);
}

static int advise_later(void)
{
	return advise(0);
}

/* --- The doorbell. */

/* A queue pair whose send queue has not grown yet, with the peer of @own. */
static void new_pair(void)
{
	check(!create_rc() && ends_connect(made.qp, own.peer), "connect");
}

static int post(void)
{
	struct ibv_sge sge = { (uintptr_t)own.memory, 8, own.mr->lkey };
	struct ibv_send_wr wr[SENDS], *bad;
	unsigned int i;

	for (i = 0; i < SENDS; i++) {
		wr[i] = own_wr(&own, IBV_WR_RDMA_WRITE, &sge);
		wr[i].next = i + 1 < SENDS ? &wr[i + 1] : NULL;
	}
	return ibv_post_send(made.qp, wr, &bad);
}

/* What has been posted is in the ring: only the doorbell is repeated. */
static int ring(void)
{
	return lseek(own.doorbell, made.qp->qp_num, XROCE_DOORBELL_SEND) ? errno : 0;
}

static void completed(unsigned int n)
{
	struct ibv_wc wc;

	while (n--)
		check_is(end_wait(own.cq, &wc), IBV_WC_SUCCESS, "completion");
}

static void all_sent(void)
{
	completed(SENDS);
	check(!destroy_qp(), "queue pair");
}

/* Whoever has armed the completion queue waits for the bind: it needs a doorbell. */
static void window(void)
{
	check(!result(ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_1)), "window");
	check(!ibv_req_notify_cq(own.cq, 0), "arm");
}

static int bind(void)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = own.mr, .addr = (uintptr_t)own.memory, .length = 64,
			       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};

	return ibv_bind_mw(own.qp, made.mw, &bind);
}

static int bind_rung(void)
{
	return lseek(own.doorbell, own.qp->qp_num, XROCE_DOORBELL_SEND) ? errno : 0;
}

static void unbound(void)
{
	completed(1);
	check(!ibv_dealloc_mw(made.mw), "window");
}

#define UNDO(call)	static void undo_##call(void) { check(!call(), #call); }
UNDO(destroy_cq)
UNDO(destroy_srq)
UNDO(destroy_qp)
UNDO(dereg)

#define MAKE(call)	static void make_##call(void) { check(!call(), #call); }
MAKE(create_cq)
MAKE(create_srq)
MAKE(create_rc)
MAKE(import_device)
MAKE(alloc_null)

static bool objects(void)
{
	if (!verbs_cases_open() || !own_open(&own, NULL, 0))
		return false;
	verbs_case_qp = own.qp;
	return true;
}

static void objects_gone(void)
{
	verbs_case_qp = NULL;
	own_close(&own);
	verbs_cases_close();
}

#define run_all(...) do {							\
	static const struct verbs_case cases[] = { __VA_ARGS__ };		\
										\
	if (objects()) {							\
		verbs_cases_run(cases, ARRAY_SIZE(cases));			\
		objects_gone();							\
	}									\
} while (0)

TEST(provider_fault_open, "V5 U3", "contexts with a thread that polls")
{
	if (!poller_exists())
		return;
	poller_allow(4, 4);
	run_all({ "open, with a thread", ask, open_device, undo_open, .any_error = true },
		{ "close, with a thread", make_open, close_device, closed });
	poller_ask(0);
	poller_allow(0, 1);
}

TEST(provider_fault_import, "V5 R9", "imported contexts and regions")
{
	run_all({ "import_device", NULL, import_device, undo_import, .any_error = true },
		{ "close, imported", make_import_device, close_device, NULL },
		{ "import_mr", NULL, import_mr, unimport_mr });
}

TEST(provider_fault_queues, "V5 R9", "queues by their extended verbs")
{
	run_all({ "create_cq_ex", NULL, create_cq, undo_destroy_cq },
		{ "modify_cq", NULL, modify_cq, NULL },
		{ "create_srq_ex", NULL, create_srq, undo_destroy_srq },
		{ "create_qp_ex, RC", NULL, create_rc, undo_destroy_qp },
		{ "create_qp_ex, UD", NULL, create_ud, undo_destroy_qp },
		{ "destroy_cq", make_create_cq, destroy_cq, NULL },
		{ "destroy_srq", make_create_srq, destroy_srq, NULL },
		{ "destroy_qp", make_create_rc, destroy_qp, NULL });
}

TEST(provider_fault_regions, "V5 R5 O5", "regions that change, and advice")
{
	run_all({ "rereg_mr, memory", region, rereg_memory, region_gone },
		{ "rereg_mr, domain", region, rereg_pd, region_gone },
		{ "rereg_mr, rights", region, rereg_access, region_gone },
		{ "rereg_mr, all", region, rereg_all, region_gone },
		{ "rereg_mr, from on demand", region_on_demand, rereg_pinned, region_gone },
		{ "advise_mr", region_on_demand, advise_now, region_gone },
		{ "advise_mr, without waiting", region_on_demand, advise_later, region_gone });
}

TEST(provider_fault_null, "V5 R9", "null regions")
{
	run_all({ "alloc_null_mr", NULL, alloc_null, undo_dereg },
		{ "dereg_mr, null", make_alloc_null, dereg, NULL });
}

TEST(provider_fault_doorbell, "V5 W10", "doorbells, of sends and of a bind that is waited for")
{
	run_all({ "post_send", new_pair, post, all_sent, .repeat = ring },
		{ "bind_mw", window, bind, unbound, .repeat = bind_rung });
}

TEST_MAIN(fault_harness_main);
