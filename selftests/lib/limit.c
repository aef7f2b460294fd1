// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "limit.h"
#include "live_mr.h"
#include "mem.h"

const char *const limit_names[XROCE_COUNTED] = {
	"PD", "MR", "MW", "QP", "CQ", "SRQ", "pinned", "deferred",
};

char *limit_memory;

__u32 limit_link(const char *dev)
{
	struct xroce_link_query q = {};

	check(!xroce_link_find(dev, &q), "%s has no link", dev);
	return q.link;
}

struct xroce_limit_query limit_used_by(__u32 flags, __u32 uid)
{
	struct xroce_limit_query q = {
		.flags = flags, .link = limit_link(LIVE_DEV), .uid = uid,
	};

	check_is(xroce_limit_query(&q), 0, "LIMIT_QUERY of %u", uid);
	return q;
}

__u64 limit_used(enum xroce_counted what)
{
	return limit_used_by(0, 0).used[what];
}

bool limit_same(const struct xroce_limit_query *a,
		const struct xroce_limit_query *b)
{
	return !memcmp(a->used, b->used, sizeof(a->used));
}

int limit_make(struct xroce *x, enum xroce_counted what, __u32 flags, __u32 pd,
	       __u32 *id)
{
	struct xroce_cq_add cq = { .size = sizeof(cq), .entries = XROCE_CQ_MIN };
	struct xroce_srq_add srq = {
		.size = sizeof(srq), .pd = pd, .entries = 4, .max_sge = 1,
	};
	struct xroce_mr_reg mr = mr_region(pd, limit_memory, MEM_PAGE);
	struct xroce_mw_add mw = {
		.flags = flags, .pd = pd, .type = XROCE_MW_TYPE_1,
	};
	int ret;

	switch (what) {
	case XROCE_COUNT_PD:
		return xroce_pd_add(x, flags, id);
	case XROCE_COUNT_QP:
		return xroce_qp_create_responder(x, flags, pd, id);
	case XROCE_COUNT_MW:
		ret = xroce_mw_add(x, &mw);
		*id = mw.mw;
		return ret;
	case XROCE_COUNT_CQ:
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_CQ_ADD, &cq);
		*id = cq.cq;
		return ret;
	case XROCE_COUNT_SRQ:
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_SRQ_ADD, &srq);
		*id = srq.srq;
		return ret;
	default:
		mr.flags = flags;
		ret = xroce_mr_reg(x, &mr);
		*id = mr.mr;
		return ret;
	}
}

int limit_drop(struct xroce *x, enum xroce_counted what, __u32 id)
{
	struct xroce_cq_del cq = { .size = sizeof(cq), .cq = id };
	struct xroce_srq_del srq = { .size = sizeof(srq), .srq = id };

	switch (what) {
	case XROCE_COUNT_PD:
		return xroce_pd_del(x, id);
	case XROCE_COUNT_QP:
		return xroce_qp_del(x, id);
	case XROCE_COUNT_MW:
		return xroce_mw_del(x, id);
	case XROCE_COUNT_CQ:
		return live_ioctl(xroce_fd(x), XROCE_CMD_CQ_DEL, &cq);
	case XROCE_COUNT_SRQ:
		return live_ioctl(xroce_fd(x), XROCE_CMD_SRQ_DEL, &srq);
	default:
		return xroce_mr_dereg(x, id);
	}
}

__u64 limit_size_of(enum xroce_counted what)
{
	return what == XROCE_COUNT_PINNED ? MEM_PAGE : 1;
}

void limit_expect(struct xroce *x, enum xroce_counted what, __u32 flags,
		  __u32 pd, int want, const char *who)
{
	int ret;
	__u32 id;

	ret = limit_make(x, what, flags, pd, &id);
	check(ret == want, "%s of %s: %d, not %d", limit_names[what], who, ret, want);
}
