/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of xroce.ko, /sys/kernel/tracing/events/xroce. doc/debugging.md has examples. All
 * have the number of the link ("xroce link show") and of the queue pair, if there is one; numbers
 * of packets are PSNs.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xroce

#if !defined(_XR_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _XR_TRACE_H

#include <linux/if_ether.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#ifndef _XR_TRACE_ENUMS
#define _XR_TRACE_ENUMS

/**
 * enum xr_again - why requests are sent again
 * @XR_AGAIN_TIMEOUT: the local ACK timeout has ended
 * @XR_AGAIN_SEQ_NAK: a NAK for a sequence error
 * @XR_AGAIN_RNR_NAK: an RNR NAK
 * @XR_AGAIN_UNASKED: the last packet did not ask for an acknowledgement, and nothing follows
 * @XR_AGAIN_MEMORY: on-demand memory for a response was not present
 * @XR_AGAIN_HOLE: a single packet, or a part of a READ, whose successors have arrived
 * @XR_AGAIN_PROBE: nothing has been heard: the oldest and the last packet
 */
enum xr_again {
	XR_AGAIN_TIMEOUT,
	XR_AGAIN_SEQ_NAK,
	XR_AGAIN_RNR_NAK,
	XR_AGAIN_UNASKED,
	XR_AGAIN_MEMORY,
	XR_AGAIN_HOLE,
	XR_AGAIN_PROBE,
};

#endif

/* For perf, bpftrace and others, which cannot know the values of these names. */
TRACE_DEFINE_ENUM(XR_AGAIN_TIMEOUT);
TRACE_DEFINE_ENUM(XR_AGAIN_SEQ_NAK);
TRACE_DEFINE_ENUM(XR_AGAIN_RNR_NAK);
TRACE_DEFINE_ENUM(XR_AGAIN_UNASKED);
TRACE_DEFINE_ENUM(XR_AGAIN_MEMORY);
TRACE_DEFINE_ENUM(XR_AGAIN_HOLE);
TRACE_DEFINE_ENUM(XR_AGAIN_PROBE);

#define show_xr_state(state)						\
	__print_symbolic(state, { 0, "RESET" }, { 1, "INIT" }, { 2, "RTR" },	\
			 { 3, "RTS" }, { 4, "SQD" }, { 6, "ERR" })

#define show_xr_again(why)						\
	__print_symbolic(why, { XR_AGAIN_TIMEOUT, "timeout" },		\
			 { XR_AGAIN_SEQ_NAK, "sequence_nak" },		\
			 { XR_AGAIN_RNR_NAK, "rnr_nak" },		\
			 { XR_AGAIN_UNASKED, "not_asked" },		\
			 { XR_AGAIN_MEMORY, "memory" },			\
			 { XR_AGAIN_HOLE, "hole" },			\
			 { XR_AGAIN_PROBE, "probe" })

/* The queue pair changes its state: by QP_MODIFY or modify_qp, or because something has failed. */
TRACE_EVENT(xroce_qp_state,
	TP_PROTO(u32 link, u32 qpn, u32 from, u32 to),
	TP_ARGS(link, qpn, from, to),
	TP_STRUCT__entry(
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, from)
		__field(u32, to)
	),
	TP_fast_assign(
		__entry->link = link;
		__entry->qpn = qpn;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("link=%u qpn=%u from=%s to=%s", __entry->link, __entry->qpn,
		  show_xr_state(__entry->from), show_xr_state(__entry->to))
);

/* Requests from @una up to @psn are sent again; @retries: how often without progress. */
TRACE_EVENT(xroce_retransmit,
	TP_PROTO(u32 link, u32 qpn, u32 una, u32 psn, u32 retries, enum xr_again why),
	TP_ARGS(link, qpn, una, psn, retries, why),
	TP_STRUCT__entry(
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, una)
		__field(u32, psn)
		__field(u32, retries)
		__field(u32, why)
	),
	TP_fast_assign(
		__entry->link = link;
		__entry->qpn = qpn;
		__entry->una = una;
		__entry->psn = psn;
		__entry->retries = retries;
		__entry->why = why;
	),
	TP_printk("link=%u qpn=%u una=%u psn=%u retries=%u why=%s", __entry->link, __entry->qpn,
		  __entry->una, __entry->psn, __entry->retries, show_xr_again(__entry->why))
);

/* @syndrome: of the AETH (IBTA table 46): 0x20 to 0x3f RNR, 0x60 sequence, 0x61 to 0x63 fatal. */
DECLARE_EVENT_CLASS(xroce_nak,
	TP_PROTO(u32 link, u32 qpn, u32 psn, u32 syndrome),
	TP_ARGS(link, qpn, psn, syndrome),
	TP_STRUCT__entry(
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, syndrome)
	),
	TP_fast_assign(
		__entry->link = link;
		__entry->qpn = qpn;
		__entry->psn = psn;
		__entry->syndrome = syndrome;
	),
	TP_printk("link=%u qpn=%u psn=%u syndrome=%#x", __entry->link, __entry->qpn,
		  __entry->psn, __entry->syndrome)
);

/* The responder answers by a NAK. */
DEFINE_EVENT(xroce_nak, xroce_nak_sent,
	TP_PROTO(u32 link, u32 qpn, u32 psn, u32 syndrome),
	TP_ARGS(link, qpn, psn, syndrome)
);

/* The requester has received a NAK. */
DEFINE_EVENT(xroce_nak, xroce_nak_received,
	TP_PROTO(u32 link, u32 qpn, u32 psn, u32 syndrome),
	TP_ARGS(link, qpn, psn, syndrome)
);

/* @psn: the first packet that is missing; @kept: packets behind it that are not. */
DECLARE_EVENT_CLASS(xroce_sack,
	TP_PROTO(u32 link, u32 qpn, u32 psn, u32 kept),
	TP_ARGS(link, qpn, psn, kept),
	TP_STRUCT__entry(
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, kept)
	),
	TP_fast_assign(
		__entry->link = link;
		__entry->qpn = qpn;
		__entry->psn = psn;
		__entry->kept = kept;
	),
	TP_printk("link=%u qpn=%u psn=%u kept=%u", __entry->link, __entry->qpn, __entry->psn,
		  __entry->kept)
);

/* The responder sends a selective acknowledgement. */
DEFINE_EVENT(xroce_sack, xroce_sack_sent,
	TP_PROTO(u32 link, u32 qpn, u32 psn, u32 kept),
	TP_ARGS(link, qpn, psn, kept)
);

/* The requester has received one. */
DEFINE_EVENT(xroce_sack, xroce_sack_received,
	TP_PROTO(u32 link, u32 qpn, u32 psn, u32 kept),
	TP_ARGS(link, qpn, psn, kept)
);

DECLARE_EVENT_CLASS(xroce_count,
	TP_PROTO(u32 link, u32 qpn, u32 count),
	TP_ARGS(link, qpn, count),
	TP_STRUCT__entry(
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, count)
	),
	TP_fast_assign(
		__entry->link = link;
		__entry->qpn = qpn;
		__entry->count = count;
	),
	TP_printk("link=%u qpn=%u count=%u", __entry->link, __entry->qpn, __entry->count)
);

/* A packet is deferred until memory is present; @count: deferred packets of the queue pair. */
DEFINE_EVENT(xroce_count, xroce_defer,
	TP_PROTO(u32 link, u32 qpn, u32 count),
	TP_ARGS(link, qpn, count)
);

/* Work requests have been posted; @count: those that are not complete. */
DEFINE_EVENT(xroce_count, xroce_doorbell,
	TP_PROTO(u32 link, u32 qpn, u32 count),
	TP_ARGS(link, qpn, count)
);

/*
 * A fault of on-demand memory has been served. @addr: address in the process; @pages: how many were
 * needed; @error: 0 or a negative errno.
 */
TRACE_EVENT(xroce_fault,
	TP_PROTO(u64 addr, u64 pages, bool write, int error),
	TP_ARGS(addr, pages, write, error),
	TP_STRUCT__entry(
		__field(u64, addr)
		__field(u64, pages)
		__field(bool, write)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->addr = addr;
		__entry->pages = pages;
		__entry->write = write;
		__entry->error = error;
	),
	TP_printk("addr=%#llx pages=%llu write=%d error=%d", __entry->addr, __entry->pages,
		  __entry->write, __entry->error)
);

/* The peer of a queue pair, or the next hop to it, has another Ethernet address. */
TRACE_EVENT(xroce_peer_moved,
	TP_PROTO(u32 link, u32 qpn, const u8 *from, const u8 *to),
	TP_ARGS(link, qpn, from, to),
	TP_STRUCT__entry(
		__field(u32, link)
		__field(u32, qpn)
		__array(u8, from, ETH_ALEN)
		__array(u8, to, ETH_ALEN)
	),
	TP_fast_assign(
		__entry->link = link;
		__entry->qpn = qpn;
		memcpy(__entry->from, from, ETH_ALEN);
		memcpy(__entry->to, to, ETH_ALEN);
	),
	TP_printk("link=%u qpn=%u from=%pM to=%pM", __entry->link, __entry->qpn, __entry->from,
		  __entry->to)
);

/*
 * The MTU of the network device has changed, and is less than a packet of the queue pair's path MTU
 * may need. @path_mtu: bytes of payload; @needs: bytes from the IP header on.
 */
TRACE_EVENT(xroce_mtu_short,
	TP_PROTO(u32 link, u32 qpn, u32 path_mtu, u32 needs, u32 mtu),
	TP_ARGS(link, qpn, path_mtu, needs, mtu),
	TP_STRUCT__entry(
		__field(u32, link)
		__field(u32, qpn)
		__field(u32, path_mtu)
		__field(u32, needs)
		__field(u32, mtu)
	),
	TP_fast_assign(
		__entry->link = link;
		__entry->qpn = qpn;
		__entry->path_mtu = path_mtu;
		__entry->needs = needs;
		__entry->mtu = mtu;
	),
	TP_printk("link=%u qpn=%u path_mtu=%u needs=%u mtu=%u", __entry->link, __entry->qpn,
		  __entry->path_mtu, __entry->needs, __entry->mtu)
);

/* A limit refuses something. @uid: -1: no user; @kind: enum xroce_counted; @why: as in the log. */
TRACE_EVENT(xroce_refused,
	TP_PROTO(const char *dev, u32 uid, u32 kind, const char *what, const char *why),
	TP_ARGS(dev, uid, kind, what, why),
	TP_STRUCT__entry(
		__string(dev, dev)
		__field(u32, uid)
		__field(u32, kind)
		__string(what, what)
		__string(why, why)
	),
	TP_fast_assign(
		__assign_str(dev);
		__entry->uid = uid;
		__entry->kind = kind;
		__assign_str(what);
		__assign_str(why);
	),
	TP_printk("dev=%s uid=%d kind=%u what=%s, why=%s", __get_str(dev), __entry->uid,
		  __entry->kind, __get_str(what), __get_str(why))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
