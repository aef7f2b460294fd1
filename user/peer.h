/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A TCP peer: whole messages, with a time limit each, until a signal says stop.
 */
#ifndef _XROCE_PEER_H
#define _XROCE_PEER_H

#include <stddef.h>

/* Arrange that SIGINT and SIGTERM end a wait. Return: 0 or -errno. */
int peer_catch_signals(void);

/**
 * peer_wait() - wait until a socket can be read
 * @fd: the socket
 * @ms: milliseconds; -1: for ever
 *
 * Return: 0; -ETIMEDOUT; -EINTR: a signal said stop, now or earlier.
 */
int peer_wait(int fd, int ms);

/**
 * peer_read() - read a message
 * @fd: a socket that does not block
 * @buf: where to
 * @size: its bytes
 * @ms: milliseconds that all of it may take
 *
 * Return: bytes, fewer than @size only if the peer has closed; -ETIMEDOUT;
 * -EINTR: stop; or what recv(2) gives.
 */
int peer_read(int fd, void *buf, size_t size, int ms);

/**
 * peer_write() - write a message, in one piece if the socket takes it
 * @fd: a socket that does not block
 * @buf: the message
 * @size: its bytes
 *
 * Messages are small and answered one by one: a socket that does not take one
 * at once is broken.
 *
 * Return: 0, -EPIPE, or what send(2) gives.
 */
int peer_write(int fd, const void *buf, size_t size);

/**
 * peer_listen() - listen on a TCP port, for IPv6 and IPv4
 * @port: 1 to 65535
 *
 * Return: a socket that does not block, or -errno.
 */
int peer_listen(unsigned int port);

/**
 * peer_accept() - take a connection
 * @fd: the listening socket
 * @name: out: numeric address of the peer
 * @size: bytes there
 *
 * Return: a socket that does not block, or -errno; -EAGAIN: it has gone again.
 */
int peer_accept(int fd, char *name, size_t size);

#endif /* _XROCE_PEER_H */
