// SPDX-License-Identifier: GPL-2.0-only
/* What the XDP program may call. Documented in xroce_kfunc.h. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>

#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "frame.h"
#include "icrc.h"
#include "link.h"
#include "main.h"
#include "mr.h"
#include "qp.h"

__bpf_kfunc_start_defs();

__bpf_kfunc int xroce_icrc_check(struct xdp_md *ctx, __u32 l3, __u32 end)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	u32 crc;
	int ret;

	ret = xr_icrc(xdp, l3, end, &crc);
	if (ret)
		return ret;
	return crc == xr_icrc_load(xdp, end) ? 0 : -EBADMSG;
}

__bpf_kfunc int xroce_icrc_put(struct xdp_md *ctx, __u32 l3, __u32 end)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	u32 crc;
	int ret;

	ret = xr_icrc(xdp, l3, end, &crc);
	if (!ret)
		xr_icrc_store(xdp, end, crc);
	return ret;
}

__bpf_kfunc int xroce_write(struct xdp_md *ctx, const struct xroce_sge *sge)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	/* It may be memory that changes under us: read each word once. */
	u64 va = READ_ONCE(sge->va);
	u32 id = READ_ONCE(sge->link);
	u32 key = READ_ONCE(sge->key);
	u32 off = READ_ONCE(sge->off);
	u32 len = READ_ONCE(sge->len);
	struct xr_link *link;
	struct xr_mr *mr;
	int ret;

	if (!xr_frame_has(xdp, off, len))
		return -EINVAL;
	if (id >= XR_MAX_LINKS)
		return -ENOENT;
	link = rcu_dereference_bh(xr_links[id]);
	if (!link)
		return -ENOENT;
	mr = xr_mr_hold(link, key);
	if (!mr)
		return -ENOENT;
	ret = xr_mr_write(mr, va, xdp, off, len);
	xr_mr_drop();
	return ret;
}

__bpf_kfunc int xroce_recv(struct xdp_md *ctx, const struct xroce_recv *r)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xroce_recv copy;
	struct xr_link *link;
	struct xr_qp *qp;

	/* It may be memory that changes under us. */
	memcpy(&copy, r, sizeof(copy));
	barrier();
	if (!xr_frame_has(xdp, copy.off, copy.len))
		return -EINVAL;
	link = copy.link < XR_MAX_LINKS ?
	       rcu_dereference_bh(xr_links[copy.link]) : NULL;
	qp = link ? xr_qp_get_rcu(link, copy.qpn) : NULL;
	return qp ? xr_recv_packet(link, qp, xdp, &copy) : -ENOENT;
}

__bpf_kfunc int xroce_fail(u32 id, u32 qpn)
{
	struct xr_link *link;
	struct xr_qp *qp;

	link = id < XR_MAX_LINKS ? rcu_dereference_bh(xr_links[id]) : NULL;
	qp = link ? xr_qp_get_rcu(link, qpn) : NULL;
	if (!qp)
		return -ENOENT;
	xr_recv_fail(qp);
	return 0;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(xr_kfunc_ids)
BTF_ID_FLAGS(func, xroce_icrc_check)
BTF_ID_FLAGS(func, xroce_icrc_put)
BTF_ID_FLAGS(func, xroce_write)
BTF_ID_FLAGS(func, xroce_recv)
BTF_ID_FLAGS(func, xroce_fail)
BTF_KFUNCS_END(xr_kfunc_ids)

static const struct btf_kfunc_id_set xr_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &xr_kfunc_ids,
};

int xr_kfunc_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &xr_kfunc_set);
}
