// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <net/if.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "abi.h"
#include "live_qp.h"
#include "mem.h"

static char memory[PAGE] __attribute__((aligned(4096)));

void must(int fd, unsigned long nr, void *arg)
{
	check_is(live_ioctl(fd, nr, arg), 0, "prerequisite command %#lx", nr);
}

static __u32 spare_link(int fd)
{
	struct xroce_link_add add = {
		.size = sizeof(add),
		.ifindex = if_nametoindex(LIVE_SPARE),
	};

	must(fd, XROCE_CMD_LINK_ADD, &add);
	return add.link;
}

static void fill_link_add(int fd, union arg *a)
{
	(void)fd;
	a->cmd.link_add.ifindex = if_nametoindex(LIVE_SPARE);
}

static void fill_link_maps(int fd, union arg *a)
{
	a->cmd.link_maps.link = spare_link(fd);
	a->cmd.link_maps.mpt_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "mpt", 4,
					     sizeof(struct xroce_mpt), 16,
					     NULL);
	a->cmd.link_maps.qp_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "qp", 4,
					    sizeof(struct xroce_qp), 16, NULL);
	a->cmd.link_maps.mr_stat_fd = -1;
	a->cmd.link_maps.prog_fd = -1;
}

void close_maps(union arg *a)
{
	close(a->cmd.link_maps.mpt_fd);
	close(a->cmd.link_maps.qp_fd);
}

static void fill_link_del(int fd, union arg *a)
{
	union arg maps = { .size = sizeof(maps.cmd.link_maps) };

	fill_link_maps(fd, &maps);
	must(fd, XROCE_CMD_LINK_MAPS, &maps);
	close_maps(&maps);
	a->cmd.link_del.link = maps.cmd.link_maps.link;
}

static void fill_link_prog(int fd, union arg *a)
{
	static int prog = -1;

	if (prog < 0)
		prog = live_program(BPF_PROG_TYPE_XDP, BPF_XDP);
	fill_link_del(fd, a);
	a->cmd.link_prog.prog_fd = prog;
}

/* XROCE_LIMIT_NONE: other tests must not run into a limit. */
static void fill_limit_set(int fd, union arg *a)
{
	struct xroce_link_query q;

	(void)fd;
	check(!xroce_link_find(LIVE_DEV, &q), "a link");
	a->cmd.limit_set.link = q.link;
	a->cmd.limit_set.mask = 1u << XROCE_COUNT_PD;
	a->cmd.limit_set.limit[XROCE_COUNT_PD] = XROCE_LIMIT_NONE;
}

static void fill_limit_query(int fd, union arg *a)
{
	struct xroce_link_query q;

	(void)fd;
	check(!xroce_link_find(LIVE_DEV, &q), "a link");
	a->cmd.limit_query.link = q.link;
	a->flags = XROCE_F_USER;
}

static void fill_link_cc(int fd, union arg *a)
{
	struct xroce_link_query q;

	(void)fd;
	check(!xroce_link_find(LIVE_DEV, &q), "a link");
	a->cmd.link_cc.link = q.link;
}

static void fill_link_query(int fd, union arg *a)
{
	(void)fd;
	a->flags = XROCE_F_NEXT;
}

static void fill_link_use(int fd, union arg *a)
{
	(void)fd;
	a->cmd.link_use.ifindex = if_nametoindex(LIVE_DEV);
}

static __u32 some_pd(int fd)
{
	struct xroce_pd_add pd = { .size = sizeof(pd) };

	must(fd, XROCE_CMD_PD_ADD, &pd);
	return pd.pd;
}

static void fill_nothing(int fd, union arg *a)
{
	(void)fd;
	(void)a;
}

static void fill_pd(int fd, union arg *a)
{
	a->cmd.pd_del.pd = some_pd(fd);
}

static void fill_mr_reg(int fd, union arg *a)
{
	a->cmd.mr_reg.pd = some_pd(fd);
	a->cmd.mr_reg.access = XROCE_ACCESS_LOCAL_WRITE;
	a->cmd.mr_reg.addr = (uintptr_t)memory;
	a->cmd.mr_reg.length = sizeof(memory);
}

static void fill_mr(int fd, union arg *a)
{
	union arg reg = { .size = sizeof(reg.cmd.mr_reg) };

	fill_mr_reg(fd, &reg);
	must(fd, XROCE_CMD_MR_REG, &reg);
	a->cmd.mr_dereg.mr = reg.cmd.mr_reg.mr;
}

static void fill_mr_reg_phys(int fd, union arg *a)
{
	static __u64 page;

	*memory = 1;
	page = mem_pfn(memory) * PAGE;
	a->cmd.mr_reg_phys.pd = some_pd(fd);
	a->cmd.mr_reg_phys.pages = (uintptr_t)&page;
	a->cmd.mr_reg_phys.npages = 1;
	a->cmd.mr_reg_phys.page_shift = MEM_PAGE_SHIFT;
	a->cmd.mr_reg_phys.length = 1;
}

static void fill_mr_reg_shared(int fd, union arg *a)
{
	fill_mr(fd, a);
	a->cmd.mr_reg_shared.from = a->cmd.mr_dereg.mr;
	a->cmd.mr_reg_shared.pd = some_pd(fd);
}

static void fill_mr_advise(int fd, union arg *a)
{
	union arg reg = { .size = sizeof(reg.cmd.mr_reg) };

	fill_mr_reg(fd, &reg);
	reg.cmd.mr_reg.access |= XROCE_ACCESS_ON_DEMAND;
	must(fd, XROCE_CMD_MR_REG, &reg);
	a->cmd.mr_advise.mr = reg.cmd.mr_reg.mr;
	a->cmd.mr_advise.iova = reg.cmd.mr_reg.iova;
	a->cmd.mr_advise.length = 1;
}

static void fill_mr_rereg(int fd, union arg *a)
{
	fill_mr(fd, a);
	a->cmd.mr_rereg.mask = XROCE_REREG_TRANSLATION | XROCE_REREG_ACCESS;
	a->cmd.mr_rereg.addr = (uintptr_t)memory;
	a->cmd.mr_rereg.length = 1;
}

static void fill_mtt_read(int fd, union arg *a)
{
	static __u64 entry;

	fill_mr(fd, a);
	a->cmd.mtt_read.mr = a->cmd.mr_dereg.mr;
	a->cmd.mtt_read.count = 1;
	a->cmd.mtt_read.to = (uintptr_t)&entry;
}

static void fill_qp_add(int fd, union arg *a)
{
	a->cmd.qp_add.pd = some_pd(fd);
	a->cmd.qp_add.type = XROCE_QPT_RC;
}

static void fill_qp(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.cmd.qp_add) };

	fill_qp_add(fd, &add);
	must(fd, XROCE_CMD_QP_ADD, &add);
	a->cmd.qp_del.qpn = add.cmd.qp_add.qpn;
}

static void fill_qp_modify(int fd, union arg *a)
{
	fill_qp(fd, a);
	a->cmd.qp_modify.mask = XROCE_QP_STATE | XROCE_QP_ACCESS | XROCE_QP_PKEY;
	a->cmd.qp_modify.state = XROCE_QPS_INIT;
	a->cmd.qp_modify.pkey = 0xffff;
}

/* @more: attributes of the change to RTS */
static void to_rts(int fd, __u32 qpn, __u32 more)
{
	struct xroce_qp_modify m;
	__u32 to;

	for (to = XROCE_QPS_INIT; to <= XROCE_QPS_RTS; to++) {
		m = qp_change(qpn, to, qp_attrs(XROCE_QPT_RC, to));
		m.size = sizeof(m);
		m.mask |= to == XROCE_QPS_RTS ? more : 0;
		must(fd, XROCE_CMD_QP_MODIFY, &m);
	}
}

static void fill_cq_add(int fd, union arg *a)
{
	(void)fd;
	a->cmd.cq_add.entries = XROCE_CQ_MIN;
}

static void fill_cq(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.cmd.cq_add) };

	fill_cq_add(fd, &add);
	must(fd, XROCE_CMD_CQ_ADD, &add);
	a->cmd.cq_del.cq = add.cmd.cq_add.cq;
}

/* A queue pair with a send queue, which is empty. */
static void fill_qp_send(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.cmd.qp_add) };
	union arg cq = { .size = sizeof(cq.cmd.cq_add) };

	fill_cq_add(fd, &cq);
	must(fd, XROCE_CMD_CQ_ADD, &cq);
	fill_qp_add(fd, &add);
	add.cmd.qp_add.send_cq = cq.cmd.cq_add.cq;
	add.cmd.qp_add.send_entries = XROCE_SEND_MIN;
	must(fd, XROCE_CMD_QP_ADD, &add);
	to_rts(fd, add.cmd.qp_add.qpn, RTS_SEND_ATTRS);
	a->cmd.qp_send.qpn = add.cmd.qp_add.qpn;
}

static void fill_qp_cc(int fd, union arg *a)
{
	union arg send = {};

	fill_qp_send(fd, &send);
	a->cmd.qp_cc.qpn = send.cmd.qp_send.qpn;
	strcpy(a->cmd.qp_cc.name, "delay");
}

static void fill_srq_add(int fd, union arg *a)
{
	fill_qp_add(fd, a);
	a->cmd.srq_add.pd = a->cmd.qp_add.pd;
	a->cmd.srq_add.entries = 4;
	a->cmd.srq_add.max_sge = 2;
}

static void fill_srq(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.cmd.srq_add) };

	fill_srq_add(fd, &add);
	must(fd, XROCE_CMD_SRQ_ADD, &add);
	a->cmd.srq_del.srq = add.cmd.srq_add.srq;
}

static void fill_mw_add(int fd, union arg *a)
{
	a->cmd.mw_add.pd = some_pd(fd);
	a->cmd.mw_add.type = XROCE_MW_TYPE_2B;
}

/* The handle is at the same offset in MW_BIND, MW_DEL and MW_QUERY. */
static void fill_mw(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.cmd.mw_add) };

	fill_mw_add(fd, &add);
	must(fd, XROCE_CMD_MW_ADD, &add);
	a->cmd.mw_bind.mw = add.cmd.mw_add.mw;
}

/* A queue pair in RTS, a region, and a window of type 2B. */
static void fill_mw_bind(int fd, union arg *a)
{
	union arg mw = { .size = sizeof(mw.cmd.mw_add) };
	union arg mr = { .size = sizeof(mr.cmd.mr_reg) };
	union arg qp = { .size = sizeof(qp.cmd.qp_add) };

	fill_mw_add(fd, &mw);
	must(fd, XROCE_CMD_MW_ADD, &mw);
	fill_mr_reg(fd, &mr);
	mr.cmd.mr_reg.pd = mw.cmd.mw_add.pd;
	mr.cmd.mr_reg.access |= XROCE_ACCESS_MW_BIND;
	must(fd, XROCE_CMD_MR_REG, &mr);
	qp.cmd.qp_add.pd = mw.cmd.mw_add.pd;
	qp.cmd.qp_add.type = XROCE_QPT_RC;
	must(fd, XROCE_CMD_QP_ADD, &qp);
	to_rts(fd, qp.cmd.qp_add.qpn, 0);
	a->cmd.mw_bind.mw = mw.cmd.mw_add.mw;
	a->cmd.mw_bind.rkey = mw.cmd.mw_add.rkey;
	a->cmd.mw_bind.qpn = qp.cmd.qp_add.qpn;
	a->cmd.mw_bind.lkey = mr.cmd.mr_reg.lkey;
	a->cmd.mw_bind.length = sizeof(memory);
	a->cmd.mw_bind.access = XROCE_ACCESS_REMOTE_READ;
}

static void fill_mw_inval(int fd, union arg *a)
{
	union arg bind = { .size = sizeof(bind.cmd.mw_bind) };

	fill_mw_bind(fd, &bind);
	must(fd, XROCE_CMD_MW_BIND, &bind);
	a->cmd.mw_inval.rkey = bind.cmd.mw_bind.rkey;
	a->cmd.mw_inval.qpn = bind.cmd.mw_bind.qpn;
}

const struct command commands[] = {
	{ "LINK_ADD", XROCE_CMD_LINK_ADD, 16, 0, {}, true, fill_link_add },
	{ "LINK_MAPS", XROCE_CMD_LINK_MAPS, 40, 0, {}, true, fill_link_maps },
	{ "LINK_DEL", XROCE_CMD_LINK_DEL, 16, XROCE_F_FORCE, { 12 }, true,
	  fill_link_del },
	{ "LINK_QUERY", XROCE_CMD_LINK_QUERY, 160, XROCE_F_NEXT, {}, true,
	  fill_link_query, .first = 64 },
	{ "LINK_USE", XROCE_CMD_LINK_USE, 16, 0, {}, true, fill_link_use },
	{ "LINK_PROG", XROCE_CMD_LINK_PROG, 16, 0, {}, true, fill_link_prog },
	{ "LINK_CC", XROCE_CMD_LINK_CC, 32, 0, { 12 }, true, fill_link_cc },
	{ "LINK_MODERATE", XROCE_CMD_LINK_MODERATE, 24, 0, { 20 }, true, fill_link_cc },
	{ "PD_ADD", XROCE_CMD_PD_ADD, 16, XROCE_F_PERSISTENT, { 12 }, false,
	  fill_nothing },
	{ "PD_DEL", XROCE_CMD_PD_DEL, 16, 0, { 12 }, false, fill_pd },
	{ "PD_QUERY", XROCE_CMD_PD_QUERY, 32, XROCE_F_NEXT, {}, false,
	  fill_pd },
	{ "MR_REG", XROCE_CMD_MR_REG, 96, XROCE_F_PERSISTENT | XROCE_F_PID,
	  { 88, 92 }, false, fill_mr_reg },
	{ "MR_DEREG", XROCE_CMD_MR_DEREG, 16, 0, { 12 }, false, fill_mr },
	{ "MR_QUERY", XROCE_CMD_MR_QUERY, 304, XROCE_F_NEXT, {}, false,
	  fill_mr, .first = 176 },
	{ "MR_REG_PHYS", XROCE_CMD_MR_REG_PHYS, 104, XROCE_F_PERSISTENT,
	  { 68 }, false, fill_mr_reg_phys },
	{ "MR_REG_SHARED", XROCE_CMD_MR_REG_SHARED, 80, XROCE_F_PERSISTENT, {},
	  false, fill_mr_reg_shared },
	{ "MR_REREG", XROCE_CMD_MR_REREG, 88, XROCE_F_PID | XROCE_F_PHYS,
	  { 84 }, false, fill_mr_rereg },
	{ "MR_ADVISE", XROCE_CMD_MR_ADVISE, 40, 0, {}, false,
	  fill_mr_advise },
	{ "MTT_QUERY", XROCE_CMD_MTT_QUERY, 136, 0, {}, true, fill_nothing },
	{ "MTT_READ", XROCE_CMD_MTT_READ, 32, 0, {}, false, fill_mtt_read },
	{ "QP_ADD", XROCE_CMD_QP_ADD, 96, XROCE_F_PERSISTENT, { 20, 92 }, false,
	  fill_qp_add, .first = 64 },
	{ "QP_MODIFY", XROCE_CMD_QP_MODIFY, 112, 0, { 52, 108 }, false,
	  fill_qp_modify, .first = 96 },
	{ "QP_SEND", XROCE_CMD_QP_SEND, 16, 0, { 12 }, false, fill_qp_send },
	{ "QP_CC", XROCE_CMD_QP_CC, 32, 0, { 12 }, false, fill_qp_cc },
	{ "QP_DEL", XROCE_CMD_QP_DEL, 16, 0, { 12 }, false, fill_qp },
	{ "QP_QUERY", XROCE_CMD_QP_QUERY, 512, XROCE_F_NEXT, { 100, 428, 484 }, false,
	  fill_qp, .first = 304 },
	{ "CQ_ADD", XROCE_CMD_CQ_ADD, 32, 0, {}, false, fill_cq_add },
	{ "CQ_DEL", XROCE_CMD_CQ_DEL, 16, 0, { 12 }, false, fill_cq },
	{ "CQ_MODERATE", XROCE_CMD_CQ_MODERATE, 24, 0, { 20 }, false, fill_cq },
	{ "SRQ_ADD", XROCE_CMD_SRQ_ADD, 40, 0, {}, false, fill_srq_add },
	{ "SRQ_MODIFY", XROCE_CMD_SRQ_MODIFY, 16, 0, {}, false, fill_srq },
	{ "SRQ_DEL", XROCE_CMD_SRQ_DEL, 16, 0, { 12 }, false, fill_srq },
	{ "SRQ_QUERY", XROCE_CMD_SRQ_QUERY, 32, 0, {}, false, fill_srq },
	{ "MW_ADD", XROCE_CMD_MW_ADD, 32, XROCE_F_PERSISTENT, { 24, 28 }, false,
	  fill_mw_add },
	{ "MW_DEL", XROCE_CMD_MW_DEL, 16, 0, { 12 }, false, fill_mw },
	{ "MW_QUERY", XROCE_CMD_MW_QUERY, 64, XROCE_F_NEXT, { 60 }, false,
	  fill_mw },
	{ "MW_BIND", XROCE_CMD_MW_BIND, 48, 0, { 44 }, false, fill_mw_bind },
	{ "MW_INVAL", XROCE_CMD_MW_INVAL, 16, 0, {}, false, fill_mw_inval },
	{ "LIMIT_SET", XROCE_CMD_LIMIT_SET, 80, XROCE_F_USER, { 72 }, true,
	  fill_limit_set },
	{ "LIMIT_QUERY", XROCE_CMD_LIMIT_QUERY, 416,
	  XROCE_F_USER | XROCE_F_NEXT, {}, true, fill_limit_query, .first = 160 },
	{ "CC_QUERY", XROCE_CMD_CC_QUERY, 56, XROCE_F_NEXT, {}, true, fill_nothing },
};

const size_t commands_count = ARRAY_SIZE(commands);
