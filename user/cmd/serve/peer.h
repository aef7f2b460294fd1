/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A TCP peer: whole messages, with a time limit each, until a signal says stop.
 * Any number of threads may wait, each for a peer of its own.
 */
#ifndef _XROCE_PEER_H
#define _XROCE_PEER_H

#include <stddef.h>

/*
 * Arrange that SIGINT, SIGTERM and SIGHUP end every wait, now and from then on. To be
 * called before there are threads. Return: 0 or -errno.
 */
int peer_catch_signals(void);

/* A descriptor that can be read once a signal has said stop; -1: none are caught. */
int peer_stop_fd(void);

/**
 * peer_wait() - wait until a socket can be read
 * @fd: the socket
 * @ms: milliseconds; -1: for ever
 *
 * Return: 0; -ETIMEDOUT; -EINTR: a signal said stop, now or earlier.
 */
int peer_wait(int fd, int ms);

/**
 * peer_peek() - look at the first byte that comes, and leave it there
 * @fd: a socket that does not block
 * @first: out: the byte
 * @ms: milliseconds
 *
 * Return: 1; 0: the peer has closed; or as peer_read().
 */
int peer_peek(int fd, char *first, int ms);

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
 * peer_read_line() - read a line, after which the peer waits for an answer
 * @fd: a socket that does not block
 * @buf: where to, with its newline
 * @size: bytes that there are for it
 * @ms: milliseconds that all of it may take
 *
 * Return: bytes, without the newline if the peer has closed before it; -EMSGSIZE:
 * it is longer; -EBADMSG: there is more behind it; or as peer_read().
 */
int peer_read_line(int fd, char *buf, size_t size, int ms);

/**
 * peer_write() - write a message
 * @fd: a socket that does not block
 * @buf: the message
 * @size: its bytes
 * @ms: milliseconds that the peer may take until there is room for all of it
 *
 * Return: 0; -ETIMEDOUT; -EINTR: stop; or what send(2) gives.
 */
int peer_write(int fd, const void *buf, size_t size, int ms);

/**
 * peer_part() - say that there is no more, and let the peer read what there was
 * @fd: a socket that does not block
 * @ms: milliseconds that the peer may take to close
 *
 * A socket closed with something unread in it takes back what the peer has not
 * read either.
 */
void peer_part(int fd, int ms);

#endif /* _XROCE_PEER_H */
