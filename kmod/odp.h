/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On-demand paging: memory that is found, not pinned. The translation table is
 * that of pinned memory, in pages, and its entries come and go with the page
 * tables of the process: an entry that says XR_ODP_READ is also in the CPU's.
 *
 * Who writes an entry holds @lock. An access holds no lock: it says that its CPU
 * is on a region or a window (hold.h), then looks at all entries that it needs
 * (xr_odp_ready()), then copies. An entry goes in two steps: its rights are taken
 * away, and the address stays until no CPU that has seen them is left. Only then
 * has the kernel the page back. So an access reads the entry of a page twice
 * without harm.
 *
 * What an access misses is a want; a worker faults it in (odp_fault.c).
 */
#ifndef _XR_ODP_H
#define _XR_ODP_H

#include <linux/atomic.h>
#include <linux/mmu_notifier.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "pin.h"

struct xroce_mr_query;

/* Of an entry, beside the address; those below are the pool's. */
#define XR_ODP_READ	BIT_ULL(2)
#define XR_ODP_WRITE	BIT_ULL(3)
#define XR_ODP_WRITTEN	BIT_ULL(4)	/* it may have been; it is going */
#define XR_ODP_RIGHTS	(XR_ODP_READ | XR_ODP_WRITE)

/* What different accesses can wait for at the same time. */
#define XR_ODP_WANTS	16

enum xr_odp_state {
	XR_ODP_FREE,
	XR_ODP_QUEUED,
	XR_ODP_BUSY,		/* being faulted in */
	XR_ODP_FAILED,		/* cannot be had; who asks again is told */
};

/**
 * struct xr_odp_want - pages that an access has missed
 * @state: of the want
 * @write: to be written
 * @first: number of the first page in the table
 * @need: pages that the access cannot do without
 * @ahead: pages that the same message comes to afterwards
 * @since: jiffies: failed since then
 */
struct xr_odp_want {
	enum xr_odp_state state;
	bool write;
	u64 first;
	u64 need;
	u64 ahead;
	unsigned long since;
};

/**
 * struct xr_odp - memory on demand
 * @pin: what regions know of it
 * @notifier: over all its pages
 * @charged: pages that its table counts as
 * @lock: who changes an entry; in process context only
 * @resident: entries that are there
 * @low: no entry below it is
 * @high: nor above it
 * @gone: its process has ended
 * @want_lock: softirq: @want and @closing
 * @closing: nothing is wanted any more
 * @want: what has been missed
 * @work: the worker that sees to it
 * @next: worker: page behind what was faulted in last
 * @window: worker: pages to fault in when the next access begins at @next
 * @faults: wants that were served
 * @pages: entries made
 * @invalidated: entries taken away by the kernel
 * @failed: wants that could not be served
 * @prefetched: pages of @pages that were asked for by xr_odp_prefetch()
 */
struct xr_odp {
	struct xr_pin pin;
	struct mmu_interval_notifier notifier;
	unsigned long charged;

	spinlock_t lock;
	u64 resident;
	u64 low;
	u64 high;
	bool gone;

	spinlock_t want_lock;
	bool closing;
	struct xr_odp_want want[XR_ODP_WANTS];
	struct work_struct work;
	u64 next;
	u64 window;

	atomic64_t faults;
	atomic64_t pages;
	atomic64_t invalidated;
	atomic64_t failed;
	atomic64_t prefetched;
};

/* odp.c */
int xr_odp_init(void);
void xr_odp_exit(void);
struct xr_pin *xr_odp(struct pid *pid, u64 addr, u64 length);
void xr_odp_free(struct xr_odp *odp);
void xr_odp_query(const struct xr_odp *odp, struct xroce_mr_query *q);
bool xr_odp_wanted(struct xr_odp *odp);
void xr_odp_put_entry(struct xr_odp *odp, u64 i, u64 entry);
int xr_odp_miss(struct xr_odp *odp, u64 first, u64 last, u32 ahead, bool write);

/* odp_fault.c */
void xr_odp_work(struct work_struct *work);
int xr_odp_prefetch(struct xr_odp *odp, u64 first, u64 last, u32 advice,
		    u64 *pages);

/**
 * xr_odp_ready() - is all of a range there?
 * @odp: memory; this CPU is on it
 * @off: offset of the first byte, from the first one of the table's first page
 * @len: bytes
 * @ahead: bytes that the message goes on for, a hint
 * @write: they will be written
 *
 * In softirq. What is there stays until xr_mr_drop().
 *
 * Return: 0; -EAGAIN: it has been sent for; -EFAULT: it cannot be had.
 */
static inline int xr_odp_ready(struct xr_odp *odp, u64 off, u32 len, u32 ahead,
			       bool write)
{
	const u64 rights = write ? XR_ODP_RIGHTS : XR_ODP_READ;
	u64 i = off >> PAGE_SHIFT, last;

	if (!len)
		return 0;
	last = (off + len - 1) >> PAGE_SHIFT;
	for (; i <= last; i++)
		if ((READ_ONCE(*xr_mtt_at(&odp->pin.mtt, i)) & rights) != rights)
			return xr_odp_miss(odp, i, last, ahead, write);
	return 0;
}

#endif
