// SPDX-License-Identifier: GPL-2.0-only
/* On-demand memory: allocation, references, release. */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "uapi/xroce.h"

#include "mem/process.h"

#include "odp.h"
#include "user.h"

/* How long deregistration waits for a fault that is being served, in jiffies. */
#define XR_ODP_LEAVE	HZ

/* Frees empty children, for all users: this never waits for user space. */
static struct workqueue_struct *xr_odp_wq;

int xr_odp_init(void)
{
	int ret = xr_odp_child_init();

	if (ret)
		return ret;
	ret = xr_null_init();
	if (ret)
		goto err_child;
	xr_odp_wq = alloc_workqueue("xroce_odp", WQ_HIGHPRI | WQ_UNBOUND, 0);
	if (xr_odp_wq)
		return 0;
	ret = -ENOMEM;
	xr_null_exit();
err_child:
	xr_odp_child_exit();
	return ret;
}

void xr_odp_exit(void)
{
	xr_odp_user_exit();
	destroy_workqueue(xr_odp_wq);
	xr_null_exit();
	xr_odp_child_exit();
}

/* Run the worker after at most @delay jiffies. @odp->req_lock is held. */
void xr_odp_queue(struct xr_odp *odp, unsigned long delay)
{
	bool queued;

	lockdep_assert_held(&odp->req_lock);
	refcount_inc(&odp->refs);
	queued = delay ? queue_delayed_work(odp->user->wq, &odp->work, delay) :
			 !mod_delayed_work(odp->user->wq, &odp->work, 0);
	/* It was pending already, and has a reference. */
	if (!queued)
		refcount_dec(&odp->refs);
}

/* Have empty children freed. @odp->req_lock is held. */
void xr_odp_queue_reclaim(struct xr_odp *odp)
{
	lockdep_assert_held(&odp->req_lock);
	queue_work(xr_odp_wq, &odp->reclaim);
}

static int xr_odp_setup(struct xr_odp *odp, const struct xr_owner *caller, struct mm_struct *mm)
{
	struct xr_umem *umem = &odp->umem;
	u64 i, n;
	int ret;

	/* An implicit region has no table, but a tree, which is still empty. */
	if (umem->sparse) {
		odp->pages = TASK_SIZE_MAX >> PAGE_SHIFT;
		return 0;
	}
	n = (offset_in_page(umem->addr) + umem->length + PAGE_SIZE - 1) >>
	    PAGE_SHIFT;
	odp->pages = n;
	ret = xr_locked_charge(&odp->locked, caller, mm,
			       DIV_ROUND_UP(n * sizeof(u64), PAGE_SIZE));
	if (ret)
		return ret;
	ret = xr_mtt_alloc(&umem->mtt, caller, n);
	if (ret)
		goto err_account;
	for (i = 0; i < n; i += XR_EXTENT_ENTRIES) {
		memset(xr_mtt_at(&umem->mtt, i), 0,
		       min_t(u64, n - i, XR_EXTENT_ENTRIES) * sizeof(u64));
		cond_resched();
	}
	odp->range.odp = odp;
	odp->range.mtt = &umem->mtt;
	odp->range.count = n;
	ret = xr_odp_range_open(&odp->range, mm);
	if (ret)
		goto err_mtt;
	return 0;

err_mtt:
	xr_mtt_free(&umem->mtt);
err_account:
	xr_locked_uncharge(&odp->locked);
	return ret;
}

/*
 * Take references to the process that @thread belongs to, and to its user. Return: 0;
 * -ESRCH: the thread has been reaped; -ENOMEM.
 */
static int xr_odp_set_process(struct xr_odp *odp, struct pid *thread)
{
	struct task_struct *task = get_pid_task(thread, PIDTYPE_PID);

	if (!task)
		return -ESRCH;
	odp->umem.pid = get_task_pid(task, PIDTYPE_TGID);
	odp->user = xr_odp_user_get(task_uid(task));
	put_task_struct(task);
	if (odp->user)
		return 0;
	put_pid(odp->umem.pid);
	return -ENOMEM;
}

/* Counters, and the memory that is used for entries. */
static void xr_odp_query(const struct xr_umem *umem, struct xroce_mr_query *q)
{
	const struct xr_odp *odp = xr_odp_behind(umem);
	const unsigned long children = READ_ONCE(odp->nr_children);

	q->odp_resident = atomic64_read(&odp->resident);
	q->odp_faults = atomic64_read(&odp->faults);
	q->odp_failed = atomic64_read(&odp->failed);
	q->odp_pages = atomic64_read(&odp->made);
	q->odp_invalidated = atomic64_read(&odp->invalidated);
	q->odp_prefetched = atomic64_read(&odp->prefetched);
	q->odp_children = umem->sparse ? children : 1;
	q->odp_bytes = sizeof(*odp) + umem->mtt.count * sizeof(u64) +
		       children * sizeof(struct xr_odp_child);
}

static u64 xr_odp_entry(const struct xr_umem *umem, u64 i)
{
	u64 entry = READ_ONCE(*xr_mtt_at(&umem->mtt, i));

	return entry & XR_ODP_READ ? entry & PAGE_MASK : 0;
}

/* The last reference is gone. Sleeps, but waits for no grace period. */
static void xr_odp_release(struct xr_odp *odp)
{
	struct xr_umem *umem = &odp->umem;

	if (umem->sparse) {
		xr_odp_child_free_all(odp);
	} else {
		xr_odp_range_close(&odp->range);
		xr_mtt_free(&umem->mtt);
	}
	xr_locked_uncharge(&odp->locked);
	mmdrop(odp->mm);
	put_pid(umem->pid);
	if (odp->left)
		atomic_dec(&odp->user->left);
	xr_odp_user_put(odp->user);
	/* xr_odp_ask() may still read it, for an access that missed earlier. */
	kfree_rcu(odp, rcu);
}

/* Drop a reference. Sleeps. */
void xr_odp_put(struct xr_odp *odp)
{
	if (refcount_dec_and_test(&odp->refs)) {
		xr_odp_release(odp);
		return;
	}
	/* For xr_odp_wait_worker(). @odp may be freed: only its address is compared. */
	smp_mb__after_atomic();
	wake_up_var(&odp->refs);
}

static bool xr_odp_idle(const struct xr_odp *odp)
{
	return refcount_read(&odp->refs) == 1;
}

/*
 * Wait until the worker has returned, but no longer than XR_ODP_LEAVE: the pages may never
 * come. In that case the worker releases the memory. Do not wait at all if such memory of
 * this user exists already.
 */
static void xr_odp_wait_worker(struct xr_odp *odp)
{
	if (!atomic_read(&odp->user->left))
		wait_var_event_timeout(&odp->refs, xr_odp_idle(odp),
				       XR_ODP_LEAVE);
	if (xr_odp_idle(odp))
		return;
	odp->left = true;
	atomic_inc(&odp->user->left);
}

/*
 * The last region of the memory is gone. Sleeps, but waits for no grace period, and at most
 * XR_ODP_LEAVE for a fault that is being served. That fault holds a reference to the
 * module.
 */
static void xr_odp_free(struct xr_umem *umem)
{
	struct xr_odp *odp = xr_odp_behind(umem);

	xr_odp_end(odp);
	if (cancel_delayed_work(&odp->work))
		refcount_dec(&odp->refs);
	cancel_work_sync(&odp->reclaim);
	xr_odp_wait_worker(odp);
	xr_odp_put(odp);
}

static const struct xr_umem_ops xr_odp_umem_ops = {
	.release = xr_odp_free,
	.query = xr_odp_query,
	.entry = xr_odp_entry,
};

/**
 * xr_odp() - make on-demand memory of a range of addresses or of an address space
 * @caller: the requesting file, whose user the translation table counts for
 * @pid: process whose memory it is, or one of its threads
 * @addr: first byte
 * @length: bytes; XROCE_LENGTH_ALL, with 0 for @addr: the whole address space
 *
 * Nothing need be mapped there. The pages of the translation table count against
 * RLIMIT_MEMLOCK.
 *
 * Return: the memory, with one user, or an error as of xr_pin().
 */
struct xr_umem *xr_odp(const struct xr_owner *caller, struct pid *pid, u64 addr, u64 length)
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
	odp->umem = (struct xr_umem){
		.ops = &xr_odp_umem_ops,
		.on_demand = true,
		.addr = addr,
		.length = length,
		.writable = true,	/* the process's mapping decides */
		.page_shift = PAGE_SHIFT,
		.offset = offset_in_page(addr),
		.sparse = sparse,
	};
	refcount_set(&odp->umem.users, 1);
	refcount_set(&odp->refs, 1);
	xa_init_flags(&odp->children, XA_FLAGS_ACCOUNT);
	spin_lock_init(&odp->req_lock);
	INIT_LIST_HEAD(&odp->waiters);
	INIT_LIST_HEAD(&odp->empty);
	INIT_DELAYED_WORK(&odp->work, xr_odp_work);
	INIT_WORK(&odp->reclaim, xr_odp_reclaim);
	ret = xr_odp_set_process(odp, pid);
	if (ret)
		goto err_odp;
	ret = xr_odp_setup(odp, caller, mm);
	if (ret)
		goto err_process;
	mmgrab(mm);
	odp->mm = mm;
	mmput(mm);
	return &odp->umem;

err_process:
	xr_odp_user_put(odp->user);
	put_pid(odp->umem.pid);
err_odp:
	mmput(mm);
	kfree(odp);
	return ERR_PTR(ret);
}
