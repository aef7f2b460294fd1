/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users whose memory is on demand. Each has a workqueue for its page faults, which serves
 * XR_ODP_WORKERS at a time: a user whose memory never comes, as that of a FUSE file whose
 * server does not answer, keeps no other user from paging.
 */
#ifndef _XR_ODP_USER_H
#define _XR_ODP_USER_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/uidgid.h>

struct workqueue_struct;

/* Faults of a user that are served at a time. */
#define XR_ODP_WORKERS	32

/**
 * struct xr_odp_user - a user whose memory is on demand
 * @uid: real user of the processes whose memory it is
 * @refs: memory objects; under the lock of the list
 * @wq: serves their faults
 * @left: objects that no region has any more, but that are being faulted in
 * @node: in the list of users
 */
struct xr_odp_user {
	kuid_t uid;
	unsigned long refs;
	struct workqueue_struct *wq;
	atomic_t left;
	struct list_head node;
};

struct xr_odp_user *xr_odp_user_get(kuid_t uid);
void xr_odp_user_put(struct xr_odp_user *user);
void xr_odp_user_exit(void);

#endif
