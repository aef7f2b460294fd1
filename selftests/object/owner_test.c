// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ownership of objects: who may make, see and change them.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi.h"
#include "live_qp.h"
#include "mw.h"

/* Commands that need CAP_NET_ADMIN, and those that do not. */
HANDLE_TEST(link_not_admin, "R10", "persistent objects need CAP_NET_ADMIN")
{
	struct xroce_mr_reg r = {
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)&r / 4096 * 4096,
		.length = 1,
	};
	__u32 pd, qpn;

	live_drop_cap(CAP_NET_ADMIN);
	check_is(xroce_pd_add(x, XROCE_F_PERSISTENT, &pd), -EPERM, "persistent PD");
	r.pd = live_pd(x);
	r.flags = XROCE_F_PERSISTENT;
	check_is(xroce_mr_reg(x, &r), -EPERM, "persistent region");
	check_is(xroce_qp_create_responder(x, XROCE_F_PERSISTENT, r.pd, &qpn), -EPERM, "persistent QP");
	r.flags = 0;
	check_is(xroce_mr_reg(x, &r), 0, "region");
	check_is(xroce_qp_create_responder(x, 0, r.pd, &qpn), 0, "QP");
	live_restore_caps();
}

/* A second file with CAP_NET_ADMIN sees the objects, but cannot change them. */
TEST(link_other_file, "R10", "only the owning file changes an object")
{
	struct xroce *x = live_open(), *y = live_open();
	struct xroce_qp_modify m = {
		.mask = XROCE_QP_STATE, .state = XROCE_QPS_ERR,
	};
	struct xroce_mr_reg r = {
		.addr = (uintptr_t)&r / 4096 * 4096,
		.length = 1,
	};
	struct xroce_mr_query mr;
	struct xroce_qp_query qp;
	int ret;

	if (!x || !y)
		return;
	r.pd = live_pd(x);
	check_is(xroce_mr_reg(x, &r) ? : xroce_qp_create_responder(x, 0, r.pd, &m.qpn), 0, "objects");

	mr = (struct xroce_mr_query){ .mr = r.mr };
	ret = xroce_mr_query(y, &mr);
	check(!ret && mr.lkey == r.lkey, "MR_QUERY: %d", ret);
	qp = (struct xroce_qp_query){ .qpn = m.qpn };
	ret = xroce_qp_query(y, &qp);
	check(!ret && qp.pd == r.pd, "QP_QUERY: %d", ret);
	check_is(xroce_mr_dereg(y, r.mr), -EPERM, "MR_DEREG");
	check_is(xroce_qp_modify(y, &m), -EPERM, "QP_MODIFY");
	check_is(xroce_qp_del(y, m.qpn), -EPERM, "QP_DEL");

	live_drop_cap(CAP_NET_ADMIN);
	mr = (struct xroce_mr_query){ .mr = r.mr };
	check_is(xroce_mr_query(y, &mr), -ENOENT, "MR_QUERY without CAP_NET_ADMIN");
	mr = (struct xroce_mr_query){ .flags = XROCE_F_NEXT };
	ret = xroce_mr_query(y, &mr);
	check(ret == -ENOENT, "and the list: %d, %#x", ret, mr.mr);
	qp = (struct xroce_qp_query){ .qpn = m.qpn };
	check_is(xroce_qp_query(y, &qp), -ENOENT, "QP_QUERY without CAP_NET_ADMIN");
	qp = (struct xroce_qp_query){ .flags = XROCE_F_NEXT };
	ret = xroce_qp_query(y, &qp);
	check(ret == -ENOENT, "and the list: %d, %#x", ret, qp.qpn);
	live_restore_caps();

	check_is(xroce_qp_modify(x, &m) ? : xroce_qp_del(x, m.qpn) ? : xroce_mr_dereg(x, r.mr), 0,
		 "the owner's commands");
	xroce_close(x);
	live_close(y);
}

/**
 * struct argument - a field of a command that names an object
 * @nr: the command
 * @at: offset of the field
 * @maker: a command whose field at @from names an object of that kind
 * @from: offset of that field
 * @kind: form of the name: see absent()
 * @more: sets up what the command needs to look at the field, or NULL
 */
struct argument {
	unsigned long nr;
	size_t at;
	unsigned long maker;
	size_t from;
	enum { NUMBER, HANDLE, QPN, KEY } kind;
	void (*more)(int fd, union arg *a);
};

static const struct command *command(unsigned long nr)
{
	const struct command *c = commands;

	while (c->nr != nr)
		c++;
	return c;
}

static void fill(int fd, unsigned long nr, union arg *a)
{
	const struct command *c = command(nr);

	memset(a, 0, sizeof(*a));
	c->fill(fd, a);
	a->size = c->size;
}

static void change_pd(int fd, union arg *a)
{
	(void)fd;
	a->cmd.mr_rereg.mask = XROCE_REREG_PD;
}

static void own_receives(int fd, union arg *a)
{
	(void)fd;
	a->cmd.qp_add.rq_entries = 16;
	a->cmd.qp_add.rq_max_sge = 1;
}

static void own_cq(int fd, union arg *a)
{
	union arg cq;

	fill(fd, XROCE_CMD_CQ_DEL, &cq);
	a->cmd.qp_add.recv_cq = cq.cmd.cq_del.cq;
}

static void own_sends(int fd, union arg *a)
{
	(void)fd;
	a->cmd.qp_add.send_entries = XROCE_SEND_MIN;
}

#define ARG(c, member, m, from, kind, more) \
	{ XROCE_CMD_##c, offsetof(union xroce_cmd, member), XROCE_CMD_##m, \
	  offsetof(union xroce_cmd, from), kind, more }

static const struct argument arguments[] = {
	ARG(PD_DEL, pd_del.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(PD_QUERY, pd_query.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(MR_REG, mr_reg.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(MR_REG_PHYS, mr_reg_phys.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(MR_REG_SHARED, mr_reg_shared.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(MR_REG_SHARED, mr_reg_shared.from, MR_DEREG, mr_dereg.mr, HANDLE, NULL),
	ARG(MR_DEREG, mr_dereg.mr, MR_DEREG, mr_dereg.mr, HANDLE, NULL),
	ARG(MR_QUERY, mr_query.mr, MR_DEREG, mr_dereg.mr, HANDLE, NULL),
	ARG(MR_REREG, mr_rereg.mr, MR_REREG, mr_rereg.mr, HANDLE, NULL),
	ARG(MR_REREG, mr_rereg.pd, PD_DEL, pd_del.pd, NUMBER, change_pd),
	ARG(MR_ADVISE, mr_advise.mr, MR_ADVISE, mr_advise.mr, HANDLE, NULL),
	ARG(MTT_READ, mtt_read.mr, MTT_READ, mtt_read.mr, HANDLE, NULL),
	ARG(QP_ADD, qp_add.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(QP_ADD, qp_add.recv_cq, CQ_DEL, cq_del.cq, NUMBER, own_receives),
	ARG(QP_ADD, qp_add.srq, SRQ_DEL, srq_del.srq, NUMBER, own_cq),
	ARG(QP_ADD, qp_add.send_cq, CQ_DEL, cq_del.cq, NUMBER, own_sends),
	ARG(QP_MODIFY, qp_modify.qpn, QP_MODIFY, qp_modify.qpn, QPN, NULL),
	ARG(QP_DEL, qp_del.qpn, QP_DEL, qp_del.qpn, QPN, NULL),
	ARG(QP_QUERY, qp_query.qpn, QP_QUERY, qp_query.qpn, QPN, NULL),
	ARG(CQ_DEL, cq_del.cq, CQ_DEL, cq_del.cq, NUMBER, NULL),
	ARG(CQ_MODERATE, cq_moderate.cq, CQ_MODERATE, cq_moderate.cq, NUMBER, NULL),
	ARG(SRQ_ADD, srq_add.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(SRQ_MODIFY, srq_modify.srq, SRQ_DEL, srq_del.srq, NUMBER, NULL),
	ARG(SRQ_DEL, srq_del.srq, SRQ_DEL, srq_del.srq, NUMBER, NULL),
	ARG(SRQ_QUERY, srq_query.srq, SRQ_DEL, srq_del.srq, NUMBER, NULL),
	ARG(MW_ADD, mw_add.pd, PD_DEL, pd_del.pd, NUMBER, NULL),
	ARG(MW_DEL, mw_bind.mw, MW_DEL, mw_bind.mw, HANDLE, NULL),
	ARG(MW_QUERY, mw_bind.mw, MW_QUERY, mw_bind.mw, HANDLE, NULL),
	ARG(MW_BIND, mw_bind.mw, MW_BIND, mw_bind.mw, HANDLE, NULL),
	ARG(MW_BIND, mw_bind.qpn, MW_BIND, mw_bind.qpn, QPN, NULL),
	ARG(MW_BIND, mw_bind.lkey, MW_BIND, mw_bind.lkey, KEY, NULL),
	ARG(MW_INVAL, mw_inval.rkey, MW_INVAL, mw_inval.rkey, KEY, NULL),
	ARG(MW_INVAL, mw_inval.qpn, MW_INVAL, mw_inval.qpn, QPN, NULL),
};

/* Return: an index that neither a region nor a window has. */
static __u32 free_index(struct xroce *x)
{
	struct xroce_mr_query mr;
	struct xroce_mw_query mw;
	__u32 i;

	for (i = 1; i < LIVE_MPT_ENTRIES; i++) {
		mr = (struct xroce_mr_query){ .mr = i };
		mw = (struct xroce_mw_query){ .mw = i };
		if (xroce_mr_query(x, &mr) && xroce_mw_query(x, &mw))
			return i;
	}
	check(false, "all indices are taken");
	return 0;
}

/* Return: a name of the same form as @there that names no object. */
static __u32 absent(struct xroce *x, const struct argument *g, __u32 there)
{
	switch (g->kind) {
	case NUMBER:
		return there + 100000;
	case HANDLE:
		return free_index(x);
	case QPN:
		return there ^ 0x400000;
	default:
		return free_index(x) << XROCE_KEY_SHIFT | 1;
	}
}

static int attempt(int fd, const struct argument *g, union arg a, __u32 word)
{
	memcpy(a.bytes + g->at, &word, sizeof(word));
	return live_ioctl(fd, g->nr, &a);
}

/* Another owner's object gets the same error as one that does not exist. */
TEST(owner_one_answer, "R10 P2", "every command: another owner's object looks like none")
{
	static union arg a, b;
	const struct argument *g;
	struct xroce *x, *y;
	__u32 there, none;
	int theirs, nobodys;

	for (g = arguments; g < arguments + ARRAY_SIZE(arguments); g++) {
		x = live_open();
		y = live_open();
		if (!x || !y)
			return;
		fill(xroce_fd(y), g->nr, &a);
		if (g->more)
			g->more(xroce_fd(y), &a);
		fill(xroce_fd(x), g->maker, &b);
		memcpy(&there, b.bytes + g->from, sizeof(there));
		none = absent(x, g, there);
		live_drop_cap(CAP_NET_ADMIN);
		theirs = attempt(xroce_fd(y), g, a, there);
		nobodys = attempt(xroce_fd(y), g, a, none);
		live_restore_caps();
		check(theirs == -ENOENT && nobodys == -ENOENT,
		      "%s, argument at %zu: another's %d, nobody's %d",
		      command(g->nr)->name, g->at, theirs, nobodys);
		xroce_close(x);
		live_close(y);
	}
}

/* A WRITE with another owner's key is refused for @cause, of which only root is told. */
static void hidden_cause(const struct wire *theirs, __u32 rkey, __u32 cause)
{
	const struct wire_opts beside = { .beside = true, .peer = 0x12 };
	struct xroce_qp_query q = {};
	struct packet got;
	struct wire w;
	int ret;

	if (!wire_open(&w, &beside))
		return;
	w.req.rkey = rkey;
	w.req.va = theirs->mr.iova;
	wire_send(&w);
	check(wire_take(&w, WIRE_MS, &got, NULL) && got.syndrome == XROCE_SYN_NAK_ACC,
	      "refused");
	q.qpn = w.qpn;
	ret = xroce_qp_query(w.x, &q);
	check(!ret && q.cause == cause, "%d, cause %u, not %u", ret, q.cause, cause);
	live_drop_cap(CAP_NET_ADMIN);
	ret = xroce_qp_query(w.x, &q);
	check(!ret && q.cause == XROCE_CAUSE_ACC_KEY, "%d, cause %u", ret, q.cause);
	live_restore_caps();
	wire_close(&w);
}

/* Nor does the cause of a refusal tell whether a key belongs to another owner. */
TEST(owner_one_cause, "R10 P2", "QP_QUERY: another owner's key looks like none")
{
	const struct wire_opts opts = { .beside = true, .sq = MW_SQ };
	struct wire theirs;
	__u32 type, key;

	if (!wire_open(&theirs, &opts))
		return;
	hidden_cause(&theirs, theirs.mr.rkey, XROCE_CAUSE_ACC_PD);
	for_each_mw_type(type) {
		key = mw_bound(&theirs, type);
		hidden_cause(&theirs, key, type == XROCE_MW_TYPE_2A ? XROCE_CAUSE_ACC_QP :
								      XROCE_CAUSE_ACC_PD);
		mw_del(&theirs, key);
	}
	wire_close(&theirs);
}

/*
 * A user without CAP_NET_ADMIN cannot allocate the last eighth of the keys, and cannot tell
 * them from keys of other users. With CAP_NET_ADMIN they can be allocated, for regions,
 * too.
 */
TEST(owner_reserve, "R10 P2", "one eighth of the keys is reserved, which hides other users' usage")
{
	struct xroce_mw_add add = { .type = XROCE_MW_TYPE_1 };
	struct xroce *x = live_open(), *y = live_open();
	struct xroce_mr_reg r = {
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)&r / 4096 * 4096,
		.length = 1,
	};
	struct xroce_limit_set set = {
		.flags = XROCE_F_USER, .mask = 1u << XROCE_COUNT_MW,
		.limit[XROCE_COUNT_MW] = LIVE_MPT_ENTRIES,
	};
	__u32 n = 0, spare = LIVE_MPT_ENTRIES / 8;
	int ret;

	if (!x || !y)
		return;
	/* Instead of the user's share. */
	set.link = xroce_link(x);
	check(!xroce_limit_set(&set), "LIMIT_SET");
	add.pd = live_pd(x);
	r.pd = live_pd(y);
	live_drop_cap(CAP_NET_ADMIN);
	while (!(ret = xroce_mw_add(x, &add)))
		n++;
	check(ret == -EDQUOT && n == LIVE_MPT_ENTRIES - 1 - spare,
	      "%u windows, then %d", n, ret);
	check_is(xroce_mr_reg(y, &r), -EDQUOT, "region");
	live_restore_caps();
	ret = xroce_mr_reg(y, &r);
	check(!ret, "region with CAP_NET_ADMIN: %d", ret);
	for (n = 1; !(ret = xroce_mw_add(x, &add)); n++)
		;
	check(ret == -ENOSPC && n == spare, "%u of the reserve, then %d", n, ret);
	set.limit[XROCE_COUNT_MW] = XROCE_LIMIT_NONE;
	check(!xroce_limit_set(&set), "LIMIT_SET");
	xroce_close(x);
	live_close(y);
}

TEST_MAIN(live_main);
