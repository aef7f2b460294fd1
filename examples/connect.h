/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The server's end of a reliable connection. */
#ifndef CONNECT_H
#define CONNECT_H

#include <libxroce.h>

#include "exchange.h"

/**
 * connect_open() - open the link of a network device, and make a protection domain
 * @netdev: name of the device
 * @pd: out: the protection domain
 *
 * Return: the handle, or NULL after saying why.
 */
struct xroce *connect_open(const char *netdev, __u32 *pd);

/**
 * connect_client() - learn of the client, and connect a queue pair to it
 * @x: handle
 * @fd: socket of exchange_accept()
 * @access: XROCE_ACCESS_REMOTE_*: what the client may ask for at all
 * @own: in: the queue pair's number; out: first packet sequence number, and GID
 *
 * The queue pair can answer then. Tell the client when what it is offered is ready
 * as well, by exchange_send(): it may write at once.
 *
 * Return: 0, or a negative errno after saying what failed.
 */
int connect_client(struct xroce *x, int fd, __u32 access, struct end *own);

/**
 * connect_serve() - serve a region to one client, until it closes the connection
 * @x: handle
 * @mr: the region, registered
 * @access: XROCE_ACCESS_REMOTE_*: what the client may ask for at all
 * @port: where to accept it
 *
 * Return: 0, or 1 after saying what failed.
 */
int connect_serve(struct xroce *x, const struct xroce_mr_reg *mr, __u32 access,
		  const char *port);

/* Map all of a file; its @length is told. Return: where, or NULL after saying why. */
void *connect_map(const char *path, bool writable, size_t *length);

/* Tell what the client did, and whether it was refused something. */
void connect_report(struct xroce *x, __u32 qpn);

/* Print "what: reason". Return: 1, to leave main() with. */
int complain(const char *what, int err);

#endif /* CONNECT_H */
