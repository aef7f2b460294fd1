/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On-demand paging: memory that is found, not pinned. Translation is in pages, and
 * its entries come and go with the page tables of the process: an entry that says
 * XR_ODP_READ is also in the CPU's.
 *
 * Entries lie in parts, each with its own notifier and lock. Of a range of
 * addresses there is one part, whose entries are a table like that of pinned
 * memory. Of all of an address space, xr_umem::sparse, there is a part for each
 * XR_ODP_PAGES pages where something is mapped, and a tree to find it by
 * (child.c).
 *
 * Who writes an entry holds its part's lock. An access holds no lock: it says that
 * its CPU is on a region or a window (hazard.h), then looks at all entries that it
 * needs (xr_odp_ready()), then copies. An entry goes in two steps: its rights are
 * taken away, and the address stays until no CPU that has seen them is left. Only
 * then has the kernel the page back. So an access reads the entry of a page twice
 * without harm.
 *
 * What an access misses is a want (fault_req.c); a worker faults it in (fault.c).
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

#include "mem/umem.h"

struct xr_odp_user;

/* Of an entry, beside the address; those below are the pool's. */
#define XR_ODP_READ	BIT_ULL(2)
#define XR_ODP_WRITE	BIT_ULL(3)
#define XR_ODP_WRITTEN	BIT_ULL(4)	/* it may have been; it is going */
#define XR_ODP_RIGHTS	(XR_ODP_READ | XR_ODP_WRITE)

/* What different accesses can wait for at the same time. */
#define XR_FAULT_REQS	16

/* Pages of a part, where there are many: their entries fill half a KiB. */
#define XR_ODP_SHIFT	6
#define XR_ODP_PAGES	(1ul << XR_ODP_SHIFT)

enum xr_odp_state {
	XR_ODP_FREE,
	XR_ODP_QUEUED,
	XR_ODP_BUSY,		/* being faulted in */
	XR_ODP_FAILED,		/* cannot be had; who has asked is told */
};

/**
 * struct xr_fault_req - pages that an access has missed
 * @state: of the want
 * @error: XR_ODP_FAILED: why, -EFAULT or -EIO
 * @write: to be written
 * @came: some of them have come since it is busy
 * @tries: times that memory was too short for it
 * @first: number of the first page in the table
 * @need: pages that the access cannot do without
 * @ahead: pages that the same message comes to afterwards
 * @since: jiffies: failed since then; or, queued, not to be tried before
 * @caller: who has asked, xr_qp::epoch; nobody else is told that it has failed
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
 * struct xr_odp_miss - what an access has missed
 * @odp: the memory; it is there until the RCU read-side section ends
 * @first: number of the first page that is missing
 * @last: of the last page that the access needs
 * @ahead: bytes that its message goes on for
 * @write: to be written
 */
struct xr_odp_miss {
	struct xr_odp *odp;
	u64 first;
	u64 last;
	u32 ahead;
	bool write;
};

/**
 * struct xr_odp_range - a range of pages, and the entries for them
 * @notifier: over all of them
 * @odp: the memory that it is a part of
 * @mtt: the entries; NULL: those of the chunk that this is in
 * @first: number of the first page
 * @count: pages
 * @lock: who changes an entry; in process context only
 * @resident: entries that are there
 * @low: no entry below it is; both are numbers in the part
 * @high: nor above it
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
 * struct xr_odp_child - a part of an address space
 * @range: itself, in front
 * @users: who brings pages in; under the tree's lock
 * @empty: in xr_odp::empty; under req_lock
 * @entry: one a page
 */
struct xr_odp_child {
	struct xr_odp_range range;
	u32 users;
	struct list_head empty;
	u64 entry[XR_ODP_PAGES];
};

/**
 * struct xr_odp - on-demand memory
 * @umem: what regions know of it; in front
 * @mm: its address space; a reference to the structure, not to the memory
 * @refs: its regions, which are one, and each run of @work that is pending or under way
 * @user: whose workers bring it in
 * @left: no region has it any more, but the worker had not returned then
 * @pages: how many it has, whatever is there
 * @charged: pages that its table counts as
 * @range: all of it, unless it is an address space
 * @children: of an address space: the parts, by number of the first page
 * @nr_children: how many; under the lock of @children
 * @gone: its process has ended
 * @req_lock: softirq: @req, @closing and @empty
 * @closing: nothing is wanted any more
 * @req: what has been missed
 * @empty: chunks that may have no entry left
 * @work: the worker that sees to wants
 * @reclaim: and to empty chunks
 * @next: worker: page behind what was faulted in last
 * @window: worker: pages to fault in when the next access begins at @next
 * @resident: entries that are there
 * @faults: wants that were served
 * @made: entries made
 * @invalidated: entries taken away by the kernel
 * @failed: wants that could not be served
 * @prefetched: pages of @made that were asked for by xr_odp_prefetch()
 * @rcu: the structure outlives accesses that have missed
 */
struct xr_odp {
	struct xr_umem umem;
	struct mm_struct *mm;
	refcount_t refs;
	struct xr_odp_user *user;
	bool left;
	u64 pages;
	unsigned long charged;
	struct xr_odp_range range;
	struct xarray children;
	unsigned long nr_children;
	bool gone;

	spinlock_t req_lock;
	bool closing;
	struct xr_fault_req req[XR_FAULT_REQS];
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
struct xr_umem *xr_odp(struct pid *pid, u64 addr, u64 length);
void xr_odp_put(struct xr_odp *odp);
void xr_odp_queue(struct xr_odp *odp, unsigned long delay);
void xr_odp_queue_reclaim(struct xr_odp *odp);

/* fault_req.c */
void xr_odp_miss(struct xr_odp *odp, u64 off, u32 len, u32 ahead, bool write,
		 struct xr_odp_miss *miss);
int xr_odp_ask(const struct xr_odp_miss *miss, u64 caller);
void xr_odp_came(struct xr_odp *odp, u64 first, u64 nr);
bool xr_odp_requested(struct xr_odp *odp);
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
int xr_odp_prefetch(struct xr_odp *odp, u64 first, u64 last, u32 advice,
		    u64 *pages);

/* What is behind xr_umem::on_demand. */
static inline struct xr_odp *xr_odp_behind(const struct xr_umem *umem)
{
	return container_of(umem, struct xr_odp, umem);
}

/* The address of a page. */
static inline unsigned long xr_odp_addr(const struct xr_odp *odp, u64 page)
{
	return (odp->umem.addr & PAGE_MASK) + (page << PAGE_SHIFT);
}

/* The entry of a page of a part, by its number there. */
static inline u64 *xr_odp_range_at(struct xr_odp_range *range, u64 i)
{
	if (range->mtt)
		return xr_mtt_at(range->mtt, i);
	return container_of(range, struct xr_odp_child, range)->entry + i;
}

/*
 * Has the process been reaped? A fault of the worker keeps the address space, and so
 * its entries, until the fault has been served, which can be later. Nothing is served
 * then: who has waited for the process relies on it.
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
 * The entry of a page of an address space that was found to be there since this CPU
 * is on the memory: so is the chunk, as long as that is so. Most often it is the one
 * that was found last.
 */
static inline u64 *xr_odp_sparse_at(struct xr_odp *odp, u64 page)
{
	struct xr_odp_child *child = this_cpu_read(xr_odp_found);

	if (unlikely(page - child->range.first >= XR_ODP_PAGES))
		child = xr_odp_child(odp, page);
	return &child->entry[page % XR_ODP_PAGES];
}

/**
 * xr_odp_ready() - is all of a range there?
 * @odp: memory; this CPU is on it
 * @off: offset of the first byte, from the first one of the table's first page
 * @len: bytes
 * @write: they will be written
 *
 * In softirq. What is there stays until xr_hazard_clear().
 *
 * Return: 0; -EAGAIN: it can be asked for, see xr_odp_miss(); -EFAULT: there is no
 * such memory, or no such process any more.
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
