/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Owners of objects, which are destroyed with their owner: open files of /dev/xroce, open
 * contexts of a verbs device, verbs devices for consumers in the kernel, and links.
 */
#ifndef _XR_OWNER_H
#define _XR_OWNER_H

#include <linux/gfp.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "event.h"

/*
 * For allocations with the lock of a link or of its limits: they must not wait for a disk or file
 * system, because what is behind the link may be one, and recovers with these locks.
 */
#define XR_GFP_LOCKED	(GFP_NOIO | __GFP_ACCOUNT)

struct mm_struct;
struct pid;
struct rdma_cgroup;
struct xr_cq;
struct xr_limits;
struct xr_owner;
struct xr_qp;
struct xr_send_ud;
struct xr_user;

/**
 * struct xr_owner_ops - where the owner is not a file, how its front end is notified
 * @event: an event of an object; xr_event::type and xr_event::context tell which
 * @completion: a completion queue that was armed has fired, and is not armed any more
 * @address: look up an address handle of the queue pair's domain and fill in where a datagram
 *	goes; return whether there is such a handle. The queue pair's send lock is held
 *
 * The first two are called with bottom halves off and with locks of objects held (main.h), though
 * not with that of the completion queue. They must not sleep, nor call back.
 */
struct xr_owner_ops {
	void (*event)(struct xr_owner *own, struct xr_event *event);
	void (*completion)(struct xr_owner *own, struct xr_cq *cq);
	bool (*address)(const struct xr_qp *qp, u32 ah, struct xr_send_ud *to);
};

/**
 * struct xr_owner - an owner of objects
 * @ops: of a verbs device; NULL: a file, which read(2)s and poll(2)s, or a link
 * @pds: protection domains
 * @mrs: memory regions
 * @mws: memory windows
 * @qps: queue pairs
 * @cqs: completion queues
 * @srqs: shared receive queues
 * @rings: rings that the file can map
 * @ring_next: mmap offset of the next ring, in bytes
 * @events: asynchronous events of the objects; with a lock of its own
 * @pid: process that opened the file or device, with a reference; NULL: the owner is a link,
 *	or a verbs device
 * @mm: address space of that process, with a reference to the structure; NULL: as for @pid
 * @uid: real user id of that process
 * @limits: limits of the link; NULL: a file that does not use a link yet
 * @user: user that the objects count for; NULL: none, as for @pid
 * @group: control group that has been charged for the file; NULL: none
 *
 * @pds to @ring_next are under the link's lock. @ops does not change; @pid and the fields
 * after it do not change while there are objects.
 */
struct xr_owner {
	const struct xr_owner_ops *ops;
	struct list_head pds;
	struct list_head mrs;
	struct list_head mws;
	struct list_head qps;
	struct list_head cqs;
	struct list_head srqs;
	struct list_head rings;
	u64 ring_next;
	struct xr_events events;
	struct pid *pid;
	struct mm_struct *mm;
	kuid_t uid;
	struct xr_limits *limits;
	struct xr_user *user;
	struct rdma_cgroup *group;
};

void xr_owner_init(struct xr_owner *own);
void xr_owner_open(struct xr_owner *own, const struct xr_owner_ops *ops);
void xr_owner_open_kernel(struct xr_owner *own, const struct xr_owner_ops *ops,
			  struct xr_limits *limits);
void xr_owner_close(struct xr_owner *own);
void xr_owner_raise(struct xr_owner *own, struct xr_event *event);
int xr_owner_check(const struct xr_owner *caller, const struct xr_owner *owner);
bool xr_owner_sees(const struct xr_owner *caller, const struct xr_owner *owner);
bool xr_owner_tunes(const struct xr_owner *caller, const struct xr_owner *owner);
bool xr_owner_admin(void);
u32 xr_owner_pid(const struct xr_owner *owner);
u32 xr_owner_flags(const struct xr_owner *owner);

/* True if the owner is a link. Its objects outlive the files that made them. */
static inline bool xr_owner_persistent(const struct xr_owner *owner)
{
	return !owner->pid && !owner->ops;
}

#endif
