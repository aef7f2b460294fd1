// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding out whether huge pages map memory.
 *
 * pin_user_pages() fills in 512 array entries for a huge page, which is nearly all of the
 * cost. If one page has been pinned and then a single page-table entry is found to map all
 * of the huge page, the other 511 pages are known: rights, exclusiveness, references and
 * pins, which are checked and counted when a page is pinned, are the same for all pages
 * that the entry maps.
 */
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/sched.h>

#include "huge.h"

/*
 * Walks the page tables as get_user_pages_fast() does: while interrupts are off, page
 * tables of this address space are not freed. The result may be outdated at once.
 */
static unsigned long xr_huge_walk(unsigned long addr, bool write)
{
	pgd_t *pgdp = pgd_offset(current->mm, addr);
	pgd_t pgd = READ_ONCE(*pgdp);
	p4d_t *p4dp, p4d;
	pud_t *pudp, pud;
	pmd_t pmd;

	if (pgd_none(pgd) || pgd_leaf(pgd))
		return 0;
	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
	p4d = READ_ONCE(*p4dp);
	if (!p4d_present(p4d) || p4d_leaf(p4d))
		return 0;
	pudp = pud_offset_lockless(p4dp, p4d, addr);
	pud = READ_ONCE(*pudp);
	if (!pud_present(pud))
		return 0;
	if (pud_leaf(pud))
		return !write || pud_write(pud) ?
		       pud_pfn(pud) + ((addr & ~PUD_MASK) >> PAGE_SHIFT) : 0;
	pmd = pmdp_get_lockless(pmd_offset_lockless(pudp, pud, addr));
	if (!pmd_present(pmd) || !pmd_leaf(pmd) || (write && !pmd_write(pmd)))
		return 0;
	return pmd_pfn(pmd) + ((addr & ~PMD_MASK) >> PAGE_SHIFT);
}

/**
 * xr_huge_pfn() - the page frame at an address that a huge page maps
 * @addr: address in the caller's address space
 * @write: it must be mapped for writing
 *
 * Everything up to the next multiple of PMD_SIZE is mapped contiguously. The result can be
 * relied on only if the page has been pinned before.
 *
 * Return: the page frame number, or 0: not mapped, or mapped by small pages.
 */
unsigned long xr_huge_pfn(unsigned long addr, bool write)
{
	unsigned long flags, pfn;

	if (!IS_ENABLED(CONFIG_HAVE_GUP_FAST))
		return 0;
	local_irq_save(flags);
	pfn = xr_huge_walk(addr, write);
	local_irq_restore(flags);
	return pfn;
}
