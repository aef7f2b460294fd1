// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of the program to unrelated traffic. Run by bench.sh.
 *
 *   other [-o FILE]
 *
 * A UDP ping and a TCP stream from the namespace "xr" to this one, with all sockets in one
 * process, while RESPONDER_DEV has no program, one that passes everything, or xroce's. A
 * figure is the median of nine segments: instructions of the whole machine for each packet
 * received there, including its response.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <json-c/json.h>
#include <sys/socket.h>

#include "clock.h"
#include "generator.h"
#include "harness.h"
#include "libxroce.h"
#include "median.h"
#include "responder.h"
#include "xdp.h"

#define SENDER_ADDR	"10.77.0.2"
#define PORT		7000
#define PINGS		2000		/* in a segment */
#define PING_BYTES	64
#define STREAM_BYTES	(16u << 20)	/* in a segment */
#define SEGMENTS	9		/* the median is reported */
#define PATIENCE_NS	10000000000ull

enum { NONE, EMPTY, XROCE, WHO };

static const char *const who_names[WHO] = { "none", "empty", "xroce" };

static int sender = -1, receiver = -1;

static bool fail(const char *what)
{
	fprintf(stderr, "bench: other: %s: %s\n", what, strerror(errno));
	return false;
}

/* Make a socket in xr. */
static int socket_there(int type)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(GENERATOR_NETNS, O_RDONLY | O_CLOEXEC);
	int fd = -1;

	if (!setns(there, CLONE_NEWNET))
		fd = socket(AF_INET, type, 0);
	if (setns(home, CLONE_NEWNET))
		abort();
	close(home);
	close(there);
	return fd;
}

static struct sockaddr_in address(const char *host)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
	};

	inet_pton(AF_INET, host, &addr.sin_addr);
	return addr;
}

static bool bind_to(int fd, const char *host)
{
	struct sockaddr_in addr = address(host);
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return !bind(fd, (struct sockaddr *)&addr, sizeof(addr));
}

static bool connect_to(int fd, const char *host)
{
	struct sockaddr_in addr = address(host);

	return !connect(fd, (struct sockaddr *)&addr, sizeof(addr));
}

static void close_both(void)
{
	if (sender >= 0)
		close(sender);
	if (receiver >= 0)
		close(receiver);
	sender = -1;
	receiver = -1;
}

static bool nonblocking(void)
{
	return !fcntl(sender, F_SETFL, O_NONBLOCK) &&
	       !fcntl(receiver, F_SETFL, O_NONBLOCK);
}

static bool udp_open(void)
{
	sender = socket_there(SOCK_DGRAM);
	receiver = socket(AF_INET, SOCK_DGRAM, 0);
	return (bind_to(sender, SENDER_ADDR) &&
		bind_to(receiver, RESPONDER_ADDR) &&
		connect_to(sender, RESPONDER_ADDR) &&
		connect_to(receiver, SENDER_ADDR) && nonblocking()) ||
	       fail("UDP");
}

static bool tcp_open(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	bool ok;

	sender = socket_there(SOCK_STREAM);
	ok = bind_to(listener, RESPONDER_ADDR) && !listen(listener, 1) &&
	     connect_to(sender, RESPONDER_ADDR);
	receiver = ok ? accept(listener, NULL, NULL) : -1;
	close(listener);
	return (receiver >= 0 && nonblocking()) || fail("TCP");
}

/* Send one datagram from @from to @to and wait for it. */
static bool datagram(int from, int to)
{
	uint64_t end = clock_raw_ns() + PATIENCE_NS;
	char bytes[PING_BYTES] = {};

	if (send(from, bytes, sizeof(bytes), 0) != sizeof(bytes))
		return fail("send");
	while (recv(to, bytes, sizeof(bytes), 0) != sizeof(bytes)) {
		if (errno != EAGAIN || clock_raw_ns() > end)
			return fail("receive");
		sched_yield();
	}
	return true;
}

static bool ping(void)
{
	int i;

	for (i = 0; i < PINGS; i++)
		if (!datagram(sender, receiver) || !datagram(receiver, sender))
			return false;
	return true;
}

static bool stream(void)
{
	static char out[65536], in[262144];
	uint64_t end = clock_raw_ns() + PATIENCE_NS;
	size_t sent = 0, got = 0, want;
	ssize_t n;

	while (got < STREAM_BYTES) {
		want = STREAM_BYTES - sent;
		if (want > sizeof(out))
			want = sizeof(out);
		n = want ? send(sender, out, want, 0) : 0;
		if (n > 0)
			sent += n;
		else if (n < 0 && errno != EAGAIN)
			return fail("send");
		n = recv(receiver, in, sizeof(in), 0);
		if (n > 0)
			got += n;
		else if (errno != EAGAIN || clock_raw_ns() > end)
			return fail("receive");
		else
			sched_yield();
	}
	return true;
}

static const struct traffic {
	const char *name;
	bool (*open)(void);
	bool (*segment)(void);
} kinds[] = {
	{ "UDP ping", udp_open, ping },
	{ "TCP stream", tcp_open, stream },
};

static unsigned long long packets(void)
{
	unsigned long long n = 0;
	FILE *f = fopen("/sys/class/net/" RESPONDER_DEV "/statistics/rx_packets",
			"r");

	if (!f || fscanf(f, "%llu", &n) != 1)
		fail("rx_packets");
	if (f)
		fclose(f);
	return n;
}

/* Return: instructions for a packet, or -1 after a message. */
static double measure(const struct traffic *t)
{
	double cost[SEGMENTS];
	unsigned long long n;
	uint64_t start;
	bool ok;
	int i;

	ok = t->open() && t->segment();
	for (i = 0; ok && i < SEGMENTS; i++) {
		n = packets();
		start = clock_raw_ns();
		ok = t->segment();
		cost[i] = clock_raw_ns() - start;
		n = packets() - n;
		cost[i] /= n ? n : 1;
	}
	close_both();
	if (!ok)
		return -1;
	return median(cost, SEGMENTS);
}

static bool measure_with(int who, double cost[ARRAY_SIZE(kinds)])
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };
	char error[XROCE_ERROR_MAX];
	struct xdp xdp = {};
	bool ok = true;
	size_t i;

	if (who == EMPTY)
		ok = xdp_attach(&xdp, "answer.bpf.o", "pass", RESPONDER_DEV);
	if (who == XROCE && xroce_attach(RESPONDER_DEV, &opts)) {
		fprintf(stderr, "bench: xroce: attach: %s\n", opts.error);
		return false;
	}
	for (i = 0; ok && i < ARRAY_SIZE(kinds); i++) {
		cost[i] = measure(&kinds[i]);
		ok = cost[i] > 0;
	}
	if (who == EMPTY)
		xdp_detach(&xdp);
	if (who == XROCE && xroce_detach(RESPONDER_DEV, 0, error)) {
		fprintf(stderr, "bench: xroce: detach: %s\n", error);
		ok = false;
	}
	return ok;
}

static void report(json_object *all, const char *name, const double cost[WHO])
{
	json_object *o = json_object_new_object();
	int who;

	printf("%-11s %8.0f %8.0f %8.0f %8.0f\n", name, cost[NONE],
	       cost[EMPTY], cost[XROCE], cost[XROCE] - cost[EMPTY]);
	json_object_object_add(o, "traffic", json_object_new_string(name));
	for (who = 0; who < WHO; who++)
		json_object_object_add(o, who_names[who],
				       json_object_new_int64(cost[who] + 0.5));
	json_object_array_add(all, o);
}

int main(int argc, char **argv)
{
	double cost[WHO][ARRAY_SIZE(kinds)], row[WHO];
	json_object *all = json_object_new_array();
	const char *out = NULL;
	bool ok = true;
	size_t i;
	int who;

	if (argc == 3 && !strcmp(argv[1], "-o"))
		out = argv[2];
	else if (argc > 1) {
		fprintf(stderr, "usage: other [-o FILE]\n");
		return 2;
	}
	for (who = 0; ok && who < WHO; who++)
		ok = measure_with(who, cost[who]);
	if (ok)
		printf("%-11s %8s %8s %8s %8s\n", "a packet", "none", "empty",
		       "xroce", "more");
	for (i = 0; ok && i < ARRAY_SIZE(kinds); i++) {
		for (who = 0; who < WHO; who++)
			row[who] = cost[who][i];
		report(all, kinds[i].name, row);
	}
	if (ok && out &&
	    json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY))
		ok = fail(out);
	json_object_put(all);
	return !ok;
}
