/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The doorbell: the only system call on the path of a message. */
#ifndef XP_DOORBELL_H
#define XP_DOORBELL_H

#include <errno.h>
#include <sys/ioctl.h>

#include "uapi/rdma/xroce-abi.h"

#include "context.h"

/* Have the work requests of a queue pair executed. Return: 0 or an errno, see xroce-abi.h. */
static inline int xp_doorbell(const struct xp_context *ctx, uint32_t qpn)
{
	return ioctl(ctx->doorbell, XROCE_DOORBELL_SEND, (unsigned long)qpn) ? errno : 0;
}

#endif
