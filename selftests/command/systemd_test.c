// SPDX-License-Identifier: GPL-2.0-only
/*
 * What "xroce serve" takes from systemd, and its notifications.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "harness.h"
#include "listener.h"
#include "systemd.h"

/* Set the environment as systemd does for process @pid. */
static void say(const char *pid, const char *fds)
{
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	if (pid)
		setenv("LISTEN_PID", pid, 1);
	if (fds)
		setenv("LISTEN_FDS", fds, 1);
}

static const char *own_pid(void)
{
	static char text[16];

	snprintf(text, sizeof(text), "%d", getpid());
	return text;
}

/* Put a socket at the n-th descriptor that systemd passes. */
static void pass(int n, int type, bool listening)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	int fd = socket(AF_INET6, type, 0), to = SYSTEMD_LISTEN_FD + n;

	check(!bind(fd, (struct sockaddr *)&any, sizeof(any)) &&
	      (!listening || !listen(fd, 1)), "%s", strerror(errno));
	if (fd != to) {
		check(dup2(fd, to) == to, "dup2");
		close(fd);
	}
}

TEST(systemd_not_passed, "U6", "sockets for no process, or another one, are ignored")
{
	struct listener l;

	say(NULL, NULL);
	check(!systemd_listen_fds(), "not started by systemd");
	say(NULL, "1");
	check(!systemd_listen_fds(), "no process");
	say("1", "1");
	check(!systemd_listen_fds(), "another process");
	check(getenv("LISTEN_FDS"), "the environment for another process was changed");
	check(!listener_take(&l) && !l.n, "another process");
}

TEST(systemd_nonsense, "U6", "an invalid environment is an error")
{
	static const char *const fds[] = { NULL, "", "x", "-1", "1x", "99999" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		say(own_pid(), fds[i]);
		check_is(systemd_listen_fds(), -EINVAL, "LISTEN_FDS=%s", fds[i] ? fds[i] : "none");
	}
	say("x", "1");
	check(systemd_listen_fds() == -EINVAL, "LISTEN_PID=x");
}

TEST(systemd_passed, "U6", "listening sockets are taken, once")
{
	struct sockaddr_in6 at;
	socklen_t len = sizeof(at);
	struct listener l;
	int err;

	pass(0, SOCK_STREAM, true);
	pass(1, SOCK_STREAM, true);
	say(own_pid(), "2");
	err = listener_take(&l);
	check(!err && l.n == 2 && l.passed, "%d, %d sockets", err, l.n);
	check(!getsockname(3, (struct sockaddr *)&at, &len) &&
	      l.port == ntohs(at.sin6_port), "port %u", l.port);
	check(fcntl(4, F_GETFD) & FD_CLOEXEC && fcntl(4, F_GETFL) & O_NONBLOCK,
	      "flags");
	check(!getenv("LISTEN_PID") && !getenv("LISTEN_FDS"), "passed on");
	listener_close(&l);
	check(fcntl(3, F_GETFD) < 0 && fcntl(4, F_GETFD) < 0, "open");
	check(!listener_take(&l) && !l.n, "a second time");
}

TEST(systemd_wrong_ones, "U6", "descriptors that are not listening TCP sockets are refused")
{
	struct listener l;
	int err, i, ends[2];

	pass(0, SOCK_STREAM, false);
	say(own_pid(), "1");
	err = listener_take(&l);
	check(err == -EINVAL && !l.n, "it does not listen: %d", err);
	pass(0, SOCK_DGRAM, false);
	say(own_pid(), "1");
	err = listener_take(&l);
	check(err && !l.n, "UDP: %d", err);
	close(SYSTEMD_LISTEN_FD);
	say(own_pid(), "1");
	check(listener_take(&l) == -EBADF, "none there");
	for (i = 0; i <= LISTENER_MAX; i++)
		pass(i, SOCK_STREAM, true);
	say(own_pid(), "9");
	check(listener_take(&l) == -E2BIG, "too many");
	for (i = 0; i <= LISTENER_MAX; i++)
		close(SYSTEMD_LISTEN_FD + i);
	check(!pipe(ends), "pipe");
	say(own_pid(), "1");
	check(listener_take(&l) == -ENOTSOCK, "a pipe");
}

static void hears(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + strlen(name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), n;
	char text[64] = {};

	strcpy(at.sun_path, name);
	if (*name == '@')
		at.sun_path[0] = 0;
	check(!bind(fd, (struct sockaddr *)&at, len), "%s", strerror(errno));
	setenv("NOTIFY_SOCKET", name, 1);
	n = systemd_notify("READY=1");
	check(!n && recv(fd, text, sizeof(text) - 1, 0) == 7 &&
	      !strcmp(text, "READY=1"), "%s: %d, \"%s\"", name, n, text);
	close(fd);
	check(systemd_notify("READY=1") == -ECONNREFUSED, "nobody is there");
}

TEST(systemd_tells, "U6", "systemd is notified if it asks for that")
{
	char name[200];

	unsetenv("NOTIFY_SOCKET");
	check(!systemd_notify("READY=1"), "nobody wants to know");
	snprintf(name, sizeof(name), "/tmp/notify-%d", getpid());
	hears(name);
	unlink(name);
	snprintf(name, sizeof(name), "@xroce-notify-%d", getpid());
	hears(name);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	name[0] = '/';
	setenv("NOTIFY_SOCKET", name, 1);
	check(systemd_notify("READY=1") == -EINVAL, "too long");
	setenv("NOTIFY_SOCKET", "notify", 1);
	check(systemd_notify("READY=1") == -EINVAL, "neither a path nor a name");
	setenv("NOTIFY_SOCKET", "@", 1);
	check(systemd_notify("READY=1") == -EINVAL, "no name");
}

static int run_tests(int argc, char **argv)
{
	/* Close inherited descriptors: the tests use these numbers. */
	closefrom(SYSTEMD_LISTEN_FD);
	return harness_main(argc, argv);
}

TEST_MAIN(run_tests);
