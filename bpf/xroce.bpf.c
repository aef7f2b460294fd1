// SPDX-License-Identifier: GPL-2.0-only
/*
 * The XDP program: it judges each packet and sends short responses.
 *
 * Order of checks (IBTA 9.6, 9.7.1): lengths, IPv4 checksum, header version, queue pair,
 * service, addresses, partition key, invariant CRC, state. A packet that fails one of these is
 * dropped without a response; state takes precedence as the cause over addresses, partition
 * key and CRC. Then PSN, opcode, order of the message, rights of the queue pair, length, key: a
 * packet that fails one of these is answered. No protocol state changes before the invariant
 * CRC has been verified.
 *
 * PSNs of responses: packet() gives a response the PSN of its request. again() and out_of_order()
 * of except.bpf.h replace that in the acknowledgement of a duplicate and in a NAK for a sequence
 * error. A READ response of several packets is sent by the module, which numbers them:
 * xr_response_packet() of kmod/respond/build.c.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_op.h"
#include "xroce_wire.h"

#include "likely.bpf.h"
#include "maps.bpf.h"
#include "frame.bpf.h"
#include "response.bpf.h"
#include "parse.bpf.h"
#include "stats.bpf.h"
#include "qp.bpf.h"
#include "drop_event.bpf.h"
#include "drop.bpf.h"
#include "mpt.bpf.h"
#include "rd.bpf.h"
#include "icrc.bpf.h"
#include "respond.bpf.h"
#include "exception.bpf.h"
#include "event.bpf.h"
#include "recv.bpf.h"
#include "send.bpf.h"
#include "write.bpf.h"
#include "uc.bpf.h"
#include "ud.bpf.h"
#include "mcast.bpf.h"
#include "vlan.bpf.h"
#include "cnp.bpf.h"
#include "read.bpf.h"
#include "atomic.bpf.h"
#include "flush.bpf.h"
#include "ack.bpf.h"
#include "except.bpf.h"
#include "fast.bpf.h"

/* Measure a frame with XROCE_FRAME_* in @flags: so far the first buffer may have sufficed. */
static __always_inline void count_frags(struct xdp_md *ctx, struct request *req,
					struct xroce_stat *st, int flags)
{
	__u32 linear = frame_end(ctx) - frame_start(ctx);
	__u32 len = bpf_xdp_get_buff_len(ctx);

	st->rx_bytes += len - req->frame_len;
	req->frame_len = len;
	req->frags = (flags & XROCE_FRAME_ODD) |
		    (len > linear ? XROCE_FRAME_FRAGS : 0);
}

/* Return: the cause to drop a packet: the queue pair's state if it is not ready, or @cause. */
static __always_inline int unadmitted(const struct xroce_qp *q, int cause)
{
	return because(qp_unready(q) ? : cause);
}

/* The headers of a packet, within the frame's linear part, which ends at @end. */
struct headers {
	const struct ethhdr *eth;
	const struct iphdr *ip;
	const struct xroce_bth *bth;
	const void *end;
};

/*
 * The part of admit() that checks whether the peer has sent the packet. The queue pair's state
 * has to be checked under the claim, and is not checked here as well.
 * Return: 0: the peer has sent it; otherwise XROCE_DROP_*.
 */
static __always_inline int admit_peer(struct xdp_md *ctx, struct request *req,
				      const struct xroce_qp *q, struct xroce_stat *st,
				      const struct headers *h)
{
	int err = 1;

	if (unlikely(eth_from_group(h->eth) || !qp_addr_ok(ctx, q, req, h->ip, h->end)))
		return unadmitted(q, XROCE_DROP_ADDR);
	if (unlikely(!qp_pkey_ok(q, h->bth->pkey)))
		return unadmitted(q, XROCE_DROP_PKEY);
	if (xroce_kfuncs)
		err = icrc_check(ctx, req, q, h->bth->pkey);
	else
		barrier_var(err);
	if (unlikely(err)) {
		if (err < 0)
			return unadmitted(q, XROCE_DROP_ICRC);
		count_frags(ctx, req, st, err);
	}
	return 0;
}

/*
 * All checks of a packet that drop it without a response, except those under the claim.
 * Return: the queue pair; or NULL, and @cause is XROCE_DROP_*, or 0: the packet is not
 * counted as dropped.
 */
static __always_inline struct xroce_qp *admit(struct xdp_md *ctx,
					      void *data, void *end,
					      struct request *req,
					      struct xroce_stat *st,
					      int *cause)
{
	struct headers h = { .eth = data, .end = end };
	struct xroce_qp *q;

	if (unlikely(!parse_lengths(req))) {
		*cause = because(XROCE_DROP_LENGTH);
		return NULL;
	}
	h.ip = data + req->l3;
	h.bth = data + req->bth;
	if (!req->plain &&
	    unlikely((const void *)(h.ip + 1) > end || (const void *)(h.bth + 1) > end)) {
		*cause = because(XROCE_DROP_LENGTH);
		return NULL;
	}
	if (!req->ipv6 && unlikely(!ipv4_checksum_ok(h.ip))) {
		*cause = because(XROCE_DROP_CHECKSUM);
		return NULL;
	}
	if (unlikely(h.bth->flags & XROCE_BTH_TVER_MASK)) {
		*cause = because(XROCE_DROP_TVER);
		return NULL;
	}
	q = qp_find(req->qpn);
	if (unlikely(!q)) {
		*cause = because(XROCE_DROP_QPN);
		return NULL;
	}
	req->generation = q->generation;
	/* Operations have the same numbers in all services. */
	req->flags = xroce_op_flags(req->opcode);
	if (unlikely(!qp_service_ok(q, req))) {
		*cause = because(XROCE_DROP_OPCODE);
		if (is_ack(q, req) || is_sack(q, req)) {
			*cause = admit_peer(ctx, req, q, st, &h) ? :
				 ack_execute(ctx, req, q, st);
		} else if (is_cnp(req)) {
			*cause = admit_peer(ctx, req, q, st, &h) ? :
				 qp_unready(q);
			if (!*cause)
				cnp_take(q, st);
		}
		return NULL;
	}
	*cause = admit_peer(ctx, req, q, st, &h);
	return failed(*cause) ? NULL : q;
}

/*
 * True if the queue pair has the right for a READ or atomic. flush_execute() checks those of a
 * FLUSH.
 */
static __always_inline bool replay_may(const struct request *req,
				       const struct xroce_qp *q)
{
	if (req->flags & XROCE_OPF_READ)
		return q->access & XROCE_ACCESS_REMOTE_READ;
	if (req->flags & XROCE_OPF_ATOMIC)
		return q->access & XROCE_ACCESS_REMOTE_ATOMIC;
	if (req->flags & XROCE_OPF_ATOMIC_WRITE)
		return q->access & XROCE_ACCESS_REMOTE_WRITE;
	return true;
}

/* Refuse a request that has not been parsed. For a READ, parse the RETH for the event. */
static __always_inline int refused(struct xdp_md *ctx, struct request *req,
				   struct response *resp, int cause)
{
	if (req->flags & XROCE_OPF_READ)
		take_reth(ctx, req, resp);
	return because(cause);
}

/*
 * Check and execute a packet with the expected PSN. Return: enum xroce_cause, NOT_READY,
 * NOT_THERE, DEFERRED or NO_RESPONSE.
 */
static __always_inline int perform(struct xdp_md *ctx, struct request *req,
				   struct xroce_qp *q, struct xroce_stat *st,
				   struct response *resp)
{
	bool begin = req->flags & XROCE_OPF_BEGIN;

	if (!(req->flags & XROCE_OPF_KNOWN))
		return because(XROCE_CAUSE_INV_OPCODE);
	if (unlikely(begin != (q->op == XROCE_QP_OP_NONE)))
		return refused(ctx, req, resp, XROCE_CAUSE_INV_ORDER);
	if (!begin && !op_continues(q, req))
		return because(XROCE_CAUSE_INV_ORDER);
	if (req->flags & XROCE_OPF_WRITE)
		return likely(q->access & XROCE_ACCESS_REMOTE_WRITE) ?
		       write_execute(ctx, req, q, st, resp) :
		       XROCE_CAUSE_INV_QP_ACCESS;
	if (req->flags & XROCE_OPF_SEND)
		return send_execute(ctx, req, q, st, resp);
	if (unlikely(!replay_may(req, q)))
		return refused(ctx, req, resp, XROCE_CAUSE_INV_QP_ACCESS);
	if (unlikely(!q->rd_max))
		return refused(ctx, req, resp, XROCE_CAUSE_INV_RESOURCES);
	if (req->flags & XROCE_OPF_READ)
		return read_execute(ctx, req, q, st, resp);
	if (req->flags & XROCE_OPF_FLUSH)
		return flush_execute(ctx, req, q, st, resp);
	return atomic_execute(ctx, req, q, st, resp);
}

/*
 * Execute a packet with the expected PSN. Return: XROCE_CAUSE_NONE: there is a response; SILENT:
 * there is none; otherwise as perform().
 */
static __always_inline int in_order(struct xdp_md *ctx, struct request *req,
				     struct xroce_qp *q, struct xroce_stat *st,
				     struct response *resp)
{
	int cause;

	q->nak_sent = 0;
	cause = perform(ctx, req, q, st, resp);
	if (failed(cause))
		return cause;

	qp_advance(q, req, resp);
	if (req->flags & XROCE_OPF_REPLAY)
		return unlikely(is_queued(q, resp)) ? SILENT : XROCE_CAUSE_NONE;
	if (unlikely(!req->ackreq)) {
		q->silent++;
		return SILENT;
	}
	st->ack++;
	return XROCE_CAUSE_NONE;
}

/*
 * Execute a packet on RC. The queue pair is claimed. Return: as in_order(); OUT_OF_ORDER; or
 * XROCE_DROP_PSN: a duplicate READ that cannot be replayed.
 */
static __always_inline int execute(struct xdp_md *ctx, struct request *req,
				    struct xroce_qp *q, struct xroce_stat *st,
				    struct response *resp)
{
	int diff = psn_diff(req->psn, q->epsn);

	resp->packets = 1;
	resp->msn = q->msn;
	if (unlikely(diff)) {
		if (diff < 0 && req->flags & XROCE_OPF_READ) {
			/*
			 * Only tell the module of the duplicate, which may show that an earlier
			 * copy was late. It does not defer the frame, so the result says nothing.
			 */
			if (xroce_kfuncs)
				xroce_defer(ctx, xroce_link, q->qpn, XROCE_DEFER_AGAIN);
			return read_duplicate(ctx, req, q, st, resp);
		}
		return OUT_OF_ORDER;
	}
	return in_order(ctx, req, q, st, resp);
}

/*
 * Defer a packet behind deferred ones, or a deferred one again. @why: XROCE_DEFER_BEHIND or
 * XROCE_DEFER_BUSY. Return: true: the packet has been deferred or dropped; false: neither, there
 * are no deferred frames, or this one is next.
 */
static __always_inline bool defer(struct xdp_md *ctx,
				  const struct request *req,
				  const struct xroce_qp *q,
				  struct xroce_stat *st, __u32 why)
{
	int err = xroce_kfuncs ? xroce_defer(ctx, xroce_link, q->qpn, why) : -ENOENT;

	if (err == -EALREADY || err == -ENOENT)
		return false;
	if (err)
		drop(ctx, req, XROCE_DROP_DEFER);
	else
		stat_deferred(st, req);
	return true;
}

/*
 * Judge a packet. @data to @end is the first buffer. @opcode is a constant: the opcode of a plain
 * packet, for which code for other packets is left out, ANY_OPCODE, or NOT_PLAIN. Return:
 * XDP_*.
 *
 * Long: the path of every packet in the order of its steps, most of which end it.
 */
static __always_inline int packet(struct xdp_md *ctx, void *data, void *end,
				  int opcode)
{
	struct request req = {};
	struct response resp = {};
	struct xroce_stat *st;
	struct xroce_qp *q;
	int cause, qpn, result;

	qpn = parse(data, end, &req, opcode);
	if (unlikely(qpn < 0))
		return XDP_PASS;
	st = stat_this_cpu();
	if (unlikely(!st))
		return XDP_PASS;
	if (unlikely(!qpn_ours(qpn) || (opcode == NOT_PLAIN && !eth_ours(ctx, data)))) {
		if (opcode == NOT_PLAIN && qpn == XROCE_QPN_MCAST)
			mcast(ctx, data, end, &req, st, 0);
		st->pass++;
		return XDP_PASS;
	}
	st->rx++;
	req.frame_len = end - data;
	if (unlikely(req.frame_len < req.l3 + req.l3_len))
		req.frame_len = bpf_xdp_get_buff_len(ctx);
	st->rx_bytes += req.frame_len;

	q = admit(ctx, data, end, &req, st, &cause);
	if (unlikely(!q))
		return drop(ctx, &req, cause);

	if (unlikely(qp_detour(q))) {
		cause = qp_unready(q);
		if (cause)
			return drop(ctx, &req, cause);
		if (q->deferred && defer(ctx, &req, q, st, XROCE_DEFER_BEHIND))
			return XDP_DROP;
		/* Work requests posted before the packet arrived precede it. */
		if (q->sq && xroce_kfuncs &&
		    xroce_sq(xroce_link, q->qpn) == -EAGAIN)
			return drop(ctx, &req, XROCE_DROP_BUSY);
	}
	if (unlikely(!qp_claim(q)) && !(q->type == XROCE_QPT_UD && qp_claim_wait(q))) {
		if (!q->deferred || !defer(ctx, &req, q, st, XROCE_DEFER_BUSY))
			drop(ctx, &req, XROCE_DROP_BUSY);
		return XDP_DROP;
	}
	/* Since admission the connection may have ended, or a new one begun. */
	if (unlikely(q->generation != req.generation)) {
		qp_release(q);
		return drop(ctx, &req, XROCE_DROP_STATE);
	}
	cause = qp_unready(q);
	if (unlikely(cause)) {
		qp_release(q);
		return drop(ctx, &req, cause);
	}
	if (unlikely(is_marked(&req)))
		cnp_send(ctx, &req, q, st);
	resp.psn = req.psn;
	/* All opcodes with a specialised copy are RC. */
	if (opcode >= 0 || likely(q->type == XROCE_QPT_RC))
		result = execute(ctx, &req, q, st, &resp);
	else if (q->type == XROCE_QPT_UC)
		result = uc_execute(ctx, &req, q, st, &resp);
	else
		result = ud_execute(ctx, &req, q, st);
	if (unlikely(result == SILENT)) {
		qp_release(q);
		return XDP_DROP;
	}
	/* If it has been executed. In a copy for one opcode the compiler knows both. */
	resp.opcode = xroce_op_response(req.flags);
	resp.syndrome = XROCE_SYN_ACK;
	/* except() also queues a response behind those that the module has not sent yet. */
	if (unlikely(result || q->queued)) {
		struct exception e = {
			.va = resp.va,
			.value = resp.result,
			.key = resp.key,
			.len = resp.len,
			.frame_len = req.frame_len,
			.end = req.end,
			.qpn = req.qpn,
			.psn = req.psn,
			.response_psn = resp.psn,
			.result = result,
			.flags = req.flags,
			.l3 = req.l3,
			.bth = req.bth,
			.opcode = req.opcode,
			.pad = req.pad,
			.ackreq = req.ackreq,
			.ipv6 = req.ipv6,
			.frags = req.frags,
			.response = resp.opcode,
			.syndrome = XROCE_SYN_ACK,
			.made = resp.made,
			.again = resp.again,
		};

		result = except(ctx, &e);
	} else {
		/* Under the claim: the template is still that of the peer that asked. */
		result = respond(ctx, &req, q, st, &resp);
	}
	qp_release(q);
	if (unlikely(result))
		return result > 0 ? drop_of(ctx, &req, q->qpn, result) : XDP_DROP;
	st->tx++;
	return XDP_TX;
}

/*
 * Call a copy of packet() that is specialised for a frequent opcode, if there is one. @opcode:
 * result of plain_opcode(). @data and @end: its arguments, so that the verifier knows that the
 * headers are inside.
 */
static __always_inline int judge(struct xdp_md *ctx, void *data, void *end, int opcode)
{
	int result;

	switch (opcode) {
	case NOT_OURS:
		return XDP_PASS;
	case NOT_PLAIN:
		return packet(ctx, data, end, NOT_PLAIN);
	case XROCE_RC_WRITE_ONLY:
		result = fast_request(ctx, data, end, XROCE_RC_WRITE_ONLY);
		if (likely(result != NOT_FAST))
			return result;
		return packet(ctx, data, end, XROCE_RC_WRITE_ONLY);
	case XROCE_RC_WRITE_FIRST:
		result = fast_request(ctx, data, end, XROCE_RC_WRITE_FIRST);
		break;
	case XROCE_RC_WRITE_MIDDLE:
		result = fast_request(ctx, data, end, XROCE_RC_WRITE_MIDDLE);
		break;
	case XROCE_RC_WRITE_LAST:
		result = fast_request(ctx, data, end, XROCE_RC_WRITE_LAST);
		break;
	case XROCE_RC_READ_REQUEST:
		return packet(ctx, data, end, XROCE_RC_READ_REQUEST);
	case XROCE_RC_SEND_ONLY:
		return packet(ctx, data, end, XROCE_RC_SEND_ONLY);
	case XROCE_RC_FETCH_ADD:
		return packet(ctx, data, end, XROCE_RC_FETCH_ADD);
	case XROCE_RC_CMP_SWAP:
		return packet(ctx, data, end, XROCE_RC_CMP_SWAP);
	case XROCE_RC_ACK:
		result = fast_response(ctx, data, end, XROCE_RC_ACK);
		break;
	case XROCE_RC_READ_RESPONSE_FIRST:
		result = fast_response(ctx, data, end, XROCE_RC_READ_RESPONSE_FIRST);
		break;
	case XROCE_RC_READ_RESPONSE_MIDDLE:
		result = fast_response(ctx, data, end, XROCE_RC_READ_RESPONSE_MIDDLE);
		break;
	case XROCE_RC_READ_RESPONSE_LAST:
		result = fast_response(ctx, data, end, XROCE_RC_READ_RESPONSE_LAST);
		break;
	case XROCE_RC_READ_RESPONSE_ONLY:
		result = fast_response(ctx, data, end, XROCE_RC_READ_RESPONSE_ONLY);
		break;
	case XROCE_RC_ATOMIC_ACK:
		result = fast_response(ctx, data, end, XROCE_RC_ATOMIC_ACK);
		break;
	default:
		result = NOT_FAST;
	}
	return likely(result != NOT_FAST) ? result : packet(ctx, data, end, ANY_OPCODE);
}

SEC("xdp.frags")
int xroce(struct xdp_md *ctx)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);

	return judge(ctx, data, end, plain_opcode(data, end));
}

/*
 * The same program for VLANs, if the driver removes the tag from the frame and reports it as
 * metadata. The tag is put back into the frame for the rest of the program and the module, so
 * that responses and deferred frames have it.
 *
 * The kernel allows this metadata only in a program that is bound to one device and run by its
 * driver, on frames in the driver's own structure. The module therefore runs xroce() on
 * deferred frames. This program is loaded only if it is needed, because reading the metadata
 * costs about 20 instructions per packet.
 */
SEC("?xdp.frags")
int xroce_vlan(struct xdp_md *ctx)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);
	int opcode = plain_opcode(data, end);
	struct vlan_hdr tag;
	__u16 tci;

	if (opcode == NOT_OURS)
		return XDP_PASS;
	if (!bpf_xdp_metadata_rx_vlan_tag(ctx, &tag.proto, &tci)) {
		tag.tci = bpf_htons(tci);
		if (!vlan_ours(ctx, &tag) || !vlan_put_back(ctx, &tag))
			return XDP_PASS;
		data = frame_start(ctx);
		end = frame_end(ctx);
		opcode = NOT_PLAIN;
	}
	return judge(ctx, data, end, opcode);
}

char _license[] SEC("license") = "GPL";
