// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A TCP peer: whole messages, with a time limit each, until told to stop. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

int peer_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set;

	/* Blocked but during ppoll(), so that no wait can miss one. */
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) ||
	    sigaction(SIGINT, &action, NULL) ||
	    sigaction(SIGTERM, &action, NULL))
		return -errno;
	return 0;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

int peer_wait(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	sigset_t none;
	int n;

	sigemptyset(&none);
	do
		n = stop ? 0 : ppoll(&p, 1, ms < 0 ? NULL : &t, &none);
	while (n < 0 && errno == EINTR && !stop);
	if (stop)
		return -EINTR;
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

int peer_read(int fd, void *buf, size_t size, int ms)
{
	long long end = now_ms() + ms, left;
	size_t have = 0;
	ssize_t n;
	int err;

	while (have < size) {
		left = end - now_ms();
		err = peer_wait(fd, left < 0 ? 0 : left);
		if (err)
			return err;
		n = recv(fd, (char *)buf + have, size - have, 0);
		if (!n)
			break;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n > 0)
			have += n;
	}
	return have;
}

int peer_write(int fd, const void *buf, size_t size)
{
	ssize_t n = send(fd, buf, size, MSG_NOSIGNAL);

	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EPIPE;
}

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

int peer_listen(unsigned int port)
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
	return fd;
}

int peer_accept(int fd, char *name, size_t size)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int peer, on = 1;

	peer = accept4(fd, (struct sockaddr *)&addr, &len,
		       SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (peer < 0)
		return errno == ECONNABORTED ? -EAGAIN : -errno;
	setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (getnameinfo((struct sockaddr *)&addr, len, name, size, NULL, 0,
			NI_NUMERICHOST))
		strcpy(name, "?");
	if (!strncmp(name, "::ffff:", 7))
		memmove(name, name + 7, strlen(name + 7) + 1);
	return peer;
}
