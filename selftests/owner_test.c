// SPDX-License-Identifier: GPL-2.0-only
/* Whose a link's objects are: who may make them, see them and change them. */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>

#include "live.h"

/* What needs CAP_NET_ADMIN, beside what does not. */
static void not_admin(void)
{
	struct xroce *x = live_open();
	struct xroce_mr_reg r = {
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)&r / 4096 * 4096,
		.length = 1,
	};
	__u32 pd, qpn;
	int ret;

	if (!x)
		return;
	live_drop_cap(CAP_NET_ADMIN);
	ret = xroce_pd_add(x, XROCE_F_PERSISTENT, &pd);
	check(ret == -EPERM, "persistent PD: %d", ret);
	r.pd = live_pd(x);
	r.flags = XROCE_F_PERSISTENT;
	ret = xroce_mr_reg(x, &r);
	check(ret == -EPERM, "persistent region: %d", ret);
	ret = xroce_qp_add(x, XROCE_F_PERSISTENT, r.pd, &qpn);
	check(ret == -EPERM, "persistent QP: %d", ret);
	r.flags = 0;
	ret = xroce_mr_reg(x, &r);
	check(!ret, "region: %d", ret);
	ret = xroce_qp_add(x, 0, r.pd, &qpn);
	check(!ret, "QP: %d", ret);
	live_restore_caps();
	live_close(x);
}

/* A second file: it sees with CAP_NET_ADMIN, and changes nothing. */
static void of_another_file(void)
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
	ret = xroce_mr_reg(x, &r) ? : xroce_qp_add(x, 0, r.pd, &m.qpn);
	check(!ret, "objects: %d", ret);

	mr = (struct xroce_mr_query){ .mr = r.mr };
	ret = xroce_mr_query(y, &mr);
	check(!ret && mr.lkey == r.lkey, "MR_QUERY: %d", ret);
	qp = (struct xroce_qp_query){ .qpn = m.qpn };
	ret = xroce_qp_query(y, &qp);
	check(!ret && qp.pd == r.pd, "QP_QUERY: %d", ret);
	ret = xroce_mr_dereg(y, r.mr);
	check(ret == -EPERM, "MR_DEREG: %d", ret);
	ret = xroce_qp_modify(y, &m);
	check(ret == -EPERM, "QP_MODIFY: %d", ret);
	ret = xroce_qp_del(y, m.qpn);
	check(ret == -EPERM, "QP_DEL: %d", ret);

	live_drop_cap(CAP_NET_ADMIN);
	mr = (struct xroce_mr_query){ .mr = r.mr };
	ret = xroce_mr_query(y, &mr);
	check(ret == -ENOENT, "MR_QUERY without CAP_NET_ADMIN: %d", ret);
	mr = (struct xroce_mr_query){ .flags = XROCE_F_NEXT };
	ret = xroce_mr_query(y, &mr);
	check(ret == -ENOENT, "and the list: %d, %#x", ret, mr.mr);
	qp = (struct xroce_qp_query){ .qpn = m.qpn };
	ret = xroce_qp_query(y, &qp);
	check(ret == -ENOENT, "QP_QUERY without CAP_NET_ADMIN: %d", ret);
	qp = (struct xroce_qp_query){ .flags = XROCE_F_NEXT };
	ret = xroce_qp_query(y, &qp);
	check(ret == -ENOENT, "and the list: %d, %#x", ret, qp.qpn);
	live_restore_caps();

	ret = xroce_qp_modify(x, &m) ? : xroce_qp_del(x, m.qpn) ? :
	      xroce_mr_dereg(x, r.mr);
	check(!ret, "the owner's commands: %d", ret);
	xroce_close(x);
	live_close(y);
}

static const struct test tests[] = {
	{ "link_not_admin", "R10", "persistent objects need CAP_NET_ADMIN",
	  not_admin },
	{ "link_other_file", "R10", "objects are their descriptor's alone",
	  of_another_file },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
