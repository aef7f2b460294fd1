/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On-demand paging: memory that is not pinned. Translation is in pages. Entries come and go
 * with the page tables of the process: a page whose entry has XR_ODP_READ is also in the
 * CPU's page tables.
 *
 * Entries are in ranges (struct xr_odp_range), each with its own notifier and lock. A
 * region over a range of addresses has one, whose entries are a table as that of pinned
 * memory. An implicit region (xr_umem::sparse) has a child for each XR_ODP_PAGES pages of
 * which some have been faulted in, and a tree to find it by (child.c).
 *
 * Entries are written under the lock of their range. An access takes no lock. It sets this
 * CPU's hazard pointer to the region or window (hazard.h), then checks all entries that it
 * needs (xr_odp_ready()), then copies. An entry is removed in two steps: its rights are
 * cleared, and its address stays until no CPU uses it any more. Only then does the notifier
 * return the page to the kernel. So an access can safely read the entry of a page twice.
 *
 * An access that misses a page leaves a fault request (fault_req.c). A worker serves it
 * (fault.c).
 */
#ifndef _XR_ODP_H
#define _XR_ODP_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "mem/locked.h"
#include "mem/umem.h"

struct xr_odp_user;
struct xr_owner;

/* Bits of an entry beside the address. Bits 0 and 1 belong to the MTT pool. */
#define XR_ODP_READ	BIT_ULL(2)
#define XR_ODP_WRITE	BIT_ULL(3)
#define XR_ODP_WRITTEN	BIT_ULL(4)	/* may have been written; being cleared */
#define XR_ODP_RIGHTS	(XR_ODP_READ | XR_ODP_WRITE)

/* Fault requests that a memory can have at a time. */
#define XR_FAULT_REQS	16

/* Pages faulted in at a time: their page frame numbers fill a page. */
#define XR_ODP_BATCH	(PAGE_SIZE / sizeof(unsigned long))

/* Pages of a child: their entries take 512 bytes. */
#define XR_ODP_SHIFT	6
#define XR_ODP_PAGES	(1ul << XR_ODP_SHIFT)

enum xr_odp_state {
	XR_ODP_FREE,
	XR_ODP_QUEUED,
	XR_ODP_BUSY,		/* being faulted in */
	XR_ODP_FAILED,		/* inaccessible; its caller will be told */
};

/**
 * struct xr_fault_req - pages that an access has missed
 * @state: of the request
 * @error: if XR_ODP_FAILED: -EFAULT or -EIO
 * @write: for writing
 * @came: some of the pages have become resident since it was taken by the worker
 * @tries: how often it was retried because memory was short
 * @first: number of the first page in the memory
 * @need: pages that the access needs
 * @ahead: pages that follow in the same message
 * @since: jiffies; XR_ODP_FAILED: when it failed; XR_ODP_QUEUED: not to be served before
 * @caller: xr_qp::epoch of the requester; only this caller is told of a failure
 *
 * All under xr_odp::req_lock.
 */
struct xr_fault_req {
	enum xr_odp_state state;
	int error;
	bool write;
	bool came;
	u8 tries;
	u64 first;
	u64 need;
	u64 ahead;
	unsigned long since;
	u64 caller;
};

/**
 * struct xr_odp_miss - the pages that an access has missed
 * @odp: the memory; valid until the RCU read-side section ends
 * @first: number of the first page that is missing
 * @last: number of the last page that the access needs
 * @ahead: bytes that follow in the message
 * @write: the access writes
 */
struct xr_odp_miss {
	struct xr_odp *odp;
	u64 first;
	u64 last;
	u32 ahead;
	bool write;
};

/**
 * struct xr_odp_range - a range of pages and their entries
 * @notifier: covers all of them
 * @odp: the memory that it is a part of
 * @mtt: the entries; NULL: this is in a struct xr_odp_child, which has them
 * @first: number of the first page
 * @count: pages
 * @lock: protects the entries and the fields below; taken in process context only
 * @resident: entries that have XR_ODP_READ
 * @low: no such entry is below this one, counted within the range
 * @high: no such entry is above this one
 */
struct xr_odp_range {
	struct mmu_interval_notifier notifier;
	struct xr_odp *odp;
	const struct xr_mtt *mtt;
	u64 first;
	u64 count;
	spinlock_t lock;
	u64 resident;
	u64 low;
	u64 high;
};

/**
 * struct xr_odp_child - a part of an implicit on-demand region
 * @range: its pages
 * @users: tasks that are bringing pages in; under the lock of xr_odp::children
 * @empty: in xr_odp::empty; under xr_odp::req_lock
 * @entry: one for each page
 */
struct xr_odp_child {
	struct xr_odp_range range;
	u32 users;
	struct list_head empty;
	u64 entry[XR_ODP_PAGES];
};

/**
 * struct xr_odp - on-demand memory
 * @umem: the part that all kinds of memory have
 * @mm: address space; a reference to the structure (mmgrab()), not to the memory
 * @refs: one for all regions, and one for each run of @work that is pending or under way
 * @user: whose workers fault it in
 * @left: the last region is gone, but a worker still serves a fault
 * @pages: its size, resident or not
 * @locked: pages of its table, which count against RLIMIT_MEMLOCK
 * @range: all of its pages, unless it is implicit (xr_umem::sparse)
 * @children: of an implicit region, by number of the first page / XR_ODP_PAGES
 * @nr_children: how many there are; under the lock of @children
 * @exited: its process has ended
 * @req_lock: protects @req, @dying, @waiters and @empty; taken in softirq, too
 * @dying: no more requests are accepted or served
 * @req: fault requests
 * @waiters: for a request to be served (wait.h)
 * @empty: children that may have no entry left
 * @work: the worker that serves @req
 * @reclaim: frees the children in @empty
 * @next: the worker's: number of the page after the last one that was faulted in
 * @window: the worker's: pages to fault in if the next access begins at @next
 * @resident: entries that have XR_ODP_READ, in all ranges
 * @faults: requests that were served
 * @made: entries made
 * @invalidated: entries that the kernel has invalidated
 * @failed: requests that have failed
 * @prefetched: pages of @made that xr_odp_prefetch() has brought in
 * @rcu: xr_odp_ask() may read the structure after the access has ended
 */
struct xr_odp {
	struct xr_umem umem;
	struct mm_struct *mm;
	refcount_t refs;
	struct xr_odp_user *user;
	bool left;
	u64 pages;
	struct xr_locked locked;
	struct xr_odp_range range;
	struct xarray children;
	unsigned long nr_children;
	bool exited;

	spinlock_t req_lock;
	bool dying;
	struct xr_fault_req req[XR_FAULT_REQS];
	struct list_head waiters;
	struct list_head empty;
	struct delayed_work work;
	struct work_struct reclaim;
	u64 next;
	u64 window;

	atomic64_t resident;
	atomic64_t faults;
	atomic64_t made;
	atomic64_t invalidated;
	atomic64_t failed;
	atomic64_t prefetched;
	struct rcu_head rcu;
};

/* odp.c */
int xr_odp_init(void);
void xr_odp_exit(void);
struct xr_umem *xr_odp(const struct xr_owner *caller, struct pid *pid, u64 addr, u64 length);
void xr_odp_put(struct xr_odp *odp);
void xr_odp_queue(struct xr_odp *odp, unsigned long delay);
void xr_odp_queue_reclaim(struct xr_odp *odp);

/* fault_req.c */
void xr_odp_miss(struct xr_odp *odp, u64 off, u32 len, u32 ahead, bool write,
		 struct xr_odp_miss *miss);
int xr_odp_ask(const struct xr_odp_miss *miss, u64 caller);
void xr_odp_came(struct xr_odp *odp, u64 first, u64 nr);
bool xr_odp_requested(const struct xr_odp *odp);
void xr_odp_end(struct xr_odp *odp);
struct xr_fault_req *xr_odp_take(struct xr_odp *odp, struct xr_fault_req *copy);
void xr_odp_done(struct xr_odp *odp, struct xr_fault_req *w, int ret);

/* range.c */
int xr_odp_range_open(struct xr_odp_range *range, struct mm_struct *mm);
void xr_odp_range_close(struct xr_odp_range *range);
void xr_odp_range_put_entry(struct xr_odp_range *range, u64 i, u64 entry);

/* child.c */
int xr_odp_child_init(void);
void xr_odp_child_exit(void);
struct xr_odp_range *xr_odp_range_get(struct xr_odp *odp, u64 page);
void xr_odp_range_put(struct xr_odp_range *range);
void xr_odp_child_emptied(struct xr_odp_range *range);
void xr_odp_reclaim(struct work_struct *work);
void xr_odp_child_free_all(struct xr_odp *odp);
int xr_odp_sparse_ready(struct xr_odp *odp, u64 off, u32 len, bool write);

/* fault.c */
void xr_odp_work(struct work_struct *work);
int xr_odp_bring(struct xr_odp *odp, u64 first, u64 nr, unsigned long flags, bool huge,
		 unsigned long *pfns);

/* null.c */
int xr_null_init(void);
void xr_null_exit(void);
struct xr_umem *xr_null(void);
void xr_null_ready(bool write);

/* prefetch.c */
int xr_odp_prefetch(struct xr_odp *odp, u64 first, u64 last, u32 advice,
		    u64 *pages);

/* The on-demand memory of a umem that has xr_umem::on_demand. */
static inline struct xr_odp *xr_odp_behind(const struct xr_umem *umem)
{
	return container_of(umem, struct xr_odp, umem);
}

/* The address of a page. */
static inline unsigned long xr_odp_addr(const struct xr_odp *odp, u64 page)
{
	return (odp->umem.addr & PAGE_MASK) + (page << PAGE_SHIFT);
}

/* The entry of page @i, counted within the range. */
static inline u64 *xr_odp_range_at(struct xr_odp_range *range, u64 i)
{
	if (range->mtt)
		return xr_mtt_at(range->mtt, i);
	return container_of(range, struct xr_odp_child, range)->entry + i;
}

/*
 * True if the process has been reaped. A fault that the worker serves can keep the address space
 * and its entries beyond that. No access succeeds then: a parent that has waited for the
 * process relies on it.
 */
static inline bool xr_odp_reaped(const struct xr_odp *odp)
{
	return !pid_has_task(odp->umem.pid, PIDTYPE_TGID);
}

static inline struct xr_odp_child *xr_odp_child(struct xr_odp *odp, u64 page)
{
	return xa_load(&odp->children, page >> XR_ODP_SHIFT);
}

DECLARE_PER_CPU(struct xr_odp_child *, xr_odp_found);

/*
 * The entry of a page of an implicit region. xr_odp_sparse_ready() has found it to be
 * resident since this CPU's hazard pointer was set, so its child exists until the pointer
 * is cleared. Usually the page is in the child that was found last.
 */
static inline u64 *xr_odp_sparse_at(const struct xr_umem *umem, u64 page)
{
	struct xr_odp_child *child = this_cpu_read(xr_odp_found);

	/* All pages of null memory are in the one that was found. */
	if (unlikely(page - child->range.first >= XR_ODP_PAGES) && !umem->null)
		child = xr_odp_child(xr_odp_behind(umem), page);
	return &child->entry[page % XR_ODP_PAGES];
}

/**
 * xr_odp_ready() - are all pages of an access resident?
 * @odp: on-demand memory; this CPU's hazard pointer protects it
 * @off: offset of the first byte from the beginning of the table's first page
 * @len: bytes
 * @write: the access writes
 *
 * In softirq. Resident pages stay until xr_hazard_clear().
 *
 * Return: 0; -EAGAIN: some are not resident and can be requested, see xr_odp_miss();
 * -EFAULT: there is no such address, or the process has ended.
 */
static inline int xr_odp_ready(struct xr_odp *odp, u64 off, u32 len, bool write)
{
	const u64 rights = write ? XR_ODP_RIGHTS : XR_ODP_READ;
	u64 i = off >> PAGE_SHIFT, last;

	if (!len)
		return 0;
	if (xr_odp_reaped(odp))
		return -EFAULT;
	if (odp->umem.sparse)
		return xr_odp_sparse_ready(odp, off, len, write);
	last = (off + len - 1) >> PAGE_SHIFT;
	for (; i <= last; i++)
		if ((READ_ONCE(*xr_mtt_at(&odp->umem.mtt, i)) & rights) != rights)
			return -EAGAIN;
	return 0;
}

#endif
