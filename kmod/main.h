/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xroce.ko owns memory: it pins pages, keeps their translation tables, and
 * moves bytes for the XDP program, which passes the verdicts.
 *
 * Folders, each of which includes only such as come behind it
 *
 *   .        front: the device's ioctls (chardev*.c), the kfuncs, the beginning and the end
 *   ctl/     what takes several kinds of objects, their memory, or the data path
 *   data/    the data path: packets in, responses out, frames that wait
 *   obj/     links and the objects on them: structures, tables, look-up, and their making
 *            and end where no more than that is needed
 *   odp/     on-demand memory
 *   mem/     memory: pinned or physical, translation tables, what the data path is on
 *   own/     owners of objects: what counts for them, what they are told
 *   bytes/   bytes of frames: invariant CRC, copying
 *
 * What may sleep where
 *
 *   context                        sleeps  enters by
 *   ioctl, close                   yes     chardev.c
 *   netdev notifier (rtnl held)    yes     obj/link.c
 *   kfunc (softirq, RCU)           no      kfunc.c
 *   tasklet of responses, timer      no      data/response.c
 *   timer of kept frames           no      data/defer.c
 *   work on those (softirq)        no      data/defer.c, and kfunc.c from there
 *   work that flushes a queue      yes     obj/recv_queue.c
 *   work on a send queue           yes     obj/sq.c
 *   mmu notifier                   if told odp/range.c
 *   fault worker                   yes     odp/fault.c
 *   worker on empty parts          yes     odp/child.c
 *
 * Locks, outermost first
 *
 *   rtnl               the network's
 *   ctx->lock          mutex: which link a file uses
 *   xr_links_lock      mutex: the table of links, and each link's netdev
 *   mmap_lock          the kernel's: mmap(2) of a ring; faults of the worker
 *   link->lock         mutex: the link's objects, their owners and counts
 *   limits->lock       mutex: what is charged, and the limits
 *   xr_odp_users_lock  mutex: users whose memory is on demand
 *   sq->lock           spin, bh: a send queue
 *   recv->lock         spin, bh: what a queue pair receives with
 *   srq->lock          spin, bh: a shared receive queue
 *   mw->lock           spin, bh: a window
 *   cq->lock           spin, bh: a completion queue
 *   events->lock       spin, bh: events that a file has not read
 *   responses->lock      spin, bh: a queue pair's responses
 *   keep->lock         spin, bh: frames of a queue pair that are deferred
 *   xr_odp_wait_lock   spin, bh: who waits for memory on its way
 *   odp->chunks        spin: the tree's: parts of an address space, their users
 *   part->lock         spin: entries of on-demand memory
 *   odp->req_lock     spin, bh: what of it has been missed, and parts to free
 *   xr_pool_grow_lock  mutex: extents are added to the pool of tables
 *   xr_pool_lock       spin: the pool
 *
 * The data path takes only sq->lock to xr_odp_wait_lock, and odp->req_lock,
 * and none of them where it holds a region. It finds links, regions, windows and
 * queue pairs under RCU; what keeps the pages of a region alive during a copy is
 * said in mem/hazard.h, and for on-demand memory in odp/odp.h.
 * A queue pair's entry in the map "qp" is shared with the XDP program by a claim,
 * see obj/qp.c.
 */
#ifndef _XR_MAIN_H
#define _XR_MAIN_H

int xr_kfunc_init(void);
int xr_chardev_init(void);
void xr_chardev_exit(void);

#endif
