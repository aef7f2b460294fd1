/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The client's side of xroce serve's handshake in JSON: see xroce-serve(8). */
#ifndef EXCHANGE_JSON_H
#define EXCHANGE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "exchange.h"

#define EXCHANGE_JSON_PORT	"18515"

/**
 * exchange_json() - ask for a region by its name, and learn of it
 * @fd: socket of exchange_connect(), to be kept as long as the region is used
 * @own: queue pair number, PSN and GID
 * @mtu: bytes that the own end wants: 256 to 4096
 * @region: name
 * @all: ask for all that there are, among which it shall be
 * @server: out: the other end, and the region
 * @why: out: what the server has against it
 * @size: bytes there
 *
 * Return: 0; -EREMOTEIO: the server said no, see @why; -EPROTO: it said something
 * else, or another MTU; or another negative errno.
 */
int exchange_json(int fd, const struct end *own, unsigned int mtu,
		  const char *region, bool all, struct end *server, char *why,
		  size_t size);

#endif /* EXCHANGE_JSON_H */
