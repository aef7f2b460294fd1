/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Messages of a TCP peer, each with a time limit, until a signal says stop. Any number of
 * threads may wait, each for another peer.
 */
#ifndef _XROCE_PEER_H
#define _XROCE_PEER_H

#include <stddef.h>

/*
 * Make SIGINT, SIGTERM and, unless it is ignored, SIGHUP end every present and later wait.
 * Must be called before threads are started. Return: 0 or -errno.
 */
int peer_catch_signals(void);

/* Forget the signals that have come, for the next command of a batch. No thread waits any more. */
void peer_release_signals(void);

/* A descriptor that is readable after one of these signals; -1: they are not caught. */
int peer_stop_fd(void);

/**
 * peer_wait() - wait until a socket is readable
 * @fd: the socket
 * @ms: milliseconds; -1: no limit
 *
 * Return: 0; -ETIMEDOUT; -EINTR: a signal said stop, now or earlier.
 */
int peer_wait(int fd, int ms);

/**
 * peer_peek() - wait for the next byte, and leave it in the socket
 * @fd: a non-blocking socket
 * @first: out: the byte
 * @ms: milliseconds
 *
 * Return: 1; 0: the peer has closed; or as peer_read().
 */
int peer_peek(int fd, char *first, int ms);

/**
 * peer_read() - read a message
 * @fd: a non-blocking socket
 * @buf: out: the message
 * @size: bytes of the message
 * @ms: time limit for the whole message, in milliseconds
 *
 * Return: bytes read, fewer than @size only if the peer has closed; -ETIMEDOUT; -EINTR: a
 * signal said stop; or an error of recv(2).
 */
int peer_read(int fd, void *buf, size_t size, int ms);

/**
 * peer_read_line() - read a line, after which the peer must wait for the reply
 * @fd: a non-blocking socket
 * @buf: out: the line with its newline
 * @size: bytes of @buf
 * @ms: time limit for the whole line, in milliseconds
 *
 * Return: bytes read, without a newline if the peer has closed before it; -EMSGSIZE: the line
 * is longer than @size; -EBADMSG: there is data after the line; or as peer_read().
 */
int peer_read_line(int fd, char *buf, size_t size, int ms);

/**
 * peer_write() - write a message
 * @fd: a non-blocking socket
 * @buf: the message
 * @size: bytes of the message
 * @ms: time limit until the socket has accepted the whole message, in milliseconds
 *
 * Return: 0; -ETIMEDOUT; -EINTR: a signal said stop; or an error of send(2).
 */
int peer_write(int fd, const void *buf, size_t size, int ms);

/**
 * peer_part() - shut down the sending side and wait until the peer closes
 * @fd: a non-blocking socket
 * @ms: time limit for the peer to close, in milliseconds
 *
 * Closing a socket that has unread data resets the connection, and the peer may lose data
 * that it has not read yet. Therefore the function reads and discards such data.
 */
void peer_part(int fd, int ms);

#endif /* _XROCE_PEER_H */
