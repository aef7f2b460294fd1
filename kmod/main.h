/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xroce.ko owns memory: it pins pages, keeps their translation tables, and moves bytes for
 * the XDP program, which judges the packets.
 *
 * Folders, in layers. A file includes headers of its own layer, and of those below it; and no
 * file includes itself through others.
 *
 *   front/   front ends, which translate an interface into calls of the layers below: dev/ is
 *            /dev/xroce; verbs/ is a module of its own, xroce_ib.ko: verbs devices of ib_core,
 *            with contexts and locks of its own in front/verbs/verbs.h
 *   .        the kfuncs, module init and exit
 *
 *   ctl/     commands about regions and windows that involve memory, and the end of an owner
 *
 *   qp/      queue pairs: structure, state and claim; create, modify, query; peers
 *   send/    their send side: work requests, the packets of requests, the peer's responses
 *   recv/    their receive side: receive queues, messages that arrive, multicast
 *   respond/ responses that the module sends, congestion notifications
 *   frame/   frames: building and sending them, payload of regions, frames to the link itself
 *   defer/   frames that wait: for on-demand memory, or behind a packet that is missing
 *   odp/     on-demand memory
 *   obj/     links and the other objects on them: structures, tables, look-up
 *
 *   mem/     pinned and physical memory, translation tables, hazard pointers
 *
 *   own/     owners of objects, their limits and events
 *
 *   bytes/   bytes of frames: invariant CRC, copying
 *
 * Contexts
 *
 *   context                           sleeps      entry
 *   ioctl, close                      yes         front/dev/chardev.c
 *   netdev notifiers (rtnl held)      yes         obj/link.c, frame/xdp_tx.c, qp/path.c
 *   neighbour notifier                no          qp/path.c; takes no lock
 *   kfunc (softirq, RCU)              no          kfunc.c
 *   tasklet and timer of responses    no          respond/queue.c
 *   tasklet and timers of requests    no          send/requester.c, wait.c, silence.c
 *   interrupt: this CPU is to send    no          send/steer.c; takes no lock
 *   timer of deferred frames          no          defer/defer.c
 *   timer of completion events        no          obj/cq.c
 *   work: deferred frames (softirq)   no          defer/defer.c; its program calls kfunc.c
 *   work: frames to itself (softirq)  no          frame/loop.c; its program calls kfunc.c
 *   work: flush a receive queue       yes         recv/queue.c
 *   work: peers and MTU have changed  yes         qp/path.c
 *   mmu notifier                      if allowed  odp/range.c
 *   fault worker                      yes         odp/fault.c
 *   work: free empty children         yes         odp/child.c
 *   work: free idle users             yes         odp/user.c
 *
 * Locks, outermost first. This is no total order: a lock is taken under some of those above it, and
 * under none below it. No mutex is taken under a spin lock.
 *
 *   rtnl               the kernel's
 *   ctx->lock          mutex: which link a file uses
 *   xr_links_lock      mutex: the table of links, and each link's netdev
 *   mmap_lock          the kernel's: mmap(2) of a ring; the fault worker
 *   link->lock         mutex: the link's objects, their owners and counts
 *   limits->lock       mutex: charges and limits
 *   xr_peers_mutex     mutex: which queue pairs are connected with which peers
 *   xr_shares_lock     spin: what users have of the MTT pool
 *   mcast->lock        mutex: members of multicast groups
 *   xr_odp_users_lock  mutex: users of on-demand memory
 *   send->lock         spin, bh: the send side of a queue pair
 *   recv->lock         spin, bh: the receive side of a queue pair. Functions of the owner
 *                      (xr_owner_ops) are called under it, the one above, and the locks below,
 *                      but not under cq->lock, when a completion queue has fired
 *   srq->lock          spin, bh: a shared receive queue
 *   fast->lock         spin, bh: a region that work requests register
 *   fast->stage_lock   spin, interrupts off: pages that are named for it
 *   mw->lock           spin, bh: a window
 *   cq->lock           spin, bh: a completion queue; of a consumer in the kernel interrupts off
 *   events->lock       spin, bh: events that a file has not read
 *   responses->lock    spin, bh: a queue pair's responses
 *   defer->lock        spin, bh: a queue pair's deferred frames
 *   loop->lock         spin, bh: frames of a link to itself
 *   odp->children      spin, the XArray's: children of an implicit region, their users
 *   range->lock        spin: entries of on-demand memory
 *   xr_cc_lock         spin, bh: algorithms of congestion control and their users (send/cc_list.c)
 *   odp->req_lock      spin, bh: fault requests, who waits for them, and children to free
 *   xr_pool_grow_lock  mutex: extents are added to the MTT pool
 *   xr_pool_lock       spin: the MTT pool
 *   post_lock          raw spin, interrupts off: what consumers in the kernel post to a send or
 *                      receive queue
 *
 * The data path takes only send->lock to loop->lock, xr_cc_lock and odp->req_lock, and none of them
 * while it holds a region. It finds links, regions, windows and queue pairs under RCU.
 * mem/hazard.h describes what keeps the pages of a region during a copy, odp/odp.h the same
 * for on-demand memory. The entry of a queue pair in the map "qp" is shared with the XDP
 * program under a claim, see qp/qp.c.
 */
#ifndef _XR_MAIN_H
#define _XR_MAIN_H

int xr_kfunc_init(void);
int xr_chardev_init(void);
void xr_chardev_exit(void);

#endif
