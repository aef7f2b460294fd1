/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Listening sockets: an own port, or the sockets that systemd passes. */
#ifndef _XROCE_LISTENER_H
#define _XROCE_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define LISTENER_MAX	8	/* maximum number of sockets */

/**
 * struct listener - non-blocking listening sockets
 * @fd: their descriptors
 * @n: number of sockets
 * @port: port of the first socket
 * @passed: they were passed by systemd
 */
struct listener {
	int fd[LISTENER_MAX];
	int n;
	__u32 port;
	bool passed;
};

/**
 * listener_open() - listen on a TCP port, for IPv6 and IPv4
 * @l: out
 * @port: 1 to 65535
 *
 * Return: 0 or -errno.
 */
int listener_open(struct listener *l, __u32 port);

/**
 * listener_take() - take the sockets that systemd has passed, if any
 * @l: out; @n is 0 if there are none
 *
 * Return: 0; -E2BIG: more than LISTENER_MAX; -ENOTSOCK, -EINVAL: one of them is not a
 * listening TCP socket, or the environment is not valid; or another negative errno.
 */
int listener_take(struct listener *l);

/* Close all sockets, and set @n to 0. */
void listener_close(struct listener *l);

/**
 * listener_accept() - accept a connection
 * @fd: one of the sockets
 * @name: out: numeric address of the peer
 * @size: bytes of @name
 *
 * TCP keepalive is enabled: an idle connection whose peer has disappeared ends within about
 * a minute.
 *
 * Return: a non-blocking socket, or -errno; -EAGAIN: the connection has already ended.
 */
int listener_accept(int fd, char *name, size_t size);

#endif /* _XROCE_LISTENER_H */
