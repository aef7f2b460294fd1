// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory shared with the module, and the events beside it. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <sys/mman.h>

#include "libxroce_priv.h"

int xroce_ring_map(struct xroce *x, __u64 offset, __u64 bytes, void **ring)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, x->fd,
		       offset);

	if (p == MAP_FAILED)
		return -errno;
	*ring = p;
	return 0;
}

void xroce_ring_unmap(void *ring, size_t bytes)
{
	munmap(ring, bytes);
}

int xroce_async_next(struct xroce *x, struct xroce_async *async)
{
	struct pollfd pfd = { .fd = x->fd, .events = POLLPRI };
	int n = poll(&pfd, 1, 0);

	if (n < 0)
		return -errno;
	if (!n)
		return -EAGAIN;
	return read(x->fd, async, sizeof(*async)) < 0 ? -errno : 0;
}
