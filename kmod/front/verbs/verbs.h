/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xroce_ib.ko: links as verbs devices of ib_core, for programs that use libibverbs. Their
 * provider is rdma-core's for rxe, whose user ABI (rdma/rdma_user_rxe.h) this module speaks; or, if
 * the device was made so, that of xroce (uapi/rdma/xroce-abi.h, user/provider/), whose queues have
 * the layout of uapi/xroce.h.
 *
 * A device is a front end of a link (obj/front.h), as an open /dev/xroce is. An open context
 * of the device is an owner of objects (own/owner.h), and so is the device itself, for consumers
 * in the kernel, of which the connection manager is one. The module keeps no tables of its own:
 * each object of ib_core names an object of the link, and the link's functions check who may
 * use it.
 *
 * Queues of consumers in the kernel have the same rings as those of programs with the provider of
 * rxe, but nobody maps them: post.c and poll_cq write and read them. Sends are copied into the
 * link's send queue at once, without a ring.
 *
 * Contexts
 *
 *   context                        sleeps  entry
 *   verbs of a program             yes     ib_uverbs; ib_core serialises those of an object
 *   doorbell of a send queue       yes     ib_uverbs, send.c, or its own file, doorbell.c: sends
 *                                          the first packets
 *   polling thread of a context    yes     a thread of the program, poll.c: sends packets
 *   verbs of the kernel: creating  yes     ib_core; address handles: no
 *   posting                        no      any, also in hardware interrupts; post.c
 *   polling, arming                no      any but hardware interrupts; cq.c
 *   arming by a program            yes     ib_uverbs; cq.c, which flushes receives posted in ERR
 *   netdev notifier (rtnl held)    yes     main.c
 *   events, completions (softirq)  no      event.c
 *   rdma link add (rtnl not held)  yes     device.c
 *   unregistration                 yes     ib_core, any thread: device.c
 *
 * Locks: those of ib_core, then rtnl (joining and leaving multicast groups) or
 * xr_ibqp::modify_lock (mutex: attributes of a queue pair), then
 * xr_ibdevs_lock (mutex: the list of devices) or xr_ibdev::counters_lock (mutex: counters of
 * queue pairs) or xr_doorbell::lock (rw_semaphore: its context) or xr_poll::lock (mutex: likewise),
 * then those of the core from xr_links_lock on (main.h), and last xr_ib_unread::lock (events that
 * programs have not read) or xr_polls_lock (mutex: the list of polling threads).
 */
#ifndef _XR_VERBS_H
#define _XR_VERBS_H

#include <linux/atomic.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/uverbs_ioctl.h>

#include "xroce_counter.h"
#include "uapi/rdma/xroce-abi.h"

#include "obj/front.h"
#include "obj/ring.h"
#include "own/owner.h"
#include "send/wqe.h"

struct rdma_counter;
struct rdma_hw_stats;
struct uapi_definition;
struct xr_cq;
struct xr_doorbell;
struct xr_ibcounter;
struct xr_link;
struct xr_mr;
struct xr_poll;
struct xr_qp;
struct xr_srq;

/* The only port of each device. */
#define XR_IB_PORT	1
/* rxe's; its header does not define it. */
#define XR_IB_ABI	2
/* Numbers of protection domains, completion queues and shared receive queues: 24 bits. */
#define XR_IB_MANY	0xffffff
/* Pages of a region that work requests register: 4 MiB with the smallest. */
#define XR_IB_MR_PAGES	1024u
/* Counters of a queue pair that can be bound to a counter of ib_core: see stats.c. */
enum {
	XR_IB_REQUESTS,
	XR_IB_REQUEST_BYTES,
	XR_IB_NAKS,
	/* These are sums of a link's counters, the following ones are the link's as well. */
	XR_IB_SUMS,
	XR_IB_QP_COUNTS = XR_IB_SUMS + sizeof(struct {
		XROCE_LINK_COUNTERS(XROCE_COUNTER_SKIP, XROCE_COUNTER_FIELD, XROCE_COUNTER_FIELD,
				    XROCE_COUNTER_SKIP, XROCE_COUNTER_SKIP)
	}) / sizeof(u64),
};

/**
 * struct xr_ibdev - a verbs device
 * @ib: the device of ib_core, which frees this structure
 * @front: ties the device to its link; @front.link is set from before the device is
 *	registered until xr_ib_dealloc_driver(), so all operations may use it
 * @ndev: network device, with a reference, until it goes; read under RCU, written under
 *	xr_ibdevs_lock
 * @ndev_tracker: tracks the reference to @ndev
 * @own: programs use the provider of xroce, not that of rxe; does not change
 * @state: the port's state that was last reported; under xr_ibdevs_lock
 * @contexts: open contexts
 * @ahs: address handles, struct xr_ah by number, with the lock of the XArray
 * @ah_next: number from which a free one is looked for, under that lock
 * @counters: counters of queue pairs, struct xr_ibcounter by number
 * @counters_gone: what counters have counted that do not exist any more
 * @counters_lock: for @counters, @counters_gone, and xr_ibqp::counter and what follows it
 * @node: in the list of devices, under xr_ibdevs_lock
 */
struct xr_ibdev {
	struct ib_device ib;
	struct xr_front front;
	struct net_device __rcu *ndev;
	netdevice_tracker ndev_tracker;
	bool own;
	enum ib_port_state state;
	atomic_t contexts;
	struct xarray ahs;
	u32 ah_next;
	struct xarray counters;
	u64 counters_gone[XR_IB_QP_COUNTS];
	struct mutex counters_lock;
	struct list_head node;
};

/**
 * struct xr_ibctx - an open context of a device
 * @ib: the context of ib_core
 * @own: owner of the objects that are made through it
 * @link: link of the device
 * @doorbell: its doorbell; NULL: the provider is that of rxe
 * @poll: thread that polls its send queues; NULL: none
 */
struct xr_ibctx {
	struct ib_ucontext ib;
	struct xr_owner own;
	struct xr_link *link;
	struct xr_doorbell *doorbell;
	struct xr_poll *poll;
};

/**
 * struct xr_ibpd - protection domain
 * @ib: the object of ib_core
 * @id: number on the link
 */
struct xr_ibpd {
	struct ib_pd ib;
	u32 id;
};

/* Kinds of asynchronous events of an object that can come more than once. */
enum xr_ib_kind {
	XR_IB_QP_FATAL,
	XR_IB_QP_DRAINED,
	XR_IB_QP_LAST_WQE,
	XR_IB_KINDS,
	XR_IB_SRQ_LIMIT = 0,
};

/**
 * struct xr_ib_unread - events of an object that the program has not read: see event.c
 * @lock: protects all fields; taken with bottom halves off
 * @looked: @known has been found out
 * @known: the structures of ib_uverbs are those that event.c knows
 * @next: number of the next event; the program has read those before ib_uverbs' counter
 * @queued: bits of kinds: one has been queued since all had been read
 * @last: of each of these kinds, the number of the last event
 */
struct xr_ib_unread {
	spinlock_t lock;
	bool looked;
	bool known;
	u32 next;
	u32 queued;
	u32 last[XR_IB_KINDS];
};

/**
 * struct xr_ibcq - completion queue
 * @ib: the object of ib_core; the context of @cq is this structure
 * @cq: the link's completion queue, from create_cq to destroy_cq
 * @tasklet: notifies a consumer in the kernel, which may call verbs then
 * @runs: how often the tasklet has begun to run; it wraps
 * @unread: completion events
 */
struct xr_ibcq {
	struct ib_cq ib;
	struct xr_cq *cq;
	struct tasklet_struct tasklet;
	unsigned long runs;
	struct xr_ib_unread unread;
};

/**
 * struct xr_ibsrq - shared receive queue
 * @ib: the object of ib_core; the context of @srq is this structure
 * @srq: the link's shared receive queue, from create_srq to destroy_srq
 * @unread: its events
 */
struct xr_ibsrq {
	struct ib_srq ib;
	struct xr_srq *srq;
	struct xr_ib_unread unread;
};

/**
 * struct xr_ah - address handle
 * @pd: protection domain
 * @num: number that the provider puts into work requests, in xr_ibdev::ahs; 0: of the kernel
 * @attr: the address; without a reference to the GID entry, which the object of ib_core has
 * @to: where datagrams go, but for the queue pair; a source port of 0 is chosen for each
 * @charge: its charge against limits; of the kernel: none
 */
struct xr_ah {
	const struct ib_pd *pd;
	u32 num;
	struct rdma_ah_attr attr;
	struct xr_send_ud to;
	struct xr_charge charge;
};

/**
 * struct xr_ibah - object of an address handle
 * @ib: the object of ib_core
 * @ah: the handle: ib_core charges no control group for the memory of the object
 */
struct xr_ibah {
	struct ib_ah ib;
	struct xr_ah *ah;
};

/**
 * struct xr_ibmr - memory region
 * @ib: the object of ib_core, whose keys begin with the handle on the link
 * @mr: the link's region, if work requests register it; else NULL
 * @pages: likewise: pages of the memory that map_mr_sg is naming
 */
struct xr_ibmr {
	struct ib_mr ib;
	struct xr_mr *mr;
	u32 pages;
};

/**
 * struct xr_ibmw - memory window
 * @ib: the object of ib_core
 * @index: its handle on the link
 */
struct xr_ibmw {
	struct ib_mw ib;
	u32 index;
};

/**
 * struct xr_ibqp - queue pair
 * @ib: the object of ib_core; the context of @qp is this structure
 * @qp: the link's queue pair, from create_qp to destroy_qp
 * @send: the ring that the program posts sends to, in the format of rxe; none: of the kernel, or
 *	the link's queue pair has it
 * @send_mask: number of its entries - 1
 * @send_stride: size of an entry in bytes
 * @cap: what create_qp has granted
 * @sq_sig_type: which sends make completions
 * @last_wqe: IB_EVENT_QP_LAST_WQE_REACHED has been raised since the last RESET
 * @unread: its events
 * @modify_lock: serialises modify_qp and query_qp
 * @attr: attributes that the link does not keep, as modify_qp has set them; under @modify_lock
 * @counter: the counter that it is bound to; NULL: none
 * @dying: it is being destroyed, and cannot be bound to a counter
 * @in_counter: in the list of @counter
 * @counted: values of its counters that do not belong to @counter: those when it was bound
 *
 * @counter and the fields after it are under xr_ibdev::counters_lock. @qp, @send_mask,
 * @send_stride, @cap and @sq_sig_type do not change.
 */
struct xr_ibqp {
	struct ib_qp ib;
	struct xr_qp *qp;
	struct xr_ring send;
	u32 send_mask;
	u32 send_stride;
	struct ib_qp_cap cap;
	enum ib_sig_type sq_sig_type;
	bool last_wqe;
	struct xr_ib_unread unread;
	struct mutex modify_lock;
	struct ib_qp_attr attr;
	struct xr_ibcounter *counter;
	bool dying;
	struct list_head in_counter;
	u64 counted[XR_IB_QP_COUNTS];
};

static inline struct xr_ibdev *to_xr_ibdev(struct ib_device *ib)
{
	return container_of(ib, struct xr_ibdev, ib);
}

static inline struct xr_ibctx *to_xr_ibctx(struct ib_ucontext *ib)
{
	return container_of(ib, struct xr_ibctx, ib);
}

static inline struct xr_ibpd *to_xr_ibpd(struct ib_pd *ib)
{
	return container_of(ib, struct xr_ibpd, ib);
}

static inline struct xr_ibcq *to_xr_ibcq(struct ib_cq *ib)
{
	return container_of(ib, struct xr_ibcq, ib);
}

static inline struct xr_ibsrq *to_xr_ibsrq(struct ib_srq *ib)
{
	return container_of(ib, struct xr_ibsrq, ib);
}

static inline struct xr_ibah *to_xr_ibah(struct ib_ah *ib)
{
	return container_of(ib, struct xr_ibah, ib);
}

static inline struct xr_ibmr *to_xr_ibmr(struct ib_mr *ib)
{
	return container_of(ib, struct xr_ibmr, ib);
}

static inline struct xr_ibmw *to_xr_ibmw(struct ib_mw *ib)
{
	return container_of(ib, struct xr_ibmw, ib);
}

static inline struct xr_ibqp *to_xr_ibqp(struct ib_qp *ib)
{
	return container_of(ib, struct xr_ibqp, ib);
}

/* The context of a command of a program; NULL: a consumer in the kernel. */
static inline struct xr_ibctx *xr_ib_udata_ctx(struct ib_udata *udata)
{
	return rdma_udata_to_drv_context(udata, struct xr_ibctx, ib);
}

/* The owner of objects that a command makes or destroys. */
static inline struct xr_owner *xr_ib_owner(struct ib_device *ib, struct ib_udata *udata)
{
	struct xr_ibctx *ctx = xr_ib_udata_ctx(udata);

	return ctx ? &ctx->own : &to_xr_ibdev(ib)->front.own;
}

static inline struct xr_link *xr_ib_link(struct ib_device *ib)
{
	return to_xr_ibdev(ib)->front.link;
}

/* The context of an existing object of a program. */
static inline struct xr_ibctx *xr_ib_uobject_ctx(const struct ib_uobject *uobject)
{
	return to_xr_ibctx(uobject->context);
}

/* Layout of the queues that a command makes. */
static inline enum xr_format xr_ib_format(struct ib_device *ib, const struct ib_udata *udata)
{
	return udata && to_xr_ibdev(ib)->own ? XR_FORMAT_OWN : XR_FORMAT_RXE;
}

/* Slots of a ring of @format that are always empty. */
static inline u32 xr_ib_empty(enum xr_format format)
{
	return format == XR_FORMAT_RXE;
}

/* The slots of a ring of @format that holds at least @n entries. */
static inline u32 xr_ib_slots(enum xr_format format, u32 n)
{
	return roundup_pow_of_two(max(n, 1u) + xr_ib_empty(format));
}

static inline struct xroce_abi_ring xr_ib_ring(u64 offset, u64 bytes, u32 entries, u32 stride)
{
	return (struct xroce_abi_ring){
		.offset = offset, .bytes = bytes, .entries = entries, .stride = stride,
	};
}

/* Answer the provider of a program, if it is one, with as much as it has room for. */
static inline int xr_ib_respond(struct ib_udata *udata, void *resp, size_t bytes)
{
	return udata ? ib_copy_to_udata(udata, resp, min(bytes, udata->outlen)) : 0;
}

/* port.c */
int xr_ib_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		       struct ib_udata *udata);
int xr_ib_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr);
int xr_ib_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);
int xr_ib_get_port_immutable(struct ib_device *ib, u32 port,
			     struct ib_port_immutable *immutable);
enum rdma_link_layer xr_ib_get_link_layer(struct ib_device *ib, u32 port);
struct net_device *xr_ib_get_netdev(struct ib_device *ib, u32 port);
void xr_ib_get_dev_fw_str(struct ib_device *ib, char *str);
__be64 xr_ib_node_guid(const struct net_device *ndev);
enum ib_port_state xr_ib_port_state(const struct net_device *ndev);
void xr_ib_port_changed(struct xr_ibdev *dev, const struct net_device *ndev);

/* pma.c */
int xr_ib_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *in_wc,
		      const struct ib_grh *in_grh, const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_size, u16 *out_pkey_index);

/* stats.c */
struct rdma_hw_stats *xr_ib_alloc_hw_port_stats(struct ib_device *ib, u32 port);
int xr_ib_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index);
int xr_ib_counter_unbind_qp(struct ib_qp *ib, u32 port);
int xr_ib_counter_dealloc(struct rdma_counter *counter);
int xr_ib_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ib, u32 port);
struct rdma_hw_stats *xr_ib_counter_alloc_stats(struct rdma_counter *counter);
int xr_ib_counter_update_stats(struct rdma_counter *counter);
void xr_ib_counter_quit(struct xr_ibqp *qp);
void xr_ib_counter_stay(struct xr_ibqp *qp);
void xr_ib_counter_keep(struct xr_ibqp *qp);
void xr_ib_counter_restart(struct xr_ibqp *qp);

/* ctx.c */
int xr_ib_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata);
void xr_ib_dealloc_ucontext(struct ib_ucontext *ib);
int xr_ib_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma);
void xr_ib_disassociate_ucontext(struct ib_ucontext *ib);

/* doorbell.c */
int xr_doorbell_open(struct xr_ibctx *ctx, struct ib_udata *udata,
		     struct xroce_alloc_ucontext_resp *resp);
extern const struct uapi_definition xr_ib_uapi[];
int xr_ib_query_ucontext(struct ib_ucontext *ib, struct uverbs_attr_bundle *attrs);
void xr_doorbell_close(struct xr_ibctx *ctx);

/* poll.c */
int xr_poll_open(struct xr_ibctx *ctx, u32 us, struct xroce_abi_ring *ring);
void xr_poll_rung(struct xr_ibctx *ctx);
void xr_poll_close(struct xr_ibctx *ctx);

/* event.c */
extern const struct xr_owner_ops xr_ib_owner_ops;
void xr_ib_unread_init(struct xr_ib_unread *u);
void xr_ib_cq_init(struct xr_ibcq *cq);
void xr_ib_cq_settle(struct ib_cq *ib);
void xr_ib_last_wqe(struct xr_ibqp *qp);

/* mcast.c */
int xr_ib_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);
int xr_ib_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);
void xr_ib_mcast_moved(struct xr_ibdev *dev, struct net_device *ndev);

/* pd.c */
int xr_ib_alloc_pd(struct ib_pd *ib, struct ib_udata *udata);
int xr_ib_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata);

/* cq.c */
int xr_ib_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs);
int xr_ib_destroy_cq(struct ib_cq *ib, struct ib_udata *udata);
int xr_ib_modify_cq(struct ib_cq *ib, u16 count, u16 period);
int xr_ib_resize_cq(struct ib_cq *ib, int cqe, struct ib_udata *udata);
int xr_ib_poll_cq(struct ib_cq *ib, int n, struct ib_wc *wc);
int xr_ib_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags);

/* srq.c */
int xr_ib_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init,
		     struct ib_udata *udata);
int xr_ib_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr,
		     enum ib_srq_attr_mask mask, struct ib_udata *udata);
int xr_ib_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr);
int xr_ib_destroy_srq(struct ib_srq *ib, struct ib_udata *udata);

/* Programs that use libibverbs know one errno for tables that are full. */
static inline int xr_ib_errno(int ret)
{
	return ret == -ENOSPC || ret == -E2BIG ? -ENOMEM : ret;
}

/* ah.c */
int xr_ib_av_check(const struct rdma_ah_attr *attr);
bool xr_ib_ah_get(struct xr_ibdev *dev, const struct ib_pd *pd, u32 num, struct xr_send_ud *ud);
bool xr_ib_address(const struct xr_qp *qp, u32 ah, struct xr_send_ud *to);
int xr_ib_av_resolve(struct rdma_ah_attr *attr);
int xr_ib_av_vlan(const struct rdma_ah_attr *attr, u16 *vlan);
void xr_ib_av_keep(struct rdma_ah_attr *to, const struct rdma_ah_attr *attr);
int xr_ib_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int xr_ib_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int xr_ib_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int xr_ib_destroy_ah(struct ib_ah *ib, u32 flags);

/* mr.c */
struct ib_mr *xr_ib_reg_user_mr(struct ib_pd *ib, u64 start, u64 length, u64 iova, int access,
				struct ib_udata *udata);
struct ib_mr *xr_ib_get_dma_mr(struct ib_pd *ib, int access);
struct ib_mr *xr_ib_alloc_mr(struct ib_pd *ib, enum ib_mr_type type, u32 pages);
int xr_ib_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int nents, unsigned int *offset);
struct ib_mr *xr_ib_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length, u64 iova,
				  int access, struct ib_pd *pd, struct ib_udata *udata);
int xr_ib_dereg_mr(struct ib_mr *ib, struct ib_udata *udata);
int xr_ib_advise_mr(struct ib_pd *ib, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    struct ib_sge *sge, u32 num_sge, struct uverbs_attr_bundle *attrs);

/* mw.c */
int xr_ib_alloc_mw(struct ib_mw *ib, struct ib_udata *udata);
int xr_ib_dealloc_mw(struct ib_mw *ib);

/* qp.c */
int xr_ib_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata);
int xr_ib_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);
int xr_ib_destroy_qp(struct ib_qp *ib, struct ib_udata *udata);

/* qp_modify.c */
int xr_ib_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		    struct ib_udata *udata);

/* send.c */
int xr_ib_send_create(struct xr_ibqp *qp, struct ib_udata *udata, struct ib_qp_cap *cap);
int xr_ib_send_open(struct xr_ibqp *qp, const struct ib_qp_cap *cap);
void xr_ib_send_ask(struct xroce_qp_add *a, struct ib_qp_cap *cap);
void xr_ib_send_destroy(struct xr_ibqp *qp);
void xr_ib_send_to(const struct xr_qp *qp, struct xr_send_ud *ud, u32 qpn, u32 qkey);
int xr_ib_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		    const struct ib_send_wr **bad);
int xr_ib_send_drain(struct xr_ibqp *qp);

/* post.c */
int xr_ib_post_kernel(struct xr_ibqp *qp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad);
int xr_ib_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		    const struct ib_recv_wr **bad);
int xr_ib_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad);

#endif
