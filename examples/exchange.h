/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What two ends of a reliable connection must know of each other, sent over TCP, one line
 * in each direction, the client's first:
 *
 *   QPN PSN GID RKEY ADDR LENGTH
 *
 * Numbers are hexadecimal; the GID is an IPv6 address, ::ffff:a.b.c.d for IPv4. The client
 * offers no memory, so its last three numbers are 0. The client closes the connection when
 * it is done.
 *
 * There is no authentication: anybody who can reach the port is a client. If that is not
 * acceptable, exchange the same data over an authenticated channel.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_PORT	"18600"
#define EXCHANGE_WAIT	10	/* seconds to wait for the other end */

struct end {
	uint32_t qpn;		/* 24 bits */
	uint32_t psn;		/* of the first request that it sends, 24 bits */
	uint8_t gid[16];
	uint32_t rkey;
	uint64_t addr;		/* remote address of the first byte */
	uint64_t length;	/* bytes */
};

/* All return a negative errno on failure. */
int exchange_accept(const char *port);		/* accept one client; its socket */
int exchange_connect(const char *host, const char *port);
int exchange_gid(int fd, uint8_t gid[16]);	/* own address on this socket */
int exchange_send(int fd, const struct end *own);
int exchange_receive(int fd, struct end *peer);
int exchange_parse(const char *line, struct end *peer);	/* one line, as above */

/* Return: a socket on which nothing is sent, for exchange_gid() towards a host. */
int exchange_route(const char *host, const char *port);

/* Wait up to @ms (-1: forever) for the client to close. Return: 1 if it has. */
int exchange_closed(int fd, int ms);

#endif /* EXCHANGE_H */
