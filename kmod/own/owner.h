/* SPDX-License-Identifier: GPL-2.0-only */
/* Who objects belong to, and die with. */
#ifndef _XR_OWNER_H
#define _XR_OWNER_H

#include <linux/types.h>
#include <linux/uidgid.h>

#include "event.h"

struct pid;
struct rdma_cgroup;
struct xr_limits;
struct xr_sq;
struct xr_user;

/**
 * struct xr_owner - what owns objects: an open file, or a link for the
 *	persistent ones
 * @pds: protection domains
 * @mrs: memory regions
 * @mws: memory windows
 * @qps: queue pairs
 * @cqs: completion queues
 * @srqs: shared receive queues
 * @sq: send queue; NULL: none
 * @rings: rings that the file can map
 * @ring_next: offset of the next one
 * @events: those of the objects; under a lock of their own
 * @pid: process that opened the file; NULL: a link
 * @uid: user who opened the file
 * @limits: where it is counted: the link's; of a file NULL before it uses one
 * @user: whose count it is in; NULL: a link
 * @group: control group that has been charged for the file; NULL: none
 *
 * The lists are under the link's lock. From @pid on nothing changes while there are
 * objects.
 */
struct xr_owner {
	struct list_head pds;
	struct list_head mrs;
	struct list_head mws;
	struct list_head qps;
	struct list_head cqs;
	struct list_head srqs;
	struct xr_sq *sq;
	struct list_head rings;
	u64 ring_next;
	struct xr_events events;
	struct pid *pid;
	kuid_t uid;
	struct xr_limits *limits;
	struct xr_user *user;
	struct rdma_cgroup *group;
};

void xr_owner_init(struct xr_owner *own);
int xr_owner_check(const struct xr_owner *caller, const struct xr_owner *owner);
bool xr_owner_sees(const struct xr_owner *caller, const struct xr_owner *owner);
bool xr_owner_admin(void);
u32 xr_owner_pid(const struct xr_owner *owner);
u32 xr_owner_flags(const struct xr_owner *owner);

/* Is it a link: does what it owns outlive files? */
static inline bool xr_owner_persistent(const struct xr_owner *owner)
{
	return !owner->pid;
}

#endif
