// SPDX-License-Identifier: GPL-2.0-only
/* Rings: memory shared with programs. */
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include "own/owner.h"

#include "ring.h"

/**
 * xr_ring_alloc() - allocate a ring, which cannot be mapped before xr_ring_publish()
 * @ring: filled in
 * @format: its layout
 * @entries: number of entries, a power of two
 * @stride: bytes of an entry; XR_FORMAT_RXE: a power of two
 *
 * Return: 0 or -ENOMEM.
 */
int xr_ring_alloc(struct xr_ring *ring, enum xr_format format, u32 entries, u32 stride)
{
	struct rxe_queue_buf *header;

	INIT_LIST_HEAD(&ring->node);
	ring->bytes = PAGE_ALIGN(xr_ring_header(format) + (u64)entries * stride);
	/*
	 * Not vmalloc_user(), which does not charge the caller's control group. The
	 * caller gets an error if there is not enough memory, so no warning is needed.
	 */
	ring->mem = __vmalloc(ring->bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO |
					   __GFP_NOWARN);
	if (!ring->mem)
		return -ENOMEM;
	if (format == XR_FORMAT_RXE) {
		header = ring->mem;
		header->log2_elem_size = ilog2(stride);
		header->index_mask = entries - 1;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(xr_ring_alloc);

/* Let @owner, which is no link, map the ring. The link's lock is held. */
void xr_ring_publish(struct xr_ring *ring, struct xr_owner *owner)
{
	ring->offset = owner->ring_next;
	owner->ring_next += ring->bytes;
	list_add_tail(&ring->node, &owner->rings);
}
EXPORT_SYMBOL_GPL(xr_ring_publish);

/*
 * Exchange a published ring for another one, which is to be published next; then @other is the
 * previous ring, which cannot be mapped any more. The link's lock is held.
 */
void xr_ring_replace(struct xr_ring *ring, struct xr_ring *other)
{
	list_del(&ring->node);
	swap(*ring, *other);
	INIT_LIST_HEAD(&ring->node);
	INIT_LIST_HEAD(&other->node);
}

/*
 * Free a ring, if it was allocated. The link's lock is held if the ring was published.
 * Existing mappings keep the pages, because each page table entry has a reference.
 */
void xr_ring_free(struct xr_ring *ring)
{
	if (!ring->mem)
		return;
	list_del(&ring->node);
	vfree(ring->mem);
	ring->mem = NULL;
}
EXPORT_SYMBOL_GPL(xr_ring_free);

/* Free a ring that the data path may still read under RCU. Sleeps. */
void xr_ring_retire(struct xr_ring *ring)
{
	list_del(&ring->node);
	kvfree_rcu_mightsleep(ring->mem);
	ring->mem = NULL;
}

/**
 * xr_ring_mmap() - map a ring into a process
 * @owner: owner of the ring; the link's lock is held
 * @vma: the mapping, whose offset names the ring
 *
 * Return: 0; -EINVAL: no ring has this offset, or the mapping is not of the whole ring, not
 * shared, or executable; or an errno of vm_insert_page(), such as -ENOMEM.
 */
int xr_ring_mmap(struct xr_owner *owner, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct xr_ring *ring;
	unsigned int noio;
	int ret = 0;
	u64 at;

	list_for_each_entry(ring, &owner->rings, node)
		if (ring->offset == offset)
			break;
	if (list_entry_is_head(ring, &owner->rings, node) ||
	    vma->vm_end - vma->vm_start != ring->bytes ||
	    !(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	/* Page tables: see XR_GFP_LOCKED. */
	noio = memalloc_noio_save();
	for (at = 0; !ret && at < ring->bytes; at += PAGE_SIZE)
		ret = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page(ring->mem + at));
	memalloc_noio_restore(noio);
	return ret;
}
EXPORT_SYMBOL_GPL(xr_ring_mmap);
