/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of frames that the module builds: pieces of pages, which come back when the driver or the
 * receiver has done with a frame. Pages that are taken from the kernel and given back each time
 * have to be cleared each time, as most kernels are configured: an eighth of the work of a message
 * of 64 KiB.
 */
#ifndef _XR_FRAME_PAGES_H
#define _XR_FRAME_PAGES_H

#include <linux/percpu.h>
#include <net/page_pool/helpers.h>
#include <net/xdp.h>

/* A block of pieces has this order: six frames with 4 KiB of payload fit. */
#define XR_PAGES_ORDER	3

/**
 * struct xr_pages - what a CPU allocates frames from
 * @pool: blocks of 1 << XR_PAGES_ORDER pages; used by this CPU only, in softirq
 * @rxq: names it, for frames that are made of its pages
 */
struct xr_pages {
	struct page_pool *pool;
	struct xdp_rxq_info rxq;
};

DECLARE_PER_CPU(struct xr_pages, xr_pages);

/**
 * xr_pages_alloc() - allocate memory for a frame, in softirq
 * @size: bytes
 *
 * Return: the memory, which xdp_return_frame() or xr_pages_free() gives back by way of
 * xr_pages_rxq(); NULL: there is none, or no block of that order.
 */
static __always_inline void *xr_pages_alloc(u32 size)
{
	unsigned int offset;
	struct page *page;

	page = page_pool_dev_alloc_frag(this_cpu_read(xr_pages.pool), &offset, size);
	return likely(page) ? page_address(page) + offset : NULL;
}

/* Return: what a frame of xr_pages_alloc() names, on this CPU. */
static inline struct xdp_rxq_info *xr_pages_rxq(void)
{
	return this_cpu_ptr(&xr_pages.rxq);
}

void xr_pages_free(const struct xdp_buff *xdp);
int xr_pages_init(void);
void xr_pages_exit(void);

#endif
