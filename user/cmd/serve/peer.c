// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Messages of a TCP peer, each with a time limit, until a signal says stop. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "serve/peer.h"

/* Maximum number of bytes that peer_part() reads and discards. */
#define PART_BYTES	(64 << 10)

/* A signalfd that is never read, so that it stays readable for every thread. */
static int stop_fd = -1;
static sigset_t before;		/* signals that were blocked */

int peer_catch_signals(void)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Leave SIGHUP alone if it is ignored, as by nohup(1): a signalfd would report it. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, &before))
		return -errno;
	stop_fd = signalfd(stop_fd, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return stop_fd < 0 ? -errno : 0;
}

void peer_release_signals(void)
{
	struct signalfd_siginfo info;

	while (read(stop_fd, &info, sizeof(info)) > 0)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int peer_stop_fd(void)
{
	return stop_fd;
}

/* Wait for @events of @fd until @end, milliseconds of CLOCK_MONOTONIC; -1: no limit. */
static int wait_until(int fd, short events, long long end)
{
	struct pollfd p[] = {
		{ .fd = fd, .events = events },
		{ .fd = stop_fd, .events = POLLIN },
	};
	long long left = -1;
	int n;

	do {
		if (end >= 0) {
			left = end - now_ms();
			if (left < 0)
				left = 0;
		}
		n = poll(p, 2, left);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (p[1].revents)
		return -EINTR;
	return n ? 0 : -ETIMEDOUT;
}

int peer_wait(int fd, int ms)
{
	return wait_until(fd, POLLIN, ms < 0 ? -1 : now_ms() + ms);
}

/* Receive what is available, and wait for it until @end. Return: bytes; 0: closed; or -errno. */
static int receive(int fd, void *buf, size_t size, int flags, long long end)
{
	ssize_t n;
	int err;

	do {
		err = wait_until(fd, POLLIN, end);
		if (err)
			return err;
		n = recv(fd, buf, size, flags);
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	return n < 0 ? -errno : n;
}

int peer_peek(int fd, char *first, int ms)
{
	return receive(fd, first, 1, MSG_PEEK, now_ms() + ms);
}

int peer_read(int fd, void *buf, size_t size, int ms)
{
	long long end = now_ms() + ms;
	size_t have = 0;
	int n;

	while (have < size) {
		n = receive(fd, (char *)buf + have, size - have, 0, end);
		if (n < 0)
			return n;
		if (!n)
			break;
		have += n;
	}
	return have;
}

int peer_read_line(int fd, char *buf, size_t size, int ms)
{
	long long end = now_ms() + ms;
	size_t have = 0;
	char *newline;
	int n;

	while (have < size) {
		n = receive(fd, buf + have, size - have, 0, end);
		if (n < 0)
			return n;
		if (!n)
			return have;
		newline = memchr(buf + have, '\n', n);
		have += n;
		if (newline)
			return newline == buf + have - 1 ? (int)have : -EBADMSG;
	}
	return -EMSGSIZE;
}

int peer_write(int fd, const void *buf, size_t size, int ms)
{
	long long end = now_ms() + ms;
	size_t done = 0;
	ssize_t n;
	int err;

	while (done < size) {
		n = send(fd, (const char *)buf + done, size - done,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0) {
			done += n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		err = wait_until(fd, POLLOUT, end);
		if (err)
			return err;
	}
	return 0;
}

void peer_part(int fd, int ms)
{
	long long end = now_ms() + ms;
	size_t left = PART_BYTES;
	char rest[1024];
	int n;

	shutdown(fd, SHUT_WR);
	while (left) {
		n = receive(fd, rest, left < sizeof(rest) ? left : sizeof(rest),
			    0, end);
		if (n <= 0)
			return;
		left -= n;
	}
}
