// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * xroce monitor: requests that are refused, as they are refused, and objects as
 * they come, go and change.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "monitor.h"
#include "names.h"
#include "print.h"

#define LINKS_MAX	256
#define OBJECTS_MS	200	/* objects are looked at this often */

/**
 * struct monitor - what is watched
 * @rings: of all links; NULL: none
 * @dev: names of their devices
 * @devs: how many
 * @before: objects, when they were looked at last
 * @left: events to print
 * @bounded: @left counts
 */
static struct monitor {
	struct ring_buffer *rings;
	char dev[LINKS_MAX][IF_NAMESIZE];
	int devs;
	struct objects before;
	__u32 left;
	bool bounded;
} monitor;

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

/* The clock on the wall at a time of CLOCK_MONOTONIC. */
static void print_timestamp(__u64 nanoseconds)
{
	struct timespec wall, steady;
	char date[24], text[48];
	long long at;
	struct tm tm;
	time_t when;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &steady);
	at = (wall.tv_sec - steady.tv_sec) * 1000000000ll + wall.tv_nsec -
	     steady.tv_nsec + nanoseconds;
	when = at / 1000000000;
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S",
		 localtime_r(&when, &tm));
	snprintf(text, sizeof(text), "%s.%06lld", date, at / 1000 % 1000000);
	print_str("timestamp", text);
}

void monitor_begin(const char *event, __u64 nanoseconds)
{
	char text[32];

	print_begin();
	if (options.timestamp)
		print_timestamp(nanoseconds);
	if (options.raw)
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)nanoseconds);
	else
		snprintf(text, sizeof(text), "%llu.%06llu",
			 (unsigned long long)nanoseconds / 1000000000,
			 (unsigned long long)nanoseconds / 1000 % 1000000);
	print_str("time", text);
	print_str("event", event);
}

bool monitor_end(void)
{
	print_end();
	if (monitor.bounded && !--monitor.left)
		stopped = 1;
	return !stopped;
}

static int show_refused(void *ctx, void *data, size_t size)
{
	const struct xroce_event *e = data;

	if (size < sizeof(*e) || stopped)
		return 0;
	monitor_begin("refused", e->time);
	print_dev(ctx);
	print_hex("qpn", 6, e->qpn);
	print_gid("peer", (const __u8 *)e->peer);
	print_colored("cause", xroce_cause_str(e->cause), COLOR_BAD);
	print_str("opcode", name_of_opcode(e->opcode));
	print_num("psn", e->psn);
	print_hex("rkey", 8, e->key);
	print_hex("va", 0, e->va);
	print_size("length", e->len);
	monitor_end();
	return 0;
}

static int add_ring(const char *netdev)
{
	char *dev;
	int fd;

	if (monitor.devs == LINKS_MAX)
		return fail("monitor: more than %d devices", LINKS_MAX);
	dev = monitor.dev[monitor.devs];
	snprintf(dev, IF_NAMESIZE, "%s", netdev);
	fd = xroce_pin_open(netdev, "events");
	/* It may be gone by now. */
	if (fd == -ENOENT)
		return EXIT_OK;
	if (fd < 0)
		return fail("dev %s: events: %s", netdev, dev_pin_reason(fd));
	monitor.devs++;
	if (!monitor.rings) {
		monitor.rings = ring_buffer__new(fd, show_refused, dev, NULL);
		if (!monitor.rings)
			return fail("dev %s: events: %s", netdev,
				    strerror(errno));
	} else if (ring_buffer__add(monitor.rings, fd, show_refused, dev)) {
		return fail("dev %s: events: %s", netdev, strerror(errno));
	}
	return EXIT_OK;
}

/* Watch the rings of the links that there are now. */
static int take_rings(const struct objects *now)
{
	int status = EXIT_OK;
	size_t i;

	ring_buffer__free(monitor.rings);
	monitor.rings = NULL;
	monitor.devs = 0;
	for (i = 0; i < now->count && !status; i++)
		if (now->objects[i].kind == OBJECT_LINK)
			status = add_ring(now->objects[i].dev);
	return status;
}

static bool same_links(const struct objects *a, const struct objects *b)
{
	size_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < a->count && a->objects[i].kind != OBJECT_LINK)
			i++;
		while (j < b->count && b->objects[j].kind != OBJECT_LINK)
			j++;
		if (i == a->count || j == b->count)
			return i == a->count && j == b->count;
		if (a->objects[i].link != b->objects[j].link ||
		    a->objects[i].key != b->objects[j].key)
			return false;
	}
}

/* Wait for refusals, and tell of them. */
static int wait_for_refusals(bool wanted)
{
	int err;

	if (wanted && monitor.rings)
		err = ring_buffer__poll(monitor.rings, OBJECTS_MS);
	else
		err = poll(NULL, 0, OBJECTS_MS) < 0 ? -errno : 0;
	if (err < 0 && err != -EINTR)
		return fail("monitor: %s", strerror(-err));
	return EXIT_OK;
}

static int watch(const char *dev, bool refused, bool objects)
{
	struct objects now;
	int status;

	status = objects_take(dev, &monitor.before);
	if (!status && refused)
		status = take_rings(&monitor.before);
	while (!status && !stopped) {
		status = wait_for_refusals(refused);
		if (status || stopped)
			break;
		status = objects_take(dev, &now);
		if (status)
			break;
		if (objects)
			monitor_compare(&monitor.before, &now);
		if (refused && !same_links(&monitor.before, &now))
			status = take_rings(&now);
		objects_free(&monitor.before);
		monitor.before = now;
	}
	objects_free(&monitor.before);
	ring_buffer__free(monitor.rings);
	return status;
}

int do_monitor(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = stop };
	bool refused = false, objects = false;
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "count", &arg_count, &monitor.left, ARG_OPTIONAL },
		{ "refused", &arg_flag, &refused, ARG_OPTIONAL },
		{ "objects", &arg_flag, &objects, ARG_OPTIONAL },
		{}
	};
	int status;

	memset(&monitor, 0, sizeof(monitor));
	stopped = 0;
	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (dev && !if_nametoindex(dev))
		return fail("dev %s: %s", dev, strerror(errno));
	monitor.bounded = monitor.left;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* Neither is both. */
	return watch(dev, refused || !objects, objects || !refused);
}
