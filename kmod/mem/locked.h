/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that count against RLIMIT_MEMLOCK. */
#ifndef _XR_MEM_LOCKED_H
#define _XR_MEM_LOCKED_H

struct mm_struct;
struct xr_owner;

/**
 * struct xr_locked - pages that count against RLIMIT_MEMLOCK
 * @mm: memory that they belong to, whose pinned_vm counts them; with a reference to the structure
 *	(mmgrab()), not to the memory. NULL: none
 * @opener: likewise, of the process that has opened the file, if they count for it, too; else NULL
 * @nr: number of pages
 */
struct xr_locked {
	struct mm_struct *mm;
	struct mm_struct *opener;
	unsigned long nr;
};

int xr_locked_charge(struct xr_locked *l, const struct xr_owner *caller, struct mm_struct *mm,
		     unsigned long nr);
void xr_locked_uncharge(struct xr_locked *l);

#endif
