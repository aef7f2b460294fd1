// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages are pinned in batches and noted as runs of contiguous page frames. The
 * runs give the largest block size that fits all of them, and then the
 * translation table; nothing else is kept of them.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "pin.h"

/* Pages pinned at a time: a page full of pointers. */
#define XR_PIN_BATCH	(PAGE_SIZE / sizeof(struct page *))
/* Largest block: what a 1 GiB huge page gives. */
#define XR_BLOCK_MAX	30

#ifndef CONFIG_64BIT
#error "all memory must be in the kernel's own mapping"
#endif

static unsigned long xr_pages(u64 addr, u64 length)
{
	return (offset_in_page(addr) + length + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

struct xr_run {
	unsigned long pfn;
	unsigned long nr;
};

struct xr_runs {
	struct xr_run *run;
	size_t count;
	size_t room;
};

static int xr_runs_add(struct xr_runs *runs, unsigned long pfn)
{
	struct xr_run *last = runs->run + runs->count - 1;
	struct xr_run *more;
	size_t room;

	if (runs->count && last->pfn + last->nr == pfn) {
		last->nr++;
		return 0;
	}
	/* Each run takes an entry at least. */
	if (runs->count == xr_mtt_limit())
		return -E2BIG;
	if (runs->count == runs->room) {
		room = max_t(size_t, 32, 2 * runs->room);
		more = kvmalloc_array(room, sizeof(*more), GFP_KERNEL_ACCOUNT);
		if (!more)
			return -ENOMEM;
		if (runs->count)
			memcpy(more, runs->run, runs->count * sizeof(*more));
		kvfree(runs->run);
		runs->run = more;
		runs->room = room;
	}
	runs->run[runs->count++] = (struct xr_run){ .pfn = pfn, .nr = 1 };
	return 0;
}

static void xr_runs_unpin(struct xr_runs *runs, bool dirty)
{
	size_t i;

	for (i = 0; i < runs->count; i++) {
		unpin_user_page_range_dirty_lock(pfn_to_page(runs->run[i].pfn),
						 runs->run[i].nr, dirty);
		cond_resched();
	}
}

/*
 * The largest block, naturally aligned, such that every run consists of whole
 * ones, but for the start of the first run and the end of the last. No larger
 * than it takes to hold all @nr pages.
 */
static u8 xr_runs_shift(const struct xr_runs *runs, unsigned long nr)
{
	unsigned long borders = 1ul << min_t(int, XR_BLOCK_MAX - PAGE_SHIFT,
					     order_base_2(nr));
	/* Page frame of the next page, if all were one run. */
	unsigned long straight = runs->run[0].pfn;
	size_t i;

	for (i = 0; i + 1 < runs->count; i++) {
		straight += runs->run[i].nr;
		borders |= straight | runs->run[i + 1].pfn;
	}
	return PAGE_SHIFT + __ffs(borders);
}

/* Build the translation table. */
static int xr_runs_translate(const struct xr_runs *runs, struct xr_pin *pin)
{
	u64 block, phys, end, n = 0;
	size_t i;
	int ret;

	pin->page_shift = xr_runs_shift(runs,
					xr_pages(pin->addr, pin->length));
	block = 1ull << pin->page_shift;
	phys = PFN_PHYS(runs->run[0].pfn) + offset_in_page(pin->addr);
	pin->offset = phys & (block - 1);
	ret = xr_mtt_alloc(&pin->mtt, (pin->offset + pin->length + block - 1) >>
				      pin->page_shift);
	if (ret)
		return ret;

	for (i = 0; i < runs->count; i++) {
		phys = ALIGN_DOWN(PFN_PHYS(runs->run[i].pfn), block);
		end = PFN_PHYS(runs->run[i].pfn + runs->run[i].nr);
		for (; phys < end && n < pin->mtt.count; phys += block)
			*xr_mtt_at(&pin->mtt, n++) = phys;
	}
	/* Every page has its place, and no entry is left over. */
	if (WARN_ON_ONCE(n != pin->mtt.count)) {
		xr_mtt_free(&pin->mtt);
		return -EINVAL;
	}
	return 0;
}

/* Count pages against the caller's RLIMIT_MEMLOCK. */
static int xr_account(struct mm_struct *mm, unsigned long nr)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (atomic64_add_return(nr, &mm->pinned_vm) <= limit ||
	    capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(nr, &mm->pinned_vm);
	return -ENOMEM;
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

/* Pin it all. On failure what is in @runs is pinned. */
static int xr_pin_runs(struct mm_struct *mm, const struct xr_pin *pin,
		       struct xr_runs *runs)
{
	unsigned int gup = FOLL_LONGTERM | (pin->writable ? FOLL_WRITE : 0);
	unsigned long left = xr_pages(pin->addr, pin->length);
	unsigned long start = pin->addr & PAGE_MASK;
	struct page **page;
	long got, i;
	int ret = 0;

	page = (struct page **)__get_free_page(GFP_KERNEL_ACCOUNT);
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
		for (i = 0; i < got && !ret; i++)
			ret = xr_runs_add(runs, page_to_pfn(page[i]));
		if (ret)	/* the page at i - 1 found no room */
			unpin_user_pages(page + i - 1, got - i + 1);
		start += got << PAGE_SHIFT;
		left -= got;
	}
	free_page((unsigned long)page);
	return ret;
}

/*
 * The memory of @pid, if the caller may reach into it. ptrace(2)'s own check is
 * not exported, so that only its strongest credential counts.
 */
static struct mm_struct *xr_pid_mm(struct pid *pid)
{
	struct task_struct *task;
	struct mm_struct *mm;

	/* Ours, even when the thread of that number has ended. */
	if (pid == task_tgid(current)) {
		mmget(current->mm);
		return current->mm;
	}
	task = get_pid_task(pid, PIDTYPE_PID);
	if (!task)
		return ERR_PTR(-ESRCH);
	mm = get_task_mm(task);
	put_task_struct(task);
	if (!mm)
		return ERR_PTR(-ESRCH);
	if (mm != current->mm && !ns_capable(mm->user_ns, CAP_SYS_PTRACE)) {
		mmput(mm);
		return ERR_PTR(-EPERM);
	}
	return mm;
}

/**
 * xr_pin() - pin a range of memory and translate it
 * @pin: filled in
 * @pid: process whose memory it is
 * @addr: first byte
 * @length: bytes
 * @writable: the bytes will be written to
 *
 * Return: 0; -EINVAL: empty, or it wraps; -ESRCH,
 * -EPERM: the process; -EFAULT: not mapped, or not writable; -EOPNOTSUPP: not
 * to be pinned for long; -E2BIG: more pages than the pool of tables can ever
 * take; -ENOSPC: than it can take now; -ENOMEM; -EINTR.
 */
int xr_pin(struct xr_pin *pin, struct pid *pid, u64 addr, u64 length,
	   bool writable)
{
	unsigned long nr = xr_pages(addr, length);
	struct xr_runs runs = {};
	struct mm_struct *mm;
	int ret;

	if (!length || addr + length < addr)
		return -EINVAL;
	if (addr + length > TASK_SIZE_MAX)
		return -EFAULT;
	mm = xr_pid_mm(pid);
	if (IS_ERR(mm))
		return PTR_ERR(mm);

	*pin = (struct xr_pin){
		.addr = addr,
		.length = length,
		.writable = writable,
	};
	ret = xr_account(mm, nr);
	if (ret)
		goto out;
	ret = xr_pin_runs(mm, pin, &runs);
	if (!ret)
		ret = xr_runs_translate(&runs, pin);
	if (ret) {
		xr_runs_unpin(&runs, false);
		atomic64_sub(nr, &mm->pinned_vm);
		goto out;
	}
	mmgrab(mm);
	pin->mm = mm;
	pin->pid = get_pid(pid);
out:
	kvfree(runs.run);
	mmput(mm);
	return ret;
}

/**
 * xr_unpin() - let the memory go
 * @pin: what xr_pin() filled in; nobody translates by it any more
 *
 * Sleeps. The process may have ended long ago.
 */
void xr_unpin(struct xr_pin *pin)
{
	u64 end = pin->offset + pin->length;
	u64 i, from, to;

	for (i = 0; i < pin->mtt.count; i++) {
		from = max(i << pin->page_shift, pin->offset & PAGE_MASK);
		to = min((i + 1) << pin->page_shift, PAGE_ALIGN(end));
		from -= i << pin->page_shift;
		to -= i << pin->page_shift;
		unpin_user_page_range_dirty_lock(
			pfn_to_page(PHYS_PFN(*xr_mtt_at(&pin->mtt, i) + from)),
			(to - from) >> PAGE_SHIFT, pin->writable);
		cond_resched();
	}
	atomic64_sub(xr_pages(pin->addr, pin->length), &pin->mm->pinned_vm);
	mmdrop(pin->mm);
	put_pid(pin->pid);
	xr_mtt_free(&pin->mtt);
}
