// SPDX-License-Identifier: GPL-2.0-only
/* Kfuncs for the XDP program. Documented in xroce_kfunc.h. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/module.h>

#include "xroce_kfunc.h"
#include "xroce_wire.h"

#include "bytes/frame.h"
#include "bytes/icrc.h"
#include "defer/defer.h"
#include "defer/gap.h"
#include "frame/atomic.h"
#include "frame/payload.h"
#include "obj/addr.h"
#include "obj/ip.h"
#include "obj/mr_stat.h"
#include "qp/error.h"
#include "qp/qp.h"
#include "recv/mcast.h"
#include "recv/message.h"
#include "respond/cnp.h"
#include "respond/pace.h"
#include "respond/queue.h"
#include "respond/read.h"
#include "send/ack.h"

#include "main.h"
#include "trace.h"

/*
 * On-demand memory is not resident. Release the region, then request a fault and defer the
 * frame. Return: see xr_defer_missed().
 */
static noinline int xr_kfunc_missed(struct xr_qp *qp, const struct xr_mr *mr, u64 va,
				    u32 len, u32 ahead, struct xdp_buff *xdp)
{
	struct xr_odp_miss miss;

	xr_mr_miss(mr, va, len, ahead, true, &miss);
	xr_mr_release();
	return xr_defer_missed(qp, &miss, xdp);
}

/*
 * Find the IP version and the end of the headers of a READ response. Return: false: the
 * headers are not inside the first buffer.
 */
static __always_inline bool xr_kfunc_headers(const struct xdp_buff *xdp, u32 l3,
					     bool *ipv6, u32 *end)
{
	u32 linear = xdp->data_end - xdp->data;

	if (unlikely(l3 < ETH_HLEN || l3 >= linear))
		return false;
	*ipv6 = xr_icrc_ipv6(xdp->data + l3);
	*end = l3 + xr_icrc_headers_len(*ipv6) + sizeof(struct xroce_aeth);
	return *end <= linear;
}

/* True if a response's Ethernet header can have @l3 bytes, and is inside the first buffer. */
static bool xr_kfunc_l2_ok(const struct xdp_buff *xdp, u32 l3)
{
	return l3 >= ETH_HLEN && l3 <= XR_TX_L2_MAX &&
	       l3 <= xdp->data_end - xdp->data;
}

/*
 * Execute an operation with @words operands of eight bytes in the frame, which needs @right.
 * Both are constants. Return: see xroce_atomic().
 */
static __always_inline int xr_kfunc_atomic(struct xdp_buff *xdp,
					   struct xroce_atomic *a, u32 opcode,
					   u32 words, u32 right)
{
	u64 va = READ_ONCE(a->va), value;
	u32 off = READ_ONCE(a->off);
	struct xr_mr *mr;
	struct xr_qp *qp;
	int ret;

	if (unlikely(!xr_frame_linear(xdp, off, words * sizeof(u64))))
		return -EINVAL;
	qp = xr_qp_rcu(READ_ONCE(a->link), READ_ONCE(a->qpn));
	if (unlikely(!qp))
		return -ENOENT;
	mr = xr_rkey_acquire(qp, va, READ_ONCE(a->key), sizeof(u64), right);
	if (unlikely(!mr))
		return -ENOENT;
	ret = xr_mr_atomic(mr, va, opcode, xdp->data + off, &value);
	if (likely(!ret)) {
		xr_mr_count_atomic(mr->stat);
		a->value = value;
		a->crc = xr_icrc_of(value);
		xr_frame_cut(xdp, READ_ONCE(a->cut));
	} else if (ret == -EAGAIN) {
		return xr_kfunc_missed(qp, mr, va, sizeof(u64), 0, xdp);
	}
	xr_mr_release();
	return ret;
}

/*
 * Verify the invariant CRC of a packet in the first buffer, which is at @end, and write its
 * payload, which precedes it, to one resident block, in one vector section. Return: as
 * xroce_write_checked().
 */
static __always_inline int xr_mr_write_checked(const struct xr_mr *mr, u64 va,
					       const struct xr_payload *p, u32 end)
{
	u64 at;
	int ret = xr_mr_range(mr, va, p->len, true, &at);
	void *mem = ret || !p->len ? NULL : xr_mr_whole(mr, at, p->len);

	if (unlikely(!mem || !xr_vector_begin_alone()))
		return ret ?: -EOPNOTSUPP;
	ret = -EBADMSG;
	if (likely(xr_icrc_right4(p->xdp, p->l3, end))) {
		xr_copy_vector(mem, p->xdp->data + p->off, p->len);
		ret = 0;
	}
	xr_vector_end_alone();
	return ret;
}

__bpf_kfunc_start_defs();

__bpf_kfunc int xroce_icrc_check(struct xdp_md *ctx, __u32 l3, __u32 end)
{
	return xr_icrc_check((struct xdp_buff *)ctx, l3, end);
}

__bpf_kfunc int xroce_icrc_check_read(struct xdp_md *ctx, __u32 l3, __u32 known)
{
	return xr_icrc_check_read((struct xdp_buff *)ctx, l3, known);
}

__bpf_kfunc int xroce_icrc_check_atomic(struct xdp_md *ctx, __u32 l3, __u32 known, __u32 opcode)
{
	return xr_icrc_check_atomic((struct xdp_buff *)ctx, l3, known,
				    opcode == XROCE_RC_FETCH_ADD);
}

__bpf_kfunc int xroce_icrc_put(struct xdp_md *ctx, __u32 l3, __u32 end)
{
	return xr_icrc_put((struct xdp_buff *)ctx, l3, end);
}

__bpf_kfunc int xroce_write(struct xdp_md *ctx, const struct xroce_write *w)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	/* Read each field of @w once: @w may be in a map, and change at any time. */
	u32 off = READ_ONCE(w->off), len = READ_ONCE(w->len);
	u64 va = READ_ONCE(w->va);
	struct xr_mr *mr;
	struct xr_qp *qp;
	int ret;

	if (!xr_frame_has(xdp, off, len))
		return -EINVAL;
	qp = xr_qp_rcu(READ_ONCE(w->link), READ_ONCE(w->qpn));
	if (unlikely(!qp))
		return -ENOENT;
	mr = xr_rkey_acquire(qp, va, READ_ONCE(w->key), len,
			  XROCE_ACCESS_REMOTE_WRITE);
	if (unlikely(!mr))
		return -ENOENT;
	ret = xr_mr_write(mr, va, xdp, off, len);
	if (likely(!ret)) {
		xr_mr_count_in(mr->stat, 1, len, READ_ONCE(w->begin) & 1);
		xr_frame_cut(xdp, READ_ONCE(w->cut));
	} else if (ret == -EAGAIN) {
		return xr_kfunc_missed(qp, mr, va, len, READ_ONCE(w->ahead), xdp);
	}
	xr_mr_release();
	return ret;
}

__bpf_kfunc int xroce_write_checked(struct xdp_md *ctx, const struct xroce_write *w)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	const struct xr_payload p = {
		.xdp = xdp,
		.l3 = READ_ONCE(w->l3),
		.off = READ_ONCE(w->off),
		.len = READ_ONCE(w->len),
	};
	u32 end = READ_ONCE(w->end);
	u64 va = READ_ONCE(w->va);
	struct xr_mr *mr;
	struct xr_qp *qp;
	int ret;

	if (unlikely(!xr_frame_linear(xdp, end, XROCE_ICRC_LEN) || (u64)p.off + p.len > end))
		return -EINVAL;
	/* Such a frame must not be sent back: see XROCE_FRAME_*. */
	if (unlikely(xr_frame_flags(xdp)))
		return -EOPNOTSUPP;
	qp = xr_qp_rcu(READ_ONCE(w->link), READ_ONCE(w->qpn));
	if (unlikely(!qp))
		return -ENOENT;
	mr = xr_rkey_acquire(qp, va, READ_ONCE(w->key), p.len, XROCE_ACCESS_REMOTE_WRITE);
	if (unlikely(!mr))
		return -ENOENT;
	ret = xr_mr_write_checked(mr, va, &p, end);
	if (likely(!ret)) {
		xr_mr_count_in(mr->stat, 1, p.len, READ_ONCE(w->begin) & 1);
		xr_frame_cut(xdp, READ_ONCE(w->cut));
	}
	xr_mr_release();
	return ret;
}

__bpf_kfunc int xroce_read(struct xdp_md *ctx, const struct xroce_read *r)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xr_payload p = { .xdp = xdp, .l3 = READ_ONCE(r->l3), .len = READ_ONCE(r->len) };
	u32 ack = READ_ONCE(r->icrc);
	u64 va = READ_ONCE(r->va), at;
	struct xr_mr *mr;
	struct xr_qp *qp;
	int ret;

	if (unlikely(!p.len || p.len > XROCE_MAX_MSG ||
		     !xr_kfunc_headers(xdp, p.l3, &p.ipv6, &p.off)))
		return -EINVAL;
	qp = xr_qp_rcu(READ_ONCE(r->link), READ_ONCE(r->qpn));
	if (unlikely(!qp))
		return -ENOENT;
	mr = xr_rkey_acquire(qp, va, READ_ONCE(r->key), p.len,
			  XROCE_ACCESS_REMOTE_READ);
	if (unlikely(!mr))
		return -ENOENT;
	ret = xr_mr_range(mr, va, p.len, false, &at);
	if (unlikely(ret))
		goto out;
	ret = -ENOSPC;
	if (unlikely(!xr_frame_resize(xdp, p.off,
				      p.off + round_up(p.len, 4) + XROCE_ICRC_LEN)))
		goto out;
	xr_read_answer(mr, at, &p, ack);
	xr_mr_count_out(mr->stat, p.len, 1);
	ret = 0;
out:
	xr_mr_release();
	return ret;
}

__bpf_kfunc int xroce_atomic(struct xdp_md *ctx, struct xroce_atomic *a)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	u32 opcode = READ_ONCE(a->opcode);

	if (likely(opcode != XROCE_RC_ATOMIC_WRITE))
		return xr_kfunc_atomic(xdp, a, opcode, 2,
				       XROCE_ACCESS_REMOTE_ATOMIC);
	return xr_kfunc_atomic(xdp, a, XROCE_RC_ATOMIC_WRITE, 1,
			       XROCE_ACCESS_REMOTE_WRITE);
}

__bpf_kfunc int xroce_queue(struct xdp_md *ctx, const struct xroce_response *r,
			    __u32 l3)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xroce_response copy;
	struct xr_qp *qp;

	memcpy(&copy, r, sizeof(copy));
	barrier();
	if (!xr_kfunc_l2_ok(xdp, l3))
		return -EINVAL;
	qp = xr_qp_rcu(copy.link, copy.qpn);
	if (!qp)
		return -ENOENT;
	return xr_response_queue(qp, &copy, xdp->data, l3, xr_frame_flags(xdp));
}

__bpf_kfunc int xroce_cnp(struct xdp_md *ctx, __u32 link, __u32 qpn, __u32 l3,
			  __u32 opcode)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xr_qp *qp = xr_qp_rcu(link, qpn);

	if (!xr_kfunc_l2_ok(xdp, l3))
		return -EINVAL;
	return qp ? xr_cnp_queue(qp, xdp->data, l3, opcode) : -ENOENT;
}

__bpf_kfunc int xroce_cnp_received(__u32 link, __u32 qpn)
{
	struct xr_qp *qp = xr_qp_rcu(link, qpn);

	if (!qp)
		return -ENOENT;
	xr_pace_cnp(qp);
	return 0;
}

__bpf_kfunc int xroce_recv(struct xdp_md *ctx, const struct xroce_recv *r)
{
	return xr_recv_packet((struct xdp_buff *)ctx, r);
}

__bpf_kfunc int xroce_mcast(struct xdp_md *ctx, const struct xroce_recv *r)
{
	return xr_mcast_packet((struct xdp_buff *)ctx, r);
}

__bpf_kfunc int xroce_ack(struct xdp_md *ctx, const struct xroce_ack *a)
{
	return xr_ack_packet((struct xdp_buff *)ctx, a);
}

__bpf_kfunc int xroce_ack_checked(struct xdp_md *ctx, const struct xroce_ack *a)
{
	return xr_ack_checked((struct xdp_buff *)ctx, a);
}

__bpf_kfunc int xroce_defer(struct xdp_md *ctx, u32 link, u32 qpn, u32 why)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xr_qp *qp = xr_qp_rcu(link, qpn);

	if (!qp)
		return -ENOENT;
	if (why == XROCE_DEFER_EARLY)
		return xr_defer_early(qp, xdp);
	if (why != XROCE_DEFER_AGAIN)
		return xr_defer_behind(qp, xdp, why == XROCE_DEFER_BUSY);
	xr_defer_again(qp, xdp);
	return 0;
}

__bpf_kfunc int xroce_addr(struct xdp_md *ctx, u32 id)
{
	const struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xr_link *link = xr_link_rcu(id);
	struct net_device *dev;

	if (!link || xdp->data_end - xdp->data < ETH_HLEN)
		return -ENOENT;
	/* The device is freed after an RCU grace period. */
	dev = READ_ONCE(link->dev);
	return dev && xr_addr_ours(dev, xdp->data) ? 0 : -ENOENT;
}

__bpf_kfunc int xroce_local(struct xdp_md *ctx, u32 id, u32 l3)
{
	const struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xr_link *link = xr_link_rcu(id);
	u32 linear = xdp->data_end - xdp->data;
	struct net_device *dev;

	if (l3 >= linear)
		return -EINVAL;
	if (!link)
		return -ENOENT;
	/* The device is freed after an RCU grace period. */
	dev = READ_ONCE(link->dev);
	return dev && xr_ip_local(dev, xdp->data, l3, linear) ? 0 : -ENOENT;
}

__bpf_kfunc int xroce_fail(u32 link, u32 qpn)
{
	struct xr_qp *qp = xr_qp_rcu(link, qpn);

	if (!qp)
		return -ENOENT;
	xr_qp_refused(qp);
	return 0;
}

__bpf_kfunc int xroce_nak(u32 link, u32 qpn, u32 psn, u32 syndrome)
{
	struct xr_qp *qp = xr_qp_rcu(link, qpn);

	trace_xroce_nak_sent(link, qpn, psn, syndrome);
	if (qp)
		xr_gap_nak(qp, psn & XROCE_PSN_MASK, syndrome);
	return 0;
}

__bpf_kfunc int xroce_sq(u32 link, u32 qpn)
{
	struct xr_qp *qp = xr_qp_rcu(link, qpn);

	return qp ? xr_qp_poll(qp) : -ENOENT;
}

__bpf_kfunc_end_defs();

/* Pointer arguments must not be NULL. Newer kernels imply this flag. */
#ifndef KF_TRUSTED_ARGS
#define KF_TRUSTED_ARGS	0
#endif

BTF_KFUNCS_START(xr_kfunc_ids)
BTF_ID_FLAGS(func, xroce_icrc_check, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_icrc_check_read, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_icrc_check_atomic, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_icrc_put, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_write, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_write_checked, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_read, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_atomic, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_queue, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_cnp, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_cnp_received, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_recv, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_mcast, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_ack, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_ack_checked, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_defer, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_addr, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_local, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_fail, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_nak, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, xroce_sq, KF_TRUSTED_ARGS)
BTF_KFUNCS_END(xr_kfunc_ids)

static const struct btf_kfunc_id_set xr_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &xr_kfunc_ids,
};

int xr_kfunc_init(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &xr_kfunc_set);
}
