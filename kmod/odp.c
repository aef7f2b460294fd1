// SPDX-License-Identifier: GPL-2.0-only
/* Memory on demand: made, missed, invalidated, and let go. */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "uapi/xroce.h"

#include "keep.h"
#include "main.h"
#include "mr.h"
#include "odp.h"
#include "process.h"

static struct workqueue_struct *xr_odp_wq;

int xr_odp_init(void)
{
	int ret = xr_odp_chunk_init();

	if (ret)
		return ret;
	xr_odp_wq = alloc_workqueue("xroce_odp", WQ_HIGHPRI | WQ_UNBOUND, 0);
	if (xr_odp_wq)
		return 0;
	xr_odp_chunk_exit();
	return -ENOMEM;
}

void xr_odp_exit(void)
{
	destroy_workqueue(xr_odp_wq);
	xr_odp_chunk_exit();
}

/* Have wants seen to, in @delay jiffies at the latest. @odp->want_lock is held. */
void xr_odp_queue(struct xr_odp *odp, unsigned long delay)
{
	lockdep_assert_held(&odp->want_lock);
	if (delay)
		queue_delayed_work(xr_odp_wq, &odp->work, delay);
	else
		mod_delayed_work(xr_odp_wq, &odp->work, 0);
}

/* And empty chunks. @odp->want_lock is held. */
void xr_odp_queue_reclaim(struct xr_odp *odp)
{
	lockdep_assert_held(&odp->want_lock);
	queue_work(xr_odp_wq, &odp->reclaim);
}

static int xr_odp_setup(struct xr_odp *odp, struct mm_struct *mm)
{
	struct xr_pin *pin = &odp->pin;
	u64 i, n;
	int ret;

	/* An address space has no table, but a tree, which is empty yet. */
	if (pin->sparse) {
		odp->pages = TASK_SIZE_MAX >> PAGE_SHIFT;
		return 0;
	}
	n = (offset_in_page(pin->addr) + pin->length + PAGE_SIZE - 1) >>
	    PAGE_SHIFT;
	odp->pages = n;
	odp->charged = DIV_ROUND_UP(n * sizeof(u64), PAGE_SIZE);
	ret = xr_pin_account(mm, odp->charged);
	if (ret)
		return ret;
	ret = xr_mtt_alloc(&pin->mtt, n);
	if (ret)
		goto err_account;
	for (i = 0; i < n; i += XR_EXTENT_ENTRIES) {
		memset(xr_mtt_at(&pin->mtt, i), 0,
		       min_t(u64, n - i, XR_EXTENT_ENTRIES) * sizeof(u64));
		cond_resched();
	}
	odp->part.odp = odp;
	odp->part.mtt = &pin->mtt;
	odp->part.count = n;
	ret = xr_odp_part_open(&odp->part, mm);
	if (ret)
		goto err_mtt;
	return 0;

err_mtt:
	xr_mtt_free(&pin->mtt);
err_account:
	atomic64_sub(odp->charged, &mm->pinned_vm);
	return ret;
}

/* The process that a thread is of, with a reference. Return: NULL: it has been reaped. */
static struct pid *xr_odp_process(struct pid *thread)
{
	struct task_struct *task = get_pid_task(thread, PIDTYPE_PID);
	struct pid *pid;

	if (!task)
		return NULL;
	pid = get_task_pid(task, PIDTYPE_TGID);
	put_task_struct(task);
	return pid;
}

/**
 * xr_odp() - make memory on demand of a range of addresses, or of all of them
 * @pid: process whose memory it is, or one of its threads
 * @addr: first byte
 * @length: bytes; XROCE_LENGTH_ALL, with 0 for @addr: the address space
 *
 * Nothing need be mapped there. The table is what counts against
 * RLIMIT_MEMLOCK.
 *
 * Return: the memory, with one user, or an error as of xr_pin().
 */
struct xr_pin *xr_odp(struct pid *pid, u64 addr, u64 length)
{
	const bool sparse = !addr && length == XROCE_LENGTH_ALL;
	struct mm_struct *mm;
	struct xr_odp *odp;
	int ret;

	if (!length || addr + length < addr)
		return ERR_PTR(-EINVAL);
	if (!sparse && addr + length > TASK_SIZE_MAX)
		return ERR_PTR(-EFAULT);
	odp = kzalloc(sizeof(*odp), GFP_KERNEL_ACCOUNT);
	if (!odp)
		return ERR_PTR(-ENOMEM);
	mm = xr_process_mm(pid);
	if (IS_ERR(mm)) {
		kfree(odp);
		return ERR_CAST(mm);
	}
	odp->pin = (struct xr_pin){
		.odp = odp,
		.addr = addr,
		.length = length,
		.writable = true,	/* the process's mapping decides */
		.page_shift = PAGE_SHIFT,
		.offset = offset_in_page(addr),
		.sparse = sparse,
	};
	odp->pin.pid = xr_odp_process(pid);
	refcount_set(&odp->pin.users, 1);
	xa_init_flags(&odp->chunks, XA_FLAGS_ACCOUNT);
	spin_lock_init(&odp->want_lock);
	INIT_LIST_HEAD(&odp->empty);
	INIT_DELAYED_WORK(&odp->work, xr_odp_work);
	INIT_WORK(&odp->reclaim, xr_odp_reclaim);
	ret = odp->pin.pid ? xr_odp_setup(odp, mm) : -ESRCH;
	if (!ret) {
		mmgrab(mm);
		odp->pin.mm = mm;
	}
	mmput(mm);
	if (!ret)
		return &odp->pin;
	put_pid(odp->pin.pid);
	kfree(odp);
	return ERR_PTR(ret);
}

/* Its counters, and what it takes to keep them and the entries. */
void xr_odp_query(struct xr_odp *odp, struct xroce_mr_query *q)
{
	const unsigned long chunks = READ_ONCE(odp->nr_chunks);

	q->odp_resident = atomic64_read(&odp->resident);
	q->odp_faults = atomic64_read(&odp->faults);
	q->odp_failed = atomic64_read(&odp->failed);
	q->odp_pages = atomic64_read(&odp->made);
	q->odp_invalidated = atomic64_read(&odp->invalidated);
	q->odp_prefetched = atomic64_read(&odp->prefetched);
	q->odp_parts = odp->pin.sparse ? chunks : 1;
	q->odp_bytes = sizeof(*odp) + odp->pin.mtt.count * sizeof(u64) +
		       chunks * sizeof(struct xr_odp_chunk);
}

/* No region has it any more. Sleeps, but for no grace period. */
void xr_odp_free(struct xr_odp *odp)
{
	struct xr_pin *pin = &odp->pin;

	spin_lock_bh(&odp->want_lock);
	odp->closing = true;
	spin_unlock_bh(&odp->want_lock);
	cancel_delayed_work_sync(&odp->work);
	cancel_work_sync(&odp->reclaim);
	xr_keep_wake(odp);
	if (pin->sparse) {
		xr_odp_chunk_free_all(odp);
	} else {
		xr_odp_part_close(&odp->part);
		xr_mtt_free(&pin->mtt);
	}
	atomic64_sub(odp->charged, &pin->mm->pinned_vm);
	mmdrop(pin->mm);
	put_pid(pin->pid);
	/* Who has missed a page before may still ask. */
	kfree_rcu(odp, rcu);
}
