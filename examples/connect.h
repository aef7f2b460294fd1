/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The server's end of a reliable connection.
 */
#ifndef CONNECT_H
#define CONNECT_H

#include <libxroce.h>

#include "exchange.h"

/**
 * connect_open() - open the link of a network device, and make a protection domain
 * @netdev: name of the device
 * @pd: out: the protection domain
 *
 * Return: the handle, or NULL after an error message.
 */
struct xroce *connect_open(const char *netdev, __u32 *pd);

/**
 * connect_client() - receive the client's line, and connect a queue pair to it
 * @x: handle
 * @fd: socket of exchange_accept()
 * @access: XROCE_ACCESS_REMOTE_*: rights of the queue pair
 * @own: in: the queue pair's number; out: its first packet sequence number, and GID
 *
 * The queue pair can answer requests afterwards. Call exchange_send() when the memory
 * offered to the client is ready as well: the client may write at once.
 *
 * Return: 0, or a negative errno after an error message.
 */
int connect_client(struct xroce *x, int fd, __u32 access, struct end *own);

/**
 * connect_serve() - serve a region to one client, until it closes the connection
 * @x: handle
 * @mr: the region, registered
 * @access: XROCE_ACCESS_REMOTE_*: rights of the queue pair
 * @port: TCP port on which to accept the client
 *
 * Return: 0, or 1 after an error message.
 */
int connect_serve(struct xroce *x, const struct xroce_mr_reg *mr, __u32 access,
		  const char *port);

/* Map a whole file; @length: out. Return: its address, or NULL after an error message. */
void *connect_map(const char *path, bool writable, size_t *length);

/* Print what the client did, and whether a request was refused. */
void connect_report(struct xroce *x, __u32 qpn);

/* Print "what: reason". Return: 1, to be returned from main(). */
int complain(const char *what, int err);

#endif /* CONNECT_H */
