// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce monitor: requests that are refused, as they are refused. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "names.h"
#include "print.h"

#define MAX_DEVS	256

/* The rings of all devices watched. */
struct monitor {
	struct ring_buffer *rings;
	char dev[MAX_DEVS][IF_NAMESIZE];
	int devs;
	__u32 left;		/* events to print; 0: no end */
	bool bounded;
};

static struct monitor monitor;
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static int show_event(void *ctx, void *data, size_t size)
{
	const struct xroce_event *e = data;
	char peer[INET6_ADDRSTRLEN], time[32];

	if (size < sizeof(*e) || stopped)
		return 0;
	snprintf(time, sizeof(time), "%llu.%06llu",
		 (unsigned long long)e->time / 1000000000,
		 (unsigned long long)e->time / 1000 % 1000000);
	print_begin();
	print_str("time", time);
	print_dev(ctx);
	print_hex("qpn", 6, e->qpn);
	print_str("peer", name_of_gid((const __u8 *)e->peer, peer));
	print_str("cause", name_of_cause(e->cause));
	print_str("opcode", name_of_opcode(e->opcode));
	print_num("psn", e->psn);
	print_hex("rkey", 8, e->key);
	print_hex("va", 0, e->va);
	print_size("length", e->len);
	print_end();
	fflush(stdout);
	if (monitor.bounded && !--monitor.left)
		stopped = 1;
	return 0;
}

static int add_ring(struct xroce *x, const char *netdev, void *arg)
{
	char *dev;
	int fd;

	(void)x;
	(void)arg;
	if (monitor.devs == MAX_DEVS)
		return fail("monitor: more than %d devices", MAX_DEVS);
	dev = monitor.dev[monitor.devs++];
	snprintf(dev, IF_NAMESIZE, "%s", netdev);
	fd = xroce_pin_open(netdev, "events");
	if (fd < 0)
		return fail("dev %s: events: %s", netdev, fd == -ENOENT ?
			    "it has no pinned map" : strerror(-fd));
	if (!monitor.rings)
		monitor.rings = ring_buffer__new(fd, show_event, dev, NULL);
	else if (ring_buffer__add(monitor.rings, fd, show_event, dev))
		fd = -1;
	if (fd < 0 || !monitor.rings)
		return fail("dev %s: events: %s", netdev, strerror(errno));
	return EXIT_OK;
}

static int watch(void)
{
	struct sigaction action = { .sa_handler = stop };
	int err;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	while (!stopped) {
		err = ring_buffer__poll(monitor.rings, -1);
		if (err < 0 && err != -EINTR)
			return fail("monitor: %s", strerror(-err));
	}
	return EXIT_OK;
}

int do_monitor(int argc, char **argv)
{
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "count", &arg_number, &monitor.left, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	monitor.bounded = monitor.left;
	status = dev_each_pin(dev, add_ring, NULL);
	if (status)
		return status;
	if (!monitor.rings)
		return fail("monitor: no device has a link");
	status = watch();
	ring_buffer__free(monitor.rings);
	return status;
}
