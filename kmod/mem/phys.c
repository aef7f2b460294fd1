// SPDX-License-Identifier: GPL-2.0-only
/*
 * Physical pages that the caller names: which are accepted.
 *
 * A physical address can name any page, whatever the kernel uses it for. A reference to a
 * free page would corrupt the allocator. A reference to a page of the slab, of a page table
 * or of a driver would let a peer write there. So only memory of programs is accepted. The
 * page itself tells what it is, once a reference keeps it from changing.
 */
#include <linux/mm.h>
#include <linux/memory_hotplug.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include "uapi/xroce.h"

#include "own/limit.h"

#include "phys.h"
#include "pfn_run.h"
#include "umem.h"

/**
 * struct xr_paged - memory that consists of physical pages
 * @umem: the part that all kinds of memory have
 * @charge: the bytes that it counts as
 */
struct xr_paged {
	struct xr_umem umem;
	struct xr_charge charge;
};

/* True if it is anonymous, or of tmpfs or hugetlbfs. The caller has a reference. Sleeps. */
static bool xr_phys_of_program(struct folio *folio)
{
	bool ok;

	/* Other pages with a type are the kernel's, and must not be locked. */
	if (folio_test_hugetlb(folio))
		return true;
	if (folio_test_reserved(folio) || page_has_type(&folio->page) ||
	    !READ_ONCE(folio->mapping))
		return false;
	/* The mapping stays while the folio is locked. */
	folio_lock(folio);
	if (folio_test_anon(folio))
		ok = !folio_test_ksm(folio);
	else
		ok = folio_mapping(folio) &&
		     shmem_mapping(folio_mapping(folio));
	folio_unlock(folio);
	return ok;
}

/* Take a reference to the folio of a page frame, if that is memory of a program. */
static struct folio *xr_phys_get(unsigned long pfn)
{
	struct page *page = pfn_to_online_page(pfn);
	struct folio *folio;

	if (!page)
		return ERR_PTR(-EFAULT);
	folio = page_folio(page);
	/* A free page has no reference, and must not get one. */
	if (!folio_try_get(folio))
		return ERR_PTR(-EFAULT);
	if (page_folio(page) != folio || PageHWPoison(page) ||
	    !xr_phys_of_program(folio)) {
		folio_put(folio);
		return ERR_PTR(-EFAULT);
	}
	/* Pages in ZONE_MOVABLE must stay movable. */
	if (is_zone_movable_page(page)) {
		folio_put(folio);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return folio;
}

/* How many of @nr page frames, from @pfn on, are in the folio. */
static unsigned long xr_phys_span(struct folio *folio, unsigned long pfn,
				  unsigned long nr)
{
	return min(nr, folio_pfn(folio) + folio_nr_pages(folio) - pfn);
}

/*
 * Drop the references to the first @nr page frames of a page: one for each folio. No folio
 * was split or merged meanwhile, because of the reference.
 */
static void xr_phys_put(unsigned long pfn, unsigned long nr, bool dirty)
{
	unsigned long end = pfn + nr;
	struct folio *folio;

	while (pfn < end) {
		folio = page_folio(pfn_to_page(pfn));
		pfn += xr_phys_span(folio, pfn, end - pfn);
		if (dirty)
			set_page_dirty_lock(&folio->page);
		folio_put(folio);
		cond_resched();
	}
}

/* Take references to all of a page, or to nothing. */
static int xr_phys_get_page(u64 addr, u8 shift)
{
	unsigned long first = PHYS_PFN(addr), pfn = first;
	unsigned long end = first + (1ul << (shift - PAGE_SHIFT));
	struct folio *folio;

	while (pfn < end) {
		folio = xr_phys_get(pfn);
		if (IS_ERR(folio)) {
			xr_phys_put(first, pfn - first, false);
			return PTR_ERR(folio);
		}
		pfn += xr_phys_span(folio, pfn, end - pfn);
		cond_resched();
	}
	return 0;
}

static bool xr_phys_valid(const struct xr_phys *phys)
{
	u64 size, span;

	if (phys->page_shift < PAGE_SHIFT || phys->page_shift > XR_BLOCK_MAX ||
	    !phys->npages || !phys->length)
		return false;
	size = 1ull << phys->page_shift;
	span = (u64)phys->npages << phys->page_shift;
	/* The bytes begin in the first page and end in the last one. */
	return phys->offset < size && phys->length <= span - phys->offset &&
	       phys->offset + phys->length > span - size;
}

/* The memory of xr_phys_pin() has no user any more. Sleeps. */
static void xr_phys_unpin(struct xr_umem *umem)
{
	struct xr_paged *paged = container_of(umem, struct xr_paged, umem);
	u64 i;

	for (i = 0; i < umem->mtt.count; i++)
		xr_phys_put(PHYS_PFN(*xr_mtt_at(&umem->mtt, i)),
			    1ul << (umem->page_shift - PAGE_SHIFT), true);
	xr_uncharge(&paged->charge);
	xr_mtt_free(&umem->mtt);
	kfree(paged);
}

static void xr_phys_query(const struct xr_umem *umem, struct xroce_mr_query *q)
{
	q->flags |= XROCE_F_PHYS;
}

static const struct xr_umem_ops xr_phys_ops = {
	.release = xr_phys_unpin,
	.query = xr_phys_query,
};

/**
 * xr_phys_pin() - take references to physical pages and make a table for them
 * @owner: is charged for them
 * @phys: the pages
 *
 * The caller may read and write any memory (CAP_SYS_RAWIO).
 *
 * Return: the memory, with one user, or an error of MR_REG_PHYS.
 */
struct xr_umem *xr_phys_pin(const struct xr_owner *owner,
			    const struct xr_phys *phys)
{
	struct xr_paged *paged;
	struct xr_umem *umem;
	u32 i;
	int ret;

	if (!xr_phys_valid(phys))
		return ERR_PTR(-EINVAL);
	paged = kzalloc(sizeof(*paged), GFP_KERNEL_ACCOUNT);
	if (!paged)
		return ERR_PTR(-ENOMEM);
	umem = &paged->umem;
	umem->ops = &xr_phys_ops;
	refcount_set(&umem->users, 1);
	umem->length = phys->length;
	umem->writable = true;
	umem->page_shift = phys->page_shift;
	umem->offset = phys->offset;
	ret = xr_charge(&paged->charge, owner, XROCE_COUNT_PINNED,
			(u64)phys->npages << phys->page_shift);
	if (ret)
		goto err_free;
	ret = xr_mtt_alloc(&umem->mtt, owner, phys->npages);
	if (ret)
		goto err_charge;

	for (i = 0; i < phys->npages; i++) {
		ret = -EINVAL;
		if (phys->pages[i] & ((1ull << phys->page_shift) - 1))
			goto err_put;
		ret = -EINTR;
		if (fatal_signal_pending(current))
			goto err_put;
		ret = xr_phys_get_page(phys->pages[i], phys->page_shift);
		if (ret)
			goto err_put;
		*xr_mtt_at(&umem->mtt, i) = phys->pages[i];
	}
	return umem;

err_put:
	while (i--)
		xr_phys_put(PHYS_PFN(*xr_mtt_at(&umem->mtt, i)),
			    1ul << (umem->page_shift - PAGE_SHIFT), false);
	xr_mtt_free(&umem->mtt);
err_charge:
	xr_uncharge(&paged->charge);
err_free:
	kfree(paged);
	return ERR_PTR(ret);
}
