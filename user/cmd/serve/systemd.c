// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Socket activation and readiness notification of systemd. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "arg.h"
#include "serve/systemd.h"

#define FDS_MAX	1024

/* Read a number from an environment variable. Return: whether it is set to a number. */
static bool number_of(const char *name, __u32 *value)
{
	const char *text = getenv(name);

	return text && arg_number.parse(text, value);
}

int systemd_listen_fds(void)
{
	bool have = getenv("LISTEN_PID"), good;
	__u32 pid = 0, n = 0, i;

	if (!have)
		return 0;
	good = number_of("LISTEN_PID", &pid) && number_of("LISTEN_FDS", &n) &&
	       n <= FDS_MAX;
	/* The sockets are for another process, whose environment was inherited. */
	if (pid && pid != (__u32)getpid())
		return 0;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!good)
		return -EINVAL;
	for (i = 0; i < n; i++)
		if (fcntl(SYSTEMD_LISTEN_FD + i, F_SETFD, FD_CLOEXEC))
			return -errno;
	return n;
}

int systemd_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	socklen_t len;
	ssize_t n;
	int fd;

	if (!path)
		return 0;
	/* A path, or with @ a name in the abstract namespace. */
	if ((*path != '/' && *path != '@') || !path[1] ||
	    strlen(path) >= sizeof(to.sun_path))
		return -EINVAL;
	len = offsetof(struct sockaddr_un, sun_path) + strlen(path);
	memcpy(to.sun_path, path, strlen(path));
	if (*path == '@')
		to.sun_path[0] = 0;
	else
		len++;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	n = sendto(fd, state, strlen(state), MSG_NOSIGNAL,
		   (struct sockaddr *)&to, len);
	close(fd);
	return n < 0 ? -errno : 0;
}
