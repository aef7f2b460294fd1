// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of the kernel: all of its direct mapping, as one block. ib_core maps memory for
 * devices without DMA by its address in the kernel, so a region over this memory translates
 * each address to itself.
 */
#include <linux/err.h>
#include <linux/io.h>
#include <linux/mmzone.h>
#include <linux/slab.h>

#include "kernel.h"
#include "umem.h"

/* More than there can be physical memory. */
#define XR_KERNEL_SHIFT	62

static void xr_kernel_release(struct xr_umem *umem)
{
	xr_mtt_free(&umem->mtt);
	kfree(umem);
}

static const struct xr_umem_ops xr_kernel_ops = {
	.release = xr_kernel_release,
};

/**
 * xr_kernel_mem() - make memory of all that the kernel maps directly
 *
 * Its first byte is at PAGE_OFFSET. Only for regions without remote rights.
 *
 * Return: the memory, with one user; ERR_PTR(-ENOMEM).
 */
struct xr_umem *xr_kernel_mem(void)
{
	struct xr_umem *umem = kzalloc(sizeof(*umem), GFP_KERNEL);
	int ret;

	if (!umem)
		return ERR_PTR(-ENOMEM);
	ret = xr_mtt_alloc(&umem->mtt, 1);
	if (ret) {
		kfree(umem);
		return ERR_PTR(ret);
	}
	*xr_mtt_at(&umem->mtt, 0) = virt_to_phys((void *)PAGE_OFFSET);
	umem->ops = &xr_kernel_ops;
	refcount_set(&umem->users, 1);
	umem->length = 1ull << MAX_PHYSMEM_BITS;
	umem->writable = true;
	umem->page_shift = XR_KERNEL_SHIFT;
	return umem;
}
