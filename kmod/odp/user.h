/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users who have on-demand memory. Each has a workqueue for its page faults, which serves
 * at most XR_ODP_WORKERS at a time. So if a user's memory never comes, for example a FUSE
 * file whose server does not answer, other users' faults are still served.
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
 * struct xr_odp_user - a user who has on-demand memory
 * @uid: real user id of the processes whose memory it is
 * @refs: memory objects; under xr_odp_users_lock
 * @wq: serves their faults
 * @left: memory objects without regions whose fault is still being served
 * @node: in the list of users; under xr_odp_users_lock
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
