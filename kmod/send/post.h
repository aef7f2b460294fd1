/* SPDX-License-Identifier: GPL-2.0-only */
/* Work requests that programs have posted to rings of libxroce. See post.c. */
#ifndef _XR_SEND_POST_H
#define _XR_SEND_POST_H

#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/types.h>

struct xr_link;
struct xr_owner;
struct xr_qp;

int xr_post_send(struct xr_link *link, const struct xr_owner *caller, u32 qpn);
bool xr_post_due(const struct xr_qp *qp);
int xr_post_poll(struct xr_qp *qp);
void xr_post_apply(struct xr_qp *qp);

/* xr_post_send() by lseek(2). @qpn: the offset, which may be anything. */
static inline int xr_post_seek(struct xr_link *link, const struct xr_owner *caller, loff_t qpn)
{
	return (u64)qpn > U32_MAX ? -ENOENT : xr_post_send(link, caller, qpn);
}

#endif
