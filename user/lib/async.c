// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Asynchronous events. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "priv.h"

int xroce_async_next_sized(struct xroce *x, struct xroce_async *async, size_t size)
{
	struct pollfd pfd = { .fd = x->fd, .events = POLLPRI };
	struct xroce_async event;
	int n = poll(&pfd, 1, 0);
	ssize_t got;

	if (n < 0)
		return -errno;
	if (!n)
		return -EAGAIN;
	got = read(x->fd, &event, sizeof(event));
	if (got < 0)
		return -errno;
	xroce_give(async, size, &event, got);
	return 0;
}
