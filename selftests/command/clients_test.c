// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simultaneous clients of "xroce serve": none waits for another, their number is limited,
 * and all end when the server is stopped. Runs without the module, as no client gets a
 * queue pair.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include "clock.h"
#include "handshake.h"
#include "harness.h"
#include "peer.h"
#include "sessions.h"

#define SILENT_MS	1500	/* how long a client may be silent */
#define NEVER_MS	3600000	/* longer than any test takes */
#define SOON_MS		60000	/* for a response on a slow machine */
#define HELLO		"{\"xroce\":1,\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\"}\n"
#define NO_REGIONS	"{\"xroce\":1,\"error\":\"the server has no named regions\"}\n"

static struct server server = {
	.file = -1,
	.netdev = "lo",
	.size = 4096,
	.step_ms = NEVER_MS,
	.idle_ms = NEVER_MS,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};
static struct listener listener;
static struct cm_listener no_cm;
static struct sessions_opts opts;
static struct sockaddr_in6 where;
static pthread_t thread;
static int result;
static unsigned int reports;
static char last[128];

static void on_report(const char *name, const struct session_report *report)
{
	check(!strcmp(name, "::1"), "from %s", name);
	strcpy(last, report->result);
	__atomic_add_fetch(&reports, 1, __ATOMIC_RELEASE);
}

static unsigned int reported(void)
{
	return __atomic_load_n(&reports, __ATOMIC_ACQUIRE);
}

static void *run(void *arg)
{
	(void)arg;
	result = sessions_serve(&server, &listener, &no_cm, &opts);
	return NULL;
}

static bool start(unsigned int max, unsigned int count)
{
	socklen_t len = sizeof(where);
	int err = listener_open(&listener, 0);

	opts = (struct sessions_opts){ max, count, on_report };
	reports = 0;
	*last = 0;
	result = 1;
	return check(!err, "listen: %s", strerror(-err)) &&
	       check(!getsockname(listener.fd[0], (struct sockaddr *)&where, &len),
		     "%s", strerror(errno)) &&
	       check(!pthread_create(&thread, NULL, run, NULL), "thread");
}

/* The server ends by itself, with @want reports of clients. */
static void finish(unsigned int want)
{
	pthread_join(thread, NULL);
	check(!result, "result %d", result);
	check(reported() == want, "%u reports, not %u", reported(), want);
}

static int come(void)
{
	int fd;

	where.sin6_addr = in6addr_loopback;
	fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	check(!connect(fd, (struct sockaddr *)&where, sizeof(where)), "%s",
	      strerror(errno));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static void say(int fd, const char *text)
{
	check(send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text),
	      "%s", strerror(errno));
}

/* The server's answer is this line, soon; then it closes the connection. */
static void hears(int fd, const char *want)
{
	char text[512] = {};
	int n = peer_read(fd, text, sizeof(text) - 1, SOON_MS);

	check(n >= 0 && !strcmp(text, want), "%d, \"%s\", not \"%s\"", n, text,
	      want);
}

/* Wait until so many clients have left. */
static void await(unsigned int want)
{
	int ms;

	for (ms = 0; reported() < want && ms < SOON_MS; ms++)
		usleep(1000);
	check(reported() == want, "%u reports, not %u", reported(), want);
}

static void leave(int fd)
{
	close(fd);
}

/*
 * One client is silent, another stops in the middle of its line. Others are served all the
 * time until these two leave.
 */
TEST(clients_silent, "U4", "a silent client delays nobody")
{
	int a, b, c, i;
	char byte;

	if (!start(8, 7))
		return;
	a = come();
	b = come();
	say(b, "{\"xroce\":1,");
	for (i = 0; i < 4; i++) {
		c = come();
		say(c, HELLO);
		hears(c, NO_REGIONS);
		leave(c);
	}
	/* A line in two segments, the first of one byte. */
	c = come();
	say(c, "{");
	usleep(20000);
	say(c, &HELLO[1]);
	hears(c, NO_REGIONS);
	leave(c);
	await(5);
	check(recv(a, &byte, 1, 0) < 0 && errno == EAGAIN &&
	      recv(b, &byte, 1, 0) < 0 && errno == EAGAIN,
	      "the silent clients were disconnected");
	leave(b);
	leave(a);
	finish(7);
}

/* The time for a line is limited. A client that has sent a part of one is told why. */
TEST(clients_too_silent, "U4", "a silent client is sent away after a time")
{
	double begun = clock_now();
	int a, b;

	server.step_ms = SILENT_MS;
	if (start(8, 2)) {
		a = come();
		b = come();
		say(b, "{\"xroce\":1,");
		hears(a, "");
		hears(b, "{\"xroce\":1,\"error\":\"no newline in time\"}\n");
		check(clock_now() - begun >= SILENT_MS / 1e3, "told after %.3f s",
		      clock_now() - begun);
		leave(b);
		leave(a);
		finish(2);
	}
	server.step_ms = NEVER_MS;
}

TEST(clients_too_many, "U4", "one client too many is refused, and takes no slot")
{
	int a, b, c;

	if (!start(2, 3))
		return;
	a = come();
	b = come();
	c = come();
	hears(c, "{\"xroce\":1,\"error\":\"too many clients\"}\n");
	await(1);
	check(!strcmp(last, "too many clients"), "%s", last);
	leave(c);
	leave(a);
	await(2);
	c = come();
	say(c, HELLO);
	hears(c, NO_REGIONS);
	leave(c);
	leave(b);
	finish(4);
}

/*
 * The server takes as many clients as --count says, then closes its socket while they are
 * served.
 */
TEST(clients_count, "U4", "as many clients as requested, and no more")
{
	int a, b, fd, ms, err = 0;

	if (!start(8, 2))
		return;
	a = come();
	b = come();
	say(b, HELLO);
	hears(b, NO_REGIONS);
	for (ms = 0; err != ECONNREFUSED && ms < SOON_MS; ms++) {
		fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
		err = connect(fd, (struct sockaddr *)&where, sizeof(where)) ?
		      errno : 0;
		close(fd);
		usleep(1000);
	}
	check(err == ECONNREFUSED, "a third client: %s", strerror(err));
	check(reported() < 2, "the first has left");
	leave(b);
	leave(a);
	finish(2);
}

TEST(clients_bad_lines, "U4", "a bad line ends its own connection, with a reason")
{
	char text[HANDSHAKE_LINE_MAX + 2];
	int a;

	if (!start(4, 5))
		return;
	a = come();
	say(a, "{\"xroce\":1}\n");
	hears(a, "{\"xroce\":1,\"error\":\"qpn, psn, gid: missing\"}\n");
	leave(a);
	a = come();
	say(a, HELLO HELLO);
	hears(a, "{\"xroce\":1,\"error\":\"data after the line\"}\n");
	leave(a);
	/* The longest possible line, and one byte more. */
	memset(text, ' ', sizeof(text));
	memcpy(text, HELLO, strlen(HELLO) - 1);
	text[HANDSHAKE_LINE_MAX - 1] = '\n';
	text[HANDSHAKE_LINE_MAX] = 0;
	a = come();
	say(a, text);
	hears(a, NO_REGIONS);
	leave(a);
	text[HANDSHAKE_LINE_MAX - 1] = ' ';
	text[HANDSHAKE_LINE_MAX] = '\n';
	text[HANDSHAKE_LINE_MAX + 1] = 0;
	a = come();
	say(a, text);
	hears(a, "{\"xroce\":1,\"error\":\"a line of more than 4096 bytes\"}\n");
	leave(a);
	/* Neither handshake: closed without an answer. */
	a = come();
	say(a, "GET / HTTP/1.0\r\n");
	hears(a, "");
	leave(a);
	finish(5);
}

/* Read slowly; the sender has more than a socket buffer holds. */
static void *read_slowly(void *arg)
{
	size_t got = 0, total = *(size_t *)arg;
	int fd = ((size_t *)arg)[1];
	char text[4096];
	ssize_t n;

	while (got < total) {
		usleep(200);
		n = read(fd, text, sizeof(text));
		if (n <= 0)
			break;
		for (ssize_t i = 0; i < n; i++, got++)
			if (text[i] != (char)(got * 7 >> 3))
				return (void *)1;
	}
	return (void *)(got == total ? 0l : 2l);
}

TEST(clients_short_sends, "U4", "a message is sent in as many pieces as necessary")
{
	static char text[1 << 20];
	size_t arg[2] = { sizeof(text) }, i;
	int pair[2], small = 4096;
	pthread_t reader;
	void *wrong;

	for (i = 0; i < sizeof(text); i++)
		text[i] = i * 7 >> 3;
	check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "pair");
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	arg[1] = pair[1];
	check(!pthread_create(&reader, NULL, read_slowly, arg), "thread");
	if (!check_is(peer_write(pair[0], text, sizeof(text), SOON_MS), 0, "peer_write"))
		shutdown(pair[0], SHUT_WR);
	pthread_join(reader, &wrong);
	check(!wrong, "received bytes differ: %ld", (long)wrong);
	/* Nobody reads: peer_write() ends with -ETIMEDOUT. */
	check_is(peer_write(pair[0], text, sizeof(text), 50), -ETIMEDOUT, "peer_write");
	close(pair[0]);
	close(pair[1]);
}

/* Must be the last test: caught signals stay caught, and SIGTERM stays pending. */
TEST(clients_stop, "U4", "a signal ends all connections")
{
	int a, b;

	check(!peer_catch_signals(), "signals");
	if (!start(8, 0))
		return;
	a = come();
	b = come();
	say(b, "{");
	usleep(50000);
	check(!reported(), "a client has left");
	kill(getpid(), SIGTERM);
	finish(2);
	check(!strcmp(last, "stopped"), "%s", last);
	leave(a);
	leave(b);
}

static int run_tests(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	return harness_main(argc, argv);
}

TEST_MAIN(run_tests);
