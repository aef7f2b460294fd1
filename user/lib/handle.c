// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The handle: a descriptor of /dev/xroce. */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "priv.h"

int xroce_dev_open(void)
{
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	/* The device node is missing or has no driver: the module is not loaded. */
	return errno == ENOENT || errno == ENODEV ? -ENXIO : -errno;
}

int xroce_command(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg) < 0 ? -errno : 0;
}

int xroce_queue_del(struct xroce *x, unsigned long command, void *arg)
{
	return x->fd < 0 ? 0 : xroce_command(x->fd, command, arg);
}

struct xroce *xroce_open(const char *netdev)
{
	struct xroce_link_use use = { .size = sizeof(use) };
	struct xroce *x;
	int err;

	use.ifindex = xroce_ifindex(netdev);
	if (!use.ifindex) {
		errno = ENODEV;
		return NULL;
	}
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->refs = 1;

	x->fd = xroce_dev_open();
	if (x->fd < 0) {
		err = x->fd;
		goto out_free;
	}
	err = xroce_command(x->fd, XROCE_CMD_LINK_USE, &use);
	if (err)
		goto out_close;
	x->link = use.link;
	pthread_mutex_init(&x->lock, NULL);
	return x;

out_close:
	close(x->fd);
out_free:
	free(x);
	errno = -err;
	return NULL;
}

void xroce_put(struct xroce *x)
{
	unsigned int refs;

	pthread_mutex_lock(&x->lock);
	refs = --x->refs;
	pthread_mutex_unlock(&x->lock);
	if (refs)
		return;
	pthread_mutex_destroy(&x->lock);
	free(x);
}

void xroce_close(struct xroce *x)
{
	if (!x)
		return;
	xroce_rings_close(x);
	close(x->fd);
	x->fd = -1;
	xroce_put(x);
}

int xroce_fd(const struct xroce *x)
{
	return x->fd;
}

__u32 xroce_link(const struct xroce *x)
{
	return x->link;
}
