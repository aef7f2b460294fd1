/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The client's side of the JSON handshake of xroce serve: see xroce-serve(8).
 */
#ifndef EXCHANGE_JSON_H
#define EXCHANGE_JSON_H

#include <stdbool.h>

#include "exchange.h"

#define EXCHANGE_JSON_PORT	"18515"

/**
 * struct json_request - what is asked of the server, and why it refused
 * @mtu: own path MTU: 256 to 4096 bytes
 * @region: name of the region
 * @all: request all regions of the server, and use this one
 * @why: out: the server's error message
 */
struct json_request {
	unsigned int mtu;
	const char *region;
	bool all;
	char why[256];
};

/**
 * exchange_json() - request a region by its name
 * @fd: socket of exchange_connect(); keep it open as long as the region is used
 * @own: own queue pair number, PSN and GID
 * @request: what is asked for
 * @server: out: the other end, and the region
 *
 * Return: 0; -EREMOTEIO: the server refused, see @request->why; -EPROTO: an invalid answer,
 * or another MTU; or another negative errno.
 */
int exchange_json(int fd, const struct end *own, struct json_request *request,
		  struct end *server);

#endif /* EXCHANGE_JSON_H */
