// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "exchange.h"

#define LINE	128

/* IPv6 sockets carry IPv4 as ::ffff:a.b.c.d, and so do GIDs. */
static int resolve(const char *host, const char *port, struct addrinfo **found)
{
	const struct addrinfo hints = {
		.ai_family = AF_INET6,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = host ? AI_V4MAPPED : AI_PASSIVE,
	};
	int err = getaddrinfo(host, port, &hints, found);

	if (err == EAI_SYSTEM)
		return -errno;
	return err ? -EADDRNOTAVAIL : 0;
}

int exchange_accept(const char *port)
{
	struct addrinfo *at;
	int fd, one = 1, client = -1;
	int err = resolve(NULL, port, &at);

	if (err)
		return err;
	fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, 1))
		client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	err = client < 0 ? -errno : client;
	freeaddrinfo(at);
	if (fd >= 0)
		close(fd);
	return err;
}

static int connect_to(const char *host, const char *port, int type)
{
	struct addrinfo *at;
	int fd, err = resolve(host, port, &at);

	if (err)
		return err;
	fd = socket(at->ai_family, type | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, at->ai_addr, at->ai_addrlen))
		err = -errno;
	freeaddrinfo(at);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int exchange_connect(const char *host, const char *port)
{
	return connect_to(host, port, SOCK_STREAM);
}

int exchange_route(const char *host, const char *port)
{
	return connect_to(host, port, SOCK_DGRAM);
}

int exchange_gid(int fd, uint8_t gid[16])
{
	struct sockaddr_in6 own;
	socklen_t len = sizeof(own);

	if (getsockname(fd, (struct sockaddr *)&own, &len))
		return -errno;
	memcpy(gid, &own.sin6_addr, 16);
	return 0;
}

int exchange_send(int fd, const struct end *own)
{
	char line[LINE], gid[INET6_ADDRSTRLEN];
	int len, done = 0;

	if (!inet_ntop(AF_INET6, own->gid, gid, sizeof(gid)))
		return -errno;
	len = snprintf(line, sizeof(line), "%x %x %s %x %llx %llx\n", own->qpn,
		       own->psn, gid, own->rkey, (unsigned long long)own->addr,
		       (unsigned long long)own->length);
	while (done < len) {
		ssize_t n = send(fd, line + done, len - done, MSG_NOSIGNAL);

		if (n < 0)
			return -errno;
		done += n;
	}
	return 0;
}

static int read_line(int fd, char *line)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	int n, len = 0;

	while (len < LINE - 1) {
		n = poll(&in, 1, EXCHANGE_WAIT * 1000);
		if (n <= 0)
			return n ? -errno : -ETIMEDOUT;
		n = read(fd, line + len, 1);
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		if (line[len] == '\n') {
			line[len] = 0;
			return 0;
		}
		len++;
	}
	return -EMSGSIZE;
}

int exchange_parse(const char *line, struct end *peer)
{
	unsigned long long addr, length;
	char gid[INET6_ADDRSTRLEN];

	if (sscanf(line, "%x %x %45s %x %llx %llx", &peer->qpn, &peer->psn, gid,
		   &peer->rkey, &addr, &length) != 6 ||
	    peer->qpn > 0xffffff || peer->psn > 0xffffff ||
	    inet_pton(AF_INET6, gid, peer->gid) != 1)
		return -EPROTO;
	peer->addr = addr;
	peer->length = length;
	return 0;
}

int exchange_receive(int fd, struct end *peer)
{
	char line[LINE];
	int err = read_line(fd, line);

	return err ? err : exchange_parse(line, peer);
}

int exchange_closed(int fd, int ms)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	char c;
	int n;

	do {
		n = poll(&in, 1, ms);
		if (n <= 0)
			return n ? -errno : 0;
		n = read(fd, &c, 1);
	} while (n > 0);
	return 1;
}
