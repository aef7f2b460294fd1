// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation of each command fails once (alloc_case.h); so does each allocation of
 * open(2), close(2) and mmap(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "alloc_case.h"
#include "inventory.h"
#include "live_qp.h"
#include "mem.h"

static struct inventory was, is;

/* Each command, with the arguments of abi.c. */
TEST(fault_commands, "R5 R7 P1 W1 T3", "each allocation of each command")
{
	struct alloc_case d;
	size_t i;

	for (i = 0; i < commands_count && !test_failed(); i++) {
		d = (struct alloc_case){
			.name = commands[i].name,
			.nr = commands[i].nr,
			.fill = commands[i].fill,
		};
		alloc_cases_run(&d, 1);
	}
}

/* With completion queues, a receive queue and a send queue. */
static void qp_with_queues(int fd, union arg *a)
{
	struct xroce_cq_add cq = { .size = sizeof(cq), .entries = XROCE_CQ_MIN };

	must(fd, XROCE_CMD_CQ_ADD, &cq);
	a->cmd.qp_add.pd = alloc_case_pd(fd);
	a->cmd.qp_add.type = XROCE_QPT_RC;
	a->cmd.qp_add.recv_cq = cq.cq;
	a->cmd.qp_add.send_cq = cq.cq;
	a->cmd.qp_add.rq_entries = 16;
	a->cmd.qp_add.rq_max_sge = 2;
	a->cmd.qp_add.send_entries = 16;
}

static void qp_with_srq(int fd, union arg *a)
{
	struct xroce_srq_add srq = {
		.size = sizeof(srq), .entries = 16, .max_sge = 1,
	};

	qp_with_queues(fd, a);
	srq.pd = a->cmd.qp_add.pd;
	must(fd, XROCE_CMD_SRQ_ADD, &srq);
	a->cmd.qp_add.srq = srq.srq;
	a->cmd.qp_add.rq_entries = 0;
	a->cmd.qp_add.rq_max_sge = 0;
}

/* Make a queue pair in state @from, and fill in its transition to @to. */
static void move(int fd, union arg *a, __u32 from, __u32 to)
{
	union arg add = { .size = sizeof(add.cmd.qp_add) };
	struct xroce_qp_modify m;
	__u32 state;

	qp_with_queues(fd, &add);
	must(fd, XROCE_CMD_QP_ADD, &add);
	for (state = XROCE_QPS_INIT; state <= from; state++) {
		m = qp_change(add.cmd.qp_add.qpn, state, qp_attrs(XROCE_QPT_RC, state));
		m.size = sizeof(m);
		must(fd, XROCE_CMD_QP_MODIFY, &m);
	}
	a->cmd.qp_modify = qp_change(add.cmd.qp_add.qpn, to, qp_attrs(XROCE_QPT_RC, to));
}

static void to_rtr(int fd, union arg *a)
{
	move(fd, a, XROCE_QPS_INIT, XROCE_QPS_RTR);
}

static void to_rts(int fd, union arg *a)
{
	move(fd, a, XROCE_QPS_RTR, XROCE_QPS_RTS);
}

static void to_err(int fd, union arg *a)
{
	move(fd, a, XROCE_QPS_RTS, XROCE_QPS_ERR);
}

static void to_reset(int fd, union arg *a)
{
	move(fd, a, XROCE_QPS_RTS, XROCE_QPS_RESET);
}

TEST(fault_queue_pairs, "D2 R10", "queue pairs with queues, and their transitions")
{
	static const struct alloc_case cases[] = {
		{ "QP_ADD, with queues", XROCE_CMD_QP_ADD, qp_with_queues },
		{ "QP_ADD, with a shared queue", XROCE_CMD_QP_ADD, qp_with_srq },
		/* The destination is entered in the table of peers. */
		{ "QP_MODIFY, to RTR", XROCE_CMD_QP_MODIFY, to_rtr, .claims = true },
		{ "QP_MODIFY, to RTS", XROCE_CMD_QP_MODIFY, to_rts },
		{ "QP_MODIFY, to ERR", XROCE_CMD_QP_MODIFY, to_err },
		{ "QP_MODIFY, to RESET", XROCE_CMD_QP_MODIFY, to_reset },
	};

	alloc_cases_run(cases, ARRAY_SIZE(cases));
}

/* Return: a file with objects of several kinds. */
static int populated(void)
{
	struct xroce_mr_reg reg = {
		.size = sizeof(reg),
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)ALLOC_CASE_FAR,
		.length = ALLOC_CASE_PAGES * MEM_PAGE,
	};
	int fd = alloc_case_open();
	union arg a = {};

	alloc_case_use_link(fd);
	qp_with_srq(fd, &a);
	a.size = sizeof(struct xroce_qp_add);
	must(fd, XROCE_CMD_QP_ADD, &a);
	alloc_case_memory();
	reg.pd = a.cmd.qp_add.pd;
	must(fd, XROCE_CMD_MR_REG, &reg);
	return fd;
}

/* open(2) either succeeds or fails with ENOMEM; close(2) always succeeds. */
TEST(fault_files, "R7 R8", "open(2) and close(2)")
{
	unsigned int nth, refused = 0;
	int bare = alloc_case_open(), fd, err;
	bool hit = true;

	inventory_take(bare, &was);
	for (nth = 1; nth <= ALLOC_CASE_MOST && hit; nth++) {
		fault_nth(nth);
		fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
		err = fd < 0 ? errno : 0;
		hit = fault_nth_end();
		check(!err || (hit && err == ENOMEM), "place %u: %s", nth, strerror(err));
		refused += !!err;
		if (fd >= 0)
			close(fd);
	}
	check(!hit && refused, "open: too many allocations, or it never fails");
	note("open: %u places, refused at %u", nth - 2, refused);
	for (nth = 1, hit = true; nth <= ALLOC_CASE_MOST && hit && !test_failed(); nth++) {
		fd = populated();
		fault_nth(nth);
		close(fd);
		hit = fault_nth_end();
		alloc_case_clean();
		inventory_take(bare, &is);
		inventory_same(&was, &is, "close");
	}
	check(!hit, "close: too many allocations");
	note("close: %u places", nth - 2);
	close(bare);
}

TEST(fault_mapping, "U3", "mmap(2) of a ring")
{
	struct xroce_cq_add cq = { .size = sizeof(cq), .entries = XROCE_CQ_MIN };
	unsigned int nth, refused = 0;
	bool hit = true;
	int fd, err;
	void *at;

	fd = alloc_case_open();
	alloc_case_use_link(fd);
	must(fd, XROCE_CMD_CQ_ADD, &cq);
	for (nth = 1; nth <= ALLOC_CASE_MOST && hit && !test_failed(); nth++) {
		inventory_take(fd, &was);
		fault_nth(nth);
		at = mmap(ALLOC_CASE_FAR, cq.bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED_NOREPLACE, fd, cq.offset);
		err = at == MAP_FAILED ? errno : 0;
		hit = fault_nth_end();
		check(!err || (hit && err == ENOMEM), "place %u: %s", nth, strerror(err));
		refused += !!err;
		if (err)
			at = mmap(ALLOC_CASE_FAR, cq.bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_FIXED_NOREPLACE, fd, cq.offset);
		check(at == ALLOC_CASE_FAR && !munmap(at, cq.bytes),
		      "place %u, repeated: %s", nth, strerror(errno));
		inventory_take(fd, &is);
		inventory_same(&was, &is, "mmap");
	}
	check(!hit && refused, "mmap: too many allocations, or it never fails");
	note("mmap: %u places, refused at %u", nth - 2, refused);
	close(fd);
}

TEST(fault_tables, "R9", "no slot in a table is lost")
{
	struct xroce_mw_add mw = { .size = sizeof(mw), .type = XROCE_MW_TYPE_1 };
	struct xroce_qp_add qp = { .size = sizeof(qp), .type = XROCE_QPT_RC };
	__u32 mws = 0, qps = 0;
	int fd = alloc_case_open(), ret;

	alloc_case_use_link(fd);
	mw.pd = qp.pd = alloc_case_pd(fd);
	while (!(ret = live_ioctl(fd, XROCE_CMD_MW_ADD, &mw)))
		mws++;
	check(ret == -ENOSPC && mws == LIVE_MPT_ENTRIES - 1, "%u windows, %d", mws, ret);
	while (!(ret = live_ioctl(fd, XROCE_CMD_QP_ADD, &qp)))
		qps++;
	check(ret == -ENOSPC && qps == LIVE_QP_ENTRIES, "%u queue pairs, %d", qps, ret);
	close(fd);
	live_check_idle(LIVE_DEV);
}

TEST_MAIN(fault_main);
