// SPDX-License-Identifier: GPL-2.0-only
/* Memory shared with programs. */
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "own/owner.h"

#include "ring.h"

/**
 * xr_ring_alloc() - make a ring that nobody can map yet
 * @ring: out
 * @bytes: of the entries
 *
 * Return: 0 or -ENOMEM.
 */
int xr_ring_alloc(struct xr_ring *ring, u64 bytes)
{
	INIT_LIST_HEAD(&ring->node);
	ring->bytes = PAGE_ALIGN(XROCE_RING_HEADER + bytes);
	/*
	 * Not vmalloc_user(), which the caller's cgroup does not pay for. Who asks
	 * for more than there is is told so, and not the kernel's log.
	 */
	ring->mem = __vmalloc(ring->bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO |
					   __GFP_NOWARN);
	return ring->mem ? 0 : -ENOMEM;
}

/* Let @owner's file map it. The link's lock is held. */
void xr_ring_publish(struct xr_ring *ring, struct xr_owner *owner)
{
	ring->offset = owner->ring_next;
	owner->ring_next += ring->bytes;
	list_add_tail(&ring->node, &owner->rings);
}

/*
 * Nobody can map it from now on. Who has it mapped keeps the pages: each page
 * table entry has a reference of its own.
 */
void xr_ring_free(struct xr_ring *ring)
{
	if (!ring->mem)
		return;
	list_del(&ring->node);
	vfree(ring->mem);
	ring->mem = NULL;
}

/* The same, for one that the data path may still look at, under RCU. */
void xr_ring_retire(struct xr_ring *ring)
{
	list_del(&ring->node);
	kvfree_rcu_mightsleep(ring->mem);
	ring->mem = NULL;
}

/**
 * xr_ring_mmap() - map the ring at an offset
 * @owner: whose; the link's lock is held
 * @vma: the mapping: shared, and of the whole ring
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int xr_ring_mmap(struct xr_owner *owner, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct xr_ring *ring;
	u64 at;
	int ret;

	list_for_each_entry(ring, &owner->rings, node)
		if (ring->offset == offset)
			break;
	if (list_entry_is_head(ring, &owner->rings, node) ||
	    vma->vm_end - vma->vm_start != ring->bytes ||
	    !(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	for (at = 0; at < ring->bytes; at += PAGE_SIZE) {
		ret = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page(ring->mem + at));
		if (ret)
			return ret;
	}
	return 0;
}
