// SPDX-License-Identifier: GPL-2.0-only
/* Memory of frames: see pages.h. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/topology.h>

#include "pages.h"

/*
 * Blocks that a pool keeps for itself beyond those that the CPU has at hand: those that another CPU
 * has given back. 2 MiB.
 */
#define XR_PAGES_KEPT	64

DEFINE_PER_CPU(struct xr_pages, xr_pages);

/* Free a frame, of a pool or not. xdp_return_buff() is for a poll of the driver only. */
void xr_pages_free(const struct xdp_buff *xdp)
{
	struct xdp_frame frame = {
		.data = xdp->data_hard_start,
		.mem = xdp->rxq->mem,
	};

	xdp_return_frame(&frame);
}

/* The pool itself goes with the last page that comes back. */
static void xr_pages_close(struct xr_pages *p)
{
	if (!p->pool)
		return;
	if (p->rxq.mem.id)
		xdp_unreg_mem_model(&p->rxq.mem);
	page_pool_destroy(p->pool);
	p->pool = NULL;
}

static int xr_pages_open(struct xr_pages *p, unsigned int cpu)
{
	const struct page_pool_params params = {
		.order = XR_PAGES_ORDER,
		.pool_size = XR_PAGES_KEPT,
		.nid = cpu_to_node(cpu),
	};
	struct page_pool *pool = page_pool_create_percpu(&params, cpu);

	if (IS_ERR(pool))
		return PTR_ERR(pool);
	p->pool = pool;
	return xdp_reg_mem_model(&p->rxq.mem, MEM_TYPE_PAGE_POOL, pool);
}

/* Return: 0; -ENOMEM. */
int xr_pages_init(void)
{
	unsigned int cpu;
	int ret;

	for_each_possible_cpu(cpu) {
		ret = xr_pages_open(per_cpu_ptr(&xr_pages, cpu), cpu);
		if (ret) {
			xr_pages_exit();
			return ret;
		}
	}
	return 0;
}

/*
 * No frame is built any more. Those that have been sent may still come back, on the CPU of their
 * pool to the cache that is emptied here: a page that came to it afterwards would stay for ever. So
 * first those CPUs see that it is not to be used.
 */
void xr_pages_exit(void)
{
	struct page_pool *pool;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		pool = per_cpu_ptr(&xr_pages, cpu)->pool;
		if (pool)
			page_pool_disable_direct_recycling(pool);
	}
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		xr_pages_close(per_cpu_ptr(&xr_pages, cpu));
}
