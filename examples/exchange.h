/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What two ends of a reliable connection must know of each other, told over TCP.
 * One line each way, the client's first:
 *
 *   QPN PSN GID RKEY ADDR LENGTH
 *
 * Numbers are hexadecimal; the GID is an IPv6 address, ::ffff:a.b.c.d for IPv4.
 * The client has no memory to offer, so that its last three are 0. When the client
 * is done it closes the connection.
 *
 * Whoever reaches the port is believed. Where that is not good enough, exchange
 * the same over a channel that tells who speaks.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_PORT	"18600"
#define EXCHANGE_WAIT	10	/* seconds that the other end may take */

struct end {
	uint32_t qpn;		/* 24 bits */
	uint32_t psn;		/* of the first request that it sends, 24 bits */
	uint8_t gid[16];
	uint32_t rkey;
	uint64_t addr;		/* of the first byte, for RDMA */
	uint64_t length;	/* bytes */
};

/* All return a negative errno on failure. */
int exchange_accept(const char *port);		/* one client; its socket */
int exchange_connect(const char *host, const char *port);
int exchange_gid(int fd, uint8_t gid[16]);	/* own address on this socket */
int exchange_send(int fd, const struct end *own);
int exchange_receive(int fd, struct end *peer);
int exchange_parse(const char *line, struct end *peer);	/* one line, as above */

/* A socket on which nothing is sent, for exchange_gid() towards a host. */
int exchange_route(const char *host, const char *port);

/* Wait for the client to close, no longer than @ms (-1: for ever); 1: it has. */
int exchange_closed(int fd, int ms);

#endif /* EXCHANGE_H */
