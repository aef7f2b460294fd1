// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The doorbell of a send queue. */
#include <errno.h>
#include <unistd.h>

#include "priv.h"

int xroce_doorbell(const struct xroce *x, __u32 qpn)
{
	struct xroce_qp_send doorbell = { .size = sizeof(doorbell), .qpn = qpn };
	off_t ret = lseek(x->fd, (off_t)qpn, XROCE_SEEK_SEND);

	/* An older module. */
	if (ret < 0 && errno == ESPIPE)
		return xroce_command(x->fd, XROCE_CMD_QP_SEND, &doorbell);
	/* A position: the program has closed the descriptor, and it is another file's. */
	return !ret ? 0 : ret < 0 ? -errno : -EBADF;
}
