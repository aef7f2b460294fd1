// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Listening sockets: an own port, or the sockets that systemd passes. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/listener.h"
#include "serve/systemd.h"

/* TCP keepalive: seconds of idleness, seconds between probes, and number of probes. */
#define KEEP_IDLE	30
#define KEEP_EACH	10
#define KEEP_PROBES	3

static int listen_on(int family, const void *addr, socklen_t len)
{
	int fd, err, on = 1, off = 0;

	fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (!bind(fd, addr, len) && !listen(fd, SOMAXCONN))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int listener_open(struct listener *l, __u32 port)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = IN6ADDR_ANY_INIT,
	};
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	int fd = listen_on(AF_INET6, &in6, sizeof(in6));

	if (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL)
		fd = listen_on(AF_INET, &in, sizeof(in));
	if (fd < 0)
		return fd;
	*l = (struct listener){ .fd = { fd }, .n = 1, .port = port };
	return 0;
}

/* Check that a passed socket is a listening TCP socket. Return: its port, or -errno. */
static int check_passed(int fd)
{
	struct sockaddr_storage addr = {};
	int listening = 0, type = 0;
	socklen_t len = sizeof(int);

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len) ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len))
		return -errno;
	len = sizeof(addr);
	if (getsockname(fd, (struct sockaddr *)&addr, &len))
		return -errno;
	if (!listening || type != SOCK_STREAM)
		return -EINVAL;
	if (fcntl(fd, F_SETFL, O_NONBLOCK))
		return -errno;
	if (addr.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&addr)->sin6_port);
	if (addr.ss_family == AF_INET)
		return ntohs(((struct sockaddr_in *)&addr)->sin_port);
	return -EINVAL;
}

int listener_take(struct listener *l)
{
	int n = systemd_listen_fds(), i, port;

	*l = (struct listener){ .n = 0 };
	if (n <= 0)
		return n;
	if (n > LISTENER_MAX)
		return -E2BIG;
	l->passed = true;
	for (i = 0; i < n; i++) {
		port = check_passed(SYSTEMD_LISTEN_FD + i);
		if (port < 0)
			return port;
		l->fd[i] = SYSTEMD_LISTEN_FD + i;
		if (!i)
			l->port = port;
	}
	l->n = n;
	return 0;
}

void listener_close(struct listener *l)
{
	while (l->n)
		close(l->fd[--l->n]);
}

static void keep_alive(int fd)
{
	int on = 1, idle = KEEP_IDLE, each = KEEP_EACH, probes = KEEP_PROBES;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &each, sizeof(each));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

int listener_accept(int fd, char *name, size_t size)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int peer;

	peer = accept4(fd, (struct sockaddr *)&addr, &len,
		       SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (peer < 0)
		return errno == ECONNABORTED || errno == EINTR ? -EAGAIN : -errno;
	keep_alive(peer);
	if (getnameinfo((struct sockaddr *)&addr, len, name, size, NULL, 0,
			NI_NUMERICHOST))
		strcpy(name, "?");
	if (!strncmp(name, "::ffff:", 7))
		memmove(name, name + 7, strlen(name + 7) + 1);
	return peer;
}
