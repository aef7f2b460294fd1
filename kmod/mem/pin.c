// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pinned memory of a region.
 *
 * Pages are pinned in batches and collected as runs of contiguous page frames. The runs
 * determine the block size, the largest that fits all of them, and then the translation
 * table. They are kept only if they are few. If huge pages map all of the memory, each is
 * pinned once.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "own/limit.h"
#include "own/owner.h"

#include "huge.h"
#include "locked.h"
#include "pin.h"
#include "process.h"
#include "pfn_run.h"
#include "umem.h"

/* Pages pinned at a time: their pointers fill a page. */
#define XR_PIN_BATCH	(PAGE_SIZE / sizeof(struct page *))
/*
 * Pages that runs must have on average to be kept: then they take at most an eighth of the
 * memory of a table of pages.
 */
#define XR_PAGES_A_RUN	16

#ifndef CONFIG_64BIT
#error "all memory must be in the kernel's own mapping"
#endif

/**
 * struct xr_pinned - pinned memory
 * @umem: the part that all kinds of memory have
 * @locked: its pages, as they count against RLIMIT_MEMLOCK
 * @huge: each naturally aligned PMD_SIZE of it is in a huge page and is pinned once;
 *	otherwise each page is pinned
 * @runs: the pinned page frames; always with @huge, otherwise only if they take much less
 *	memory than the table; else empty
 * @charge: the bytes that it counts as
 * @file: path of the file that it is of; NULL: none, or not known
 */
struct xr_pinned {
	struct xr_umem umem;
	struct xr_locked locked;
	bool huge;
	struct xr_pfn_runs runs;
	struct xr_charge charge;
	char *file;
};

static unsigned long xr_pages(u64 addr, u64 length)
{
	return (offset_in_page(addr) + length + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* Build the translation table. */
static int xr_pfn_runs_translate(const struct xr_pfn_runs *runs, const struct xr_owner *owner,
				 struct xr_umem *umem)
{
	u64 block, phys, end, n = 0;
	size_t i;
	int ret;

	umem->page_shift = xr_pfn_runs_shift(runs,
					 xr_pages(umem->addr, umem->length));
	block = 1ull << umem->page_shift;
	phys = PFN_PHYS(runs->run[0].pfn) + offset_in_page(umem->addr);
	umem->offset = phys & (block - 1);
	ret = xr_mtt_alloc(&umem->mtt, owner,
			   (umem->offset + umem->length + block - 1) >> umem->page_shift);
	if (ret)
		return ret;

	for (i = 0; i < runs->count; i++) {
		phys = ALIGN_DOWN(PFN_PHYS(runs->run[i].pfn), block);
		end = PFN_PHYS(runs->run[i].pfn + runs->run[i].nr);
		for (; phys < end && n < umem->mtt.count; phys += block)
			*xr_mtt_at(&umem->mtt, n++) = phys;
	}
	/* Every page has an entry, and no entry is unused. */
	if (WARN_ON_ONCE(n != umem->mtt.count)) {
		xr_mtt_free(&umem->mtt);
		return -EINVAL;
	}
	return 0;
}

/* Return: number of pages pinned, at least one, or an error. */
static long xr_pin_batch(struct mm_struct *mm, unsigned long start,
			 unsigned long nr, unsigned int gup, struct page **page)
{
	int locked = 1;
	long got;

	if (mm == current->mm) {
		got = pin_user_pages_fast(start, nr, gup, page);
	} else {
		if (mmap_read_lock_killable(mm))
			return -EINTR;
		got = pin_user_pages_remote(mm, start, nr, gup, page, &locked);
		if (locked)
			mmap_read_unlock(mm);
	}
	return got ? got : -EFAULT;
}

/*
 * Pin memory of the caller, all of which huge pages map. On failure nothing is pinned.
 * Return: 1; 0: small pages map some of it; or an error.
 */
static int xr_pin_huge(const struct xr_umem *umem, struct xr_pfn_runs *runs)
{
	unsigned int gup = FOLL_LONGTERM | (umem->writable ? FOLL_WRITE : 0);
	unsigned long left = xr_pages(umem->addr, umem->length), nr;
	unsigned long start = umem->addr & PAGE_MASK;
	struct page *page;
	long got;
	int ret;

	if (left < XR_HUGE_PAGES)
		return 0;
	for (; left; left -= nr, start += nr << PAGE_SHIFT) {
		ret = 0;
		if (!xr_huge_pfn(start, umem->writable))
			goto err;
		got = pin_user_pages_fast(start, 1, gup, &page);
		if (got != 1) {
			ret = got;
			goto err;
		}
		nr = (ALIGN(start + 1, PMD_SIZE) - start) >> PAGE_SHIFT;
		nr = min(left, nr);
		if (xr_huge_pfn(start, umem->writable) == page_to_pfn(page))
			ret = xr_pfn_runs_add(runs, page_to_pfn(page), nr) ? : 1;
		if (ret != 1) {
			unpin_user_page(page);
			goto err;
		}
		cond_resched();
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			goto err;
		}
	}
	return 1;

err:
	xr_pfn_runs_unpin(runs, true, false);
	runs->count = 0;
	return ret;
}

/* Pin all of it. On failure the pages in @runs are pinned. */
static int xr_pin_runs(struct mm_struct *mm, const struct xr_umem *umem,
		       struct xr_pfn_runs *runs)
{
	unsigned int gup = FOLL_LONGTERM | (umem->writable ? FOLL_WRITE : 0);
	unsigned long left = xr_pages(umem->addr, umem->length);
	unsigned long start = umem->addr & PAGE_MASK;
	struct page **page;
	int ret = 0;
	long got;

	page = kmalloc_array(min(left, XR_PIN_BATCH), sizeof(*page), GFP_KERNEL_ACCOUNT);
	if (!page)
		return -ENOMEM;
	while (left && !ret) {
		cond_resched();
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			break;
		}
		got = xr_pin_batch(mm, start, min(left, XR_PIN_BATCH), gup,
				   page);
		if (got < 0) {
			ret = got;
			break;
		}
		ret = xr_pfn_runs_add_pages(runs, page, got);
		start += got << PAGE_SHIFT;
		left -= got;
	}
	kfree(page);
	return ret;
}

/*
 * Unpin the pages of the table. Blocks are single pages, or larger; of larger ones the
 * first and the last may be pinned in part only.
 */
static void xr_unpin_table(const struct xr_umem *umem)
{
	unsigned long left = xr_pages(umem->addr, umem->length);
	unsigned long block = 1ul << (umem->page_shift - PAGE_SHIFT);
	unsigned long skip = umem->offset >> PAGE_SHIFT;
	const struct xr_mtt *mtt = &umem->mtt;
	struct xr_pfn_run run;
	u64 i, n;

	for (i = 0; i < mtt->count; i += n, skip = 0) {
		if (block == 1) {
			n = min(mtt->count - i, (u64)XR_EXTENT_ENTRIES);
			xr_entries_unpin(xr_mtt_at(mtt, i), n, umem->writable);
			continue;
		}
		n = 1;
		run.pfn = PHYS_PFN(*xr_mtt_at(mtt, i)) + skip;
		run.nr = min(left, block - skip);
		xr_pfn_run_unpin(&run, false, umem->writable);
		left -= run.nr;
	}
}

/* The process may have ended long ago. */
static void xr_unpin(struct xr_umem *umem)
{
	struct xr_pinned *pin = container_of(umem, struct xr_pinned, umem);

	if (pin->runs.count) {
		xr_pfn_runs_unpin(&pin->runs, pin->huge, umem->writable);
		xr_pfn_runs_free(&pin->runs);
	} else {
		xr_unpin_table(umem);
	}
	xr_locked_uncharge(&pin->locked);
	put_pid(umem->pid);
	xr_uncharge(&pin->charge);
	xr_mtt_free(&umem->mtt);
	kfree(pin->file);
	kfree(pin);
}

static void xr_pin_query(const struct xr_umem *umem, struct xroce_mr_query *q)
{
	const struct xr_pinned *pin = container_of(umem, struct xr_pinned, umem);

	if (pin->file)
		strscpy(q->file, pin->file, sizeof(q->file));
}

static const struct xr_umem_ops xr_pin_ops = {
	.release = xr_unpin,
	.query = xr_pin_query,
};

/* The end of the path of the file that @addr is mapped from. Return: NULL: none; it is freed. */
static char *xr_pin_file(struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;
	char *buf, *path;
	size_t len;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	if (vma && vma->vm_file)
		file = get_file(vma->vm_file);
	mmap_read_unlock(mm);
	if (!file)
		return NULL;
	buf = kmalloc(PATH_MAX, GFP_KERNEL);
	path = buf ? file_path(file, buf, PATH_MAX) : ERR_PTR(-ENOMEM);
	fput(file);
	if (IS_ERR(path)) {
		path = NULL;
	} else {
		len = strlen(path);
		if (len >= XROCE_FILE_MAX)
			path += len - (XROCE_FILE_MAX - 1);
		path = kstrdup(path, GFP_KERNEL_ACCOUNT);
	}
	kfree(buf);
	return path;
}

/* Charge @nr pages. Return: 0; or as xr_pin(), and nothing is charged. */
static int xr_pin_charge(struct xr_pinned *pin, const struct xr_owner *caller,
			 const struct xr_owner *owner, struct mm_struct *mm, u64 nr)
{
	int ret = xr_locked_charge(&pin->locked, caller, mm, nr);

	if (ret)
		return ret;
	ret = xr_charge(&pin->charge, owner, XROCE_COUNT_PINNED, nr << PAGE_SHIFT);
	if (ret)
		xr_locked_uncharge(&pin->locked);
	return ret;
}

/* Pin and translate all pages, for @owner. Return: 0; or as xr_pin(), and nothing is pinned. */
static int xr_pin_all(struct xr_pinned *pin, const struct xr_owner *owner, struct mm_struct *mm,
		      struct xr_pfn_runs *runs)
{
	int ret = mm == current->mm ? xr_pin_huge(&pin->umem, runs) : 0;

	pin->huge = ret > 0;
	if (!ret)
		ret = xr_pin_runs(mm, &pin->umem, runs);
	if (ret >= 0)
		ret = xr_pfn_runs_translate(runs, owner, &pin->umem);
	/* Nothing was written to the pages. */
	if (ret)
		xr_pfn_runs_unpin(runs, pin->huge, false);
	return ret;
}

/**
 * xr_pin() - pin a range of memory and translate it
 * @caller: the requesting file
 * @owner: is charged for it
 * @pid: process whose memory it is
 * @addr: first byte
 * @length: bytes
 * @writable: the bytes will be written to
 *
 * Return: the memory, with one user, or -EINVAL: empty, or it wraps; -ESRCH: the process
 * has ended; -EPERM: see xr_process_mm(); -EFAULT: not mapped, or not
 * writable; -EOPNOTSUPP: the memory cannot be pinned for long; -E2BIG: more pages than the
 * MTT pool can ever take; -ENOSPC: more than it can take now; -ENOMEM: also RLIMIT_MEMLOCK;
 * -EDQUOT: a limit of LIMIT_SET; -EINTR.
 */
struct xr_umem *xr_pin(const struct xr_owner *caller, const struct xr_owner *owner,
		       struct pid *pid, u64 addr, u64 length, bool writable)
{
	unsigned long nr = xr_pages(addr, length);
	struct xr_pfn_runs runs = {};
	struct mm_struct *mm;
	struct xr_pinned *pin;
	int ret;

	if (!length || addr + length < addr)
		return ERR_PTR(-EINVAL);
	if (addr + length > TASK_SIZE_MAX)
		return ERR_PTR(-EFAULT);
	pin = kmalloc(sizeof(*pin), GFP_KERNEL_ACCOUNT);
	if (!pin)
		return ERR_PTR(-ENOMEM);
	mm = xr_process_mm(pid);
	if (IS_ERR(mm)) {
		kfree(pin);
		return ERR_CAST(mm);
	}

	*pin = (struct xr_pinned){
		.umem.ops = &xr_pin_ops,
		.umem.addr = addr,
		.umem.length = length,
		.umem.writable = writable,
	};
	refcount_set(&pin->umem.users, 1);
	ret = xr_pin_charge(pin, caller, owner, mm, nr);
	if (ret)
		goto out;
	ret = xr_pin_all(pin, owner, mm, &runs);
	if (ret) {
		xr_uncharge(&pin->charge);
		xr_locked_uncharge(&pin->locked);
		goto out;
	}
	pin->umem.pid = get_pid(pid);
	/* It outlives the process; the file says what it is. */
	if (xr_owner_persistent(owner))
		pin->file = xr_pin_file(mm, addr);
	if (pin->huge || runs.count * XR_PAGES_A_RUN <= nr)
		xr_pfn_runs_move(&pin->runs, &runs);
out:
	xr_pfn_runs_free(&runs);
	mmput(mm);
	if (!ret)
		return &pin->umem;
	kfree(pin);
	return ERR_PTR(ret);
}
