// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: "rdma statistic show link" shows those of "xroce stat", and so does sysfs, in
 * hw_counters/.
 *
 * A queue pair can be bound to a counter of its own ("rdma statistic qp"). For what a port
 * shows, ib_core adds the values of all these counters to those of xr_ib_get_hw_stats(), by
 * their position, as if the port did not count what they count. So the first counters of a port
 * are those that a queue pair has, too, and xr_ib_get_hw_stats() subtracts the others' values.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#include "obj/link.h"
#include "qp/qp.h"
#include "qp/query.h"

#include "stats.h"
#include "verbs.h"

#define XR_IB_WORDS	(sizeof(struct xroce_stat) / sizeof(u64))

/* @priv: where the value is in the sum of struct xroce_stat. */
#define PORT(field, ...)	PORT_AS(field, 0, field)
#define PORT_AS(field, text, as) \
	{ #as, 0, (const void *)offsetof(struct xroce_stat, field) },

/* Anybody can read them. Last, and not from the map: what limits have refused. */
static const struct rdma_stat_desc xr_ib_stats[] = {
	{ "requests" }, { "request_bytes" }, { "naks" },
	XROCE_LINK_COUNTERS(XROCE_COUNTER_SKIP, PORT, PORT_AS, XROCE_COUNTER_SKIP,
			    XROCE_COUNTER_SKIP)
	/* XR_IB_QP_COUNTS. From here on counters of links only. */
	XROCE_LINK_COUNTERS(PORT, XROCE_COUNTER_SKIP, XROCE_COUNTER_SKIP, XROCE_COUNTER_SKIP,
			    XROCE_COUNTER_SKIP)
	{ "refused" },
};

#define XR_IB_REFUSED	(ARRAY_SIZE(xr_ib_stats) - 1)

#define QP(field, text, place)	offsetof(struct xroce_qp_query, place),

/* Where the first of these are in struct xroce_qp_query. */
static const u16 xr_ib_of_qp[XR_IB_QP_COUNTS] = {
	offsetof(struct xroce_qp_query, packets),
	offsetof(struct xroce_qp_query, bytes),
	offsetof(struct xroce_qp_query, naks),
	XROCE_LINK_COUNTERS(XROCE_COUNTER_SKIP, QP, QP, XROCE_COUNTER_SKIP, XROCE_COUNTER_SKIP)
};

/**
 * struct xr_ibcounter - counter to which queue pairs are bound
 * @id: its number
 * @qps: struct xr_ibqp
 * @gone: what the queue pairs have counted that are not bound to it any more, or that have
 *	been reset
 *
 * Under xr_ibdev::counters_lock.
 */
struct xr_ibcounter {
	u32 id;
	struct list_head qps;
	u64 gone[XR_IB_QP_COUNTS];
};

/* Add up the copies of all CPUs, and what the module and the XDP program have sent. */
void xr_ib_stat_sum(const struct xr_link *link, struct xroce_stat *sum)
{
	u64 *to = (u64 *)sum;
	unsigned int i;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const u64 *from = (const u64 *)per_cpu_ptr(link->stat, cpu);

		for (i = 0; i < XR_IB_WORDS; i++)
			to[i] += READ_ONCE(from[i]);
	}
	/* See struct xroce_stat: tx_more is without XROCE_ACK_BYTES for each response. */
	sum->tx_more += sum->tx * XROCE_ACK_BYTES + sum->read_bytes + sum->module_tx_bytes;
	sum->tx += sum->module_tx;
}

struct rdma_hw_stats *xr_ib_alloc_hw_port_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(xr_ib_stats, ARRAY_SIZE(xr_ib_stats),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/* Read the counters of a queue pair, which count since it was connected. */
static void xr_ib_qp_read(const struct xr_ibqp *qp, u64 *value)
{
	struct xroce_qp_query q = { .qpn = qp->ib.qp_num };
	u32 i;

	if (xr_qp_query(qp->qp->link, qp->qp->owner, &q))
		memset(&q, 0, sizeof(q));
	for (i = 0; i < XR_IB_QP_COUNTS; i++)
		value[i] = *(u64 *)((void *)&q + xr_ib_of_qp[i]);
}

/* Add what the queue pair has counted for its counter. */
static void xr_ib_qp_add(const struct xr_ibqp *qp, u64 *sum)
{
	u64 now[XR_IB_QP_COUNTS];
	u32 i;

	xr_ib_qp_read(qp, now);
	for (i = 0; i < XR_IB_QP_COUNTS; i++)
		/* Values that have become less: it has been connected again. */
		sum[i] += now[i] - (now[i] >= qp->counted[i] ? qp->counted[i] : 0);
}

static void xr_ib_counter_add(const struct xr_ibcounter *counter, u64 *sum)
{
	const struct xr_ibqp *qp;
	u32 i;

	for (i = 0; i < XR_IB_QP_COUNTS; i++)
		sum[i] += counter->gone[i];
	list_for_each_entry(qp, &counter->qps, in_counter)
		xr_ib_qp_add(qp, sum);
}

/* Add the values of all counters to which queue pairs are or were bound. */
static void xr_ib_counters_add(struct xr_ibdev *dev, u64 *sum)
{
	const struct xr_ibcounter *counter;
	unsigned long id;
	u32 i;

	mutex_lock(&dev->counters_lock);
	for (i = 0; i < XR_IB_QP_COUNTS; i++)
		sum[i] += dev->counters_gone[i];
	xa_for_each(&dev->counters, id, counter)
		xr_ib_counter_add(counter, sum);
	mutex_unlock(&dev->counters_lock);
}

int xr_ib_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib);
	u64 elsewhere[XR_IB_QP_COUNTS] = {};
	struct xroce_stat sum;
	u32 i;

	if (port != XR_IB_PORT)
		return -EINVAL;
	/* In this order: the sums then contain what is subtracted. */
	xr_ib_counters_add(dev, elsewhere);
	xr_ib_stat_sum(dev->front.link, &sum);
	sum.acc_key += sum.acc_pd + sum.acc_qp;
	for (i = XR_IB_SUMS; i < XR_IB_REFUSED; i++)
		stats->value[i] = *(u64 *)((void *)&sum + (size_t)xr_ib_stats[i].priv);
	stats->value[XR_IB_REQUESTS] = sum.write + sum.send + sum.read + sum.atomic + sum.flush;
	stats->value[XR_IB_REQUEST_BYTES] = sum.write_bytes + sum.send_bytes;
	stats->value[XR_IB_REFUSED] = xr_limits_refused(&dev->front.link->limits);
	stats->value[XR_IB_NAKS] = sum.nak_seq + sum.nak_inv + sum.nak_acc + sum.nak_op +
				   sum.nak_rnr;
	for (i = 0; i < XR_IB_QP_COUNTS; i++)
		stats->value[i] -= min(stats->value[i], elsewhere[i]);
	return ARRAY_SIZE(xr_ib_stats);
}

struct rdma_hw_stats *xr_ib_counter_alloc_stats(struct rdma_counter *counter)
{
	struct rdma_hw_stats *stats;

	/* ib_core adds each value of a counter to that of the port, so there must be as many. */
	stats = rdma_alloc_hw_stats_struct(xr_ib_stats, ARRAY_SIZE(xr_ib_stats),
					   RDMA_HW_STATS_DEFAULT_LIFESPAN);
	if (stats)
		bitmap_set(stats->is_disabled, XR_IB_QP_COUNTS,
			   ARRAY_SIZE(xr_ib_stats) - XR_IB_QP_COUNTS);
	return stats;
}

int xr_ib_counter_update_stats(struct rdma_counter *counter)
{
	struct xr_ibdev *dev = to_xr_ibdev(counter->device);
	const struct xr_ibcounter *c;

	mutex_lock(&dev->counters_lock);
	memset(counter->stats->value, 0, XR_IB_QP_COUNTS * sizeof(u64));
	c = xa_load(&dev->counters, counter->id);
	if (c)
		xr_ib_counter_add(c, counter->stats->value);
	mutex_unlock(&dev->counters_lock);
	return 0;
}

/* The counter of ib_core; a new one has no number yet. Return: an ERR_PTR if there is none. */
static struct xr_ibcounter *xr_ib_counter_get(struct xr_ibdev *dev, struct rdma_counter *counter)
{
	struct xr_ibcounter *c;
	int ret;

	if (counter->id)
		return xa_load(&dev->counters, counter->id) ?: ERR_PTR(-ENOENT);
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&c->qps);
	ret = xa_alloc(&dev->counters, &c->id, c, xa_limit_31b, GFP_KERNEL);
	if (ret) {
		kfree(c);
		return ERR_PTR(ret);
	}
	counter->id = c->id;
	return c;
}

/*
 * ib_core leaves ib_qp::counter to the driver, and reads it to find what to unbind. It serialises
 * neither two binds of a queue pair, nor, in some kernels, a bind and destroy_qp.
 */
int xr_ib_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ib, u32 port)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib->device);
	struct xr_ibqp *qp = to_xr_ibqp(ib);
	struct xr_ibcounter *c;

	mutex_lock(&dev->counters_lock);
	c = qp->counter || qp->dying ? ERR_PTR(-EINVAL) : xr_ib_counter_get(dev, counter);
	if (!IS_ERR(c)) {
		xr_ib_qp_read(qp, qp->counted);
		qp->counter = c;
		ib->counter = counter;
		list_add_tail(&qp->in_counter, &c->qps);
	}
	mutex_unlock(&dev->counters_lock);
	return PTR_ERR_OR_ZERO(c);
}

/* The lock is held. */
static void xr_ib_counter_unbind(struct xr_ibqp *qp)
{
	if (!qp->counter)
		return;
	xr_ib_qp_add(qp, qp->counter->gone);
	list_del(&qp->in_counter);
	qp->counter = NULL;
	qp->ib.counter = NULL;
}

int xr_ib_counter_unbind_qp(struct ib_qp *ib, u32 port)
{
	struct xr_ibdev *dev = to_xr_ibdev(ib->device);

	mutex_lock(&dev->counters_lock);
	xr_ib_counter_unbind(to_xr_ibqp(ib));
	mutex_unlock(&dev->counters_lock);
	return 0;
}

/*
 * A queue pair is about to be destroyed: unbind it from its counter, and refuse to bind it again.
 * ib_core has unbound it, but may have bound it again meanwhile.
 */
void xr_ib_counter_quit(struct xr_ibqp *qp)
{
	struct xr_ibdev *dev = to_xr_ibdev(qp->ib.device);

	mutex_lock(&dev->counters_lock);
	xr_ib_counter_unbind(qp);
	qp->dying = true;
	mutex_unlock(&dev->counters_lock);
}

/* After xr_ib_counter_quit() the queue pair could not be destroyed: it may be bound again. */
void xr_ib_counter_stay(struct xr_ibqp *qp)
{
	struct xr_ibdev *dev = to_xr_ibdev(qp->ib.device);

	mutex_lock(&dev->counters_lock);
	qp->dying = false;
	mutex_unlock(&dev->counters_lock);
}

/*
 * The queue pair's counters are about to be set to 0: modify_qp to RESET or RTR. Keep what
 * they have counted.
 */
void xr_ib_counter_keep(struct xr_ibqp *qp)
{
	struct xr_ibdev *dev = to_xr_ibdev(qp->ib.device);

	mutex_lock(&dev->counters_lock);
	if (qp->counter) {
		xr_ib_qp_add(qp, qp->counter->gone);
		xr_ib_qp_read(qp, qp->counted);
	}
	mutex_unlock(&dev->counters_lock);
}

/* The queue pair's counters have been set to 0, after xr_ib_counter_keep(). */
void xr_ib_counter_restart(struct xr_ibqp *qp)
{
	struct xr_ibdev *dev = to_xr_ibdev(qp->ib.device);

	mutex_lock(&dev->counters_lock);
	memset(qp->counted, 0, sizeof(qp->counted));
	mutex_unlock(&dev->counters_lock);
}

/* No queue pair is bound to the counter. ib_core keeps its last values, see above. */
int xr_ib_counter_dealloc(struct rdma_counter *counter)
{
	struct xr_ibdev *dev = to_xr_ibdev(counter->device);
	struct xr_ibcounter *c;
	u32 i;

	mutex_lock(&dev->counters_lock);
	c = xa_erase(&dev->counters, counter->id);
	for (i = 0; c && i < XR_IB_QP_COUNTS; i++)
		dev->counters_gone[i] += c->gone[i];
	mutex_unlock(&dev->counters_lock);
	kfree(c);
	return 0;
}
