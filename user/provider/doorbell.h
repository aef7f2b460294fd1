/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The doorbell: the only system call on the path of a message. */
#ifndef XP_DOORBELL_H
#define XP_DOORBELL_H

#include <errno.h>
#include <unistd.h>

#include "uapi/rdma/xroce-abi.h"

#include "context.h"

/* Have the work requests of a queue pair executed. Return: 0 or an errno, see xroce-abi.h. */
static inline int xp_doorbell(const struct xp_context *ctx, uint32_t qpn)
{
	off_t ret = lseek(ctx->doorbell, (off_t)qpn, XROCE_DOORBELL_SEND);

	/* A position: the program has closed the doorbell, and the descriptor is another file's. */
	return !ret ? 0 : ret < 0 ? errno : EBADF;
}

#endif
