/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Questions to the kernel by rtnetlink(7). */
#ifndef _LIBXROCE_NETLINK_H
#define _LIBXROCE_NETLINK_H

#include <libmnl/libmnl.h>

#include "priv.h"

/* Bytes of a request, and of an answer. */
#define XROCE_NETLINK_BYTES	16384

/* Return: a socket, or NULL with errno set. Close it by mnl_socket_close(). */
XROCE_HIDDEN struct mnl_socket *xroce_netlink_open(void);

/*
 * Begin a request of a type, RTM_GET*, with a header of @bytes, which are 0, before its
 * attributes. @buffer has XROCE_NETLINK_BYTES. Return: this header.
 */
XROCE_HIDDEN void *xroce_netlink_request(void *buffer, __u16 type, size_t bytes);

/*
 * Send the request in @buffer, and call @answered for the answer, which has overwritten it.
 * Return: 0 or -errno.
 */
XROCE_HIDDEN int xroce_netlink_ask(struct mnl_socket *s, void *buffer, mnl_cb_t answered,
				   void *arg);

#endif
