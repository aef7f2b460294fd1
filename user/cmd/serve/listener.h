/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Where clients connect to: a port of our own, or the sockets of systemd. */
#ifndef _XROCE_LISTENER_H
#define _XROCE_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#define LISTENER_MAX	8	/* sockets */

/**
 * struct listener - listening sockets, none of which blocks
 * @fd: descriptors
 * @n: how many
 * @port: that of the first
 * @passed: they are systemd's
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
 * listener_take() - take the sockets that systemd has passed, if it has
 * @l: out; @n is 0 if not
 *
 * Return: 0; -E2BIG: more than LISTENER_MAX; -ENOTSOCK, -EINVAL: one of them is
 * not a listening TCP socket; or another negative errno.
 */
int listener_take(struct listener *l);

/* Close all; there are none then. */
void listener_close(struct listener *l);

/**
 * listener_accept() - take a connection
 * @fd: one of the sockets
 * @name: out: numeric address of the peer
 * @size: bytes there
 *
 * The kernel looks after connections on which nothing is said, so that one whose
 * peer is no more ends within a minute.
 *
 * Return: a socket that does not block, or -errno; -EAGAIN: it has gone again.
 */
int listener_accept(int fd, char *name, size_t size);

#endif /* _XROCE_LISTENER_H */
