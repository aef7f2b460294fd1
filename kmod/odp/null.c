// SPDX-License-Identifier: GPL-2.0-only
/*
 * Null memory: an address space of which every access reads zeros, and to which writes are
 * discarded. It has no pages of its own: to an access it looks like implicit on-demand memory of
 * which all pages are resident, all of them in one child, which xr_null_ready() chooses by what the
 * access does. Nobody reads the page that is written to.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "odp.h"

/* Their entries do not change after xr_null_init(). */
static struct xr_odp_child xr_null_zeros, xr_null_sink;
static struct page *xr_null_page;

static void xr_null_fill(struct xr_odp_child *child, struct page *page, u64 rights)
{
	int i;

	for (i = 0; i < XR_ODP_PAGES; i++)
		child->entry[i] = page_to_phys(page) | rights;
}

int xr_null_init(void)
{
	xr_null_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!xr_null_page)
		return -ENOMEM;
	xr_null_fill(&xr_null_zeros, ZERO_PAGE(0), XR_ODP_READ);
	xr_null_fill(&xr_null_sink, xr_null_page, XR_ODP_RIGHTS);
	return 0;
}

void xr_null_exit(void)
{
	__free_page(xr_null_page);
}

static void xr_null_release(struct xr_umem *umem)
{
	kfree(umem);
}

static const struct xr_umem_ops xr_null_ops = {
	.release = xr_null_release,
};

/**
 * xr_null() - make null memory
 *
 * Only for regions without remote rights: what a peer reads after it has written, as atomic
 * operations do, would be what others have written.
 *
 * Return: the memory, with one user; ERR_PTR(-ENOMEM).
 */
struct xr_umem *xr_null(void)
{
	struct xr_umem *umem = kzalloc(sizeof(*umem), GFP_KERNEL_ACCOUNT);

	if (!umem)
		return ERR_PTR(-ENOMEM);
	umem->ops = &xr_null_ops;
	refcount_set(&umem->users, 1);
	umem->length = U64_MAX;
	umem->writable = true;
	umem->on_demand = true;
	umem->sparse = true;
	umem->null = true;
	umem->page_shift = PAGE_SHIFT;
	return umem;
}

/* Before an access to null memory, in softirq: choose the child for xr_odp_sparse_at(). */
void xr_null_ready(bool write)
{
	struct xr_odp_child *child = write ? &xr_null_sink : &xr_null_zeros;

	this_cpu_write(xr_odp_found, child);
}
