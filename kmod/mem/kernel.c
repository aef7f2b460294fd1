// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of the kernel, for its own consumers, who keep its pages: all of the direct mapping,
 * or pages that are named later. ib_core maps memory for devices without DMA by its address in
 * the direct mapping.
 */
#include <linux/err.h>
#include <linux/export.h>
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
 * xr_kernel_pages() - make memory whose pages are named later
 * @owner: of a consumer in the kernel
 * @n: how many pages at most
 *
 * Until then it has no byte. See xr_kernel_page() and xr_kernel_bytes().
 *
 * Return: the memory, with one user; ERR_PTR(-ENOMEM).
 */
struct xr_umem *xr_kernel_pages(const struct xr_owner *owner, u32 n)
{
	struct xr_umem *umem = kzalloc(sizeof(*umem), GFP_KERNEL);
	int ret;
	u32 i;

	if (!umem)
		return ERR_PTR(-ENOMEM);
	ret = xr_mtt_alloc(&umem->mtt, owner, n);
	if (ret) {
		kfree(umem);
		return ERR_PTR(ret);
	}
	for (i = 0; i < n; i++)
		*xr_mtt_at(&umem->mtt, i) = 0;
	umem->ops = &xr_kernel_ops;
	refcount_set(&umem->users, 1);
	umem->writable = true;
	umem->page_shift = PAGE_SHIFT;
	return umem;
}

/**
 * xr_kernel_mem() - make memory of all that the kernel maps directly
 * @owner: of a consumer in the kernel
 *
 * Its first byte is at PAGE_OFFSET, and a region over it translates each address to itself. Only
 * for regions without remote rights.
 *
 * Return: the memory, with one user; ERR_PTR(-ENOMEM).
 */
struct xr_umem *xr_kernel_mem(const struct xr_owner *owner)
{
	struct xr_umem *umem = xr_kernel_pages(owner, 1);

	if (IS_ERR(umem))
		return umem;
	*xr_mtt_at(&umem->mtt, 0) = virt_to_phys((void *)PAGE_OFFSET);
	umem->length = 1ull << MAX_PHYSMEM_BITS;
	umem->page_shift = XR_KERNEL_SHIFT;
	return umem;
}

/**
 * xr_kernel_page() - name the next page
 * @umem: memory of xr_kernel_pages(), which no region uses now
 * @i: its number; 0: the first one
 * @addr: its address in the direct mapping, a multiple of its size
 *
 * Return: 0; -ENOMEM: there are more pages than xr_kernel_pages() was asked for.
 */
int xr_kernel_page(struct xr_umem *umem, u32 i, u64 addr)
{
	if (i >= umem->mtt.count)
		return -ENOMEM;
	*xr_mtt_at(&umem->mtt, i) = virt_to_phys((void *)(uintptr_t)addr);
	return 0;
}
EXPORT_SYMBOL_GPL(xr_kernel_page);

/**
 * xr_kernel_bytes() - say which bytes of the pages belong to the memory
 * @umem: memory of xr_kernel_pages(), which no region uses now
 * @shift: log2 of the size of a page in bytes, at least PAGE_SHIFT
 * @offset: of the first byte in the first page
 * @length: bytes, all of them in pages that have been named; 0: none
 */
void xr_kernel_bytes(struct xr_umem *umem, u8 shift, u64 offset, u64 length)
{
	umem->page_shift = shift;
	umem->offset = offset;
	umem->length = length;
}
EXPORT_SYMBOL_GPL(xr_kernel_bytes);
