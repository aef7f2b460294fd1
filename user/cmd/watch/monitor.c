// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * xroce monitor: prints refused requests, dropped packets, and objects that are added, deleted
 * or changed, while this happens.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "names.h"
#include "print.h"
#include "watch/monitor.h"

#define LINKS_MAX	256
#define OBJECTS_MS	200	/* interval in which objects are queried */

/**
 * struct monitor - state of the monitor
 * @what: events to print, XROCE_MONITOR_*; 0: none
 * @m: readers of events, one per link
 * @dev: names of the links' devices
 * @n: number of elements in @m and @dev
 * @before: objects at the last query
 * @left: number of events still to be printed, if @bounded
 * @bounded: end after @left events
 */
static struct monitor {
	__u32 what;
	struct xroce_monitor *m[LINKS_MAX];
	char dev[LINKS_MAX][IF_NAMESIZE];
	int n;
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

/* Print the date and time of a CLOCK_MONOTONIC value. */
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

/* Print the name of an opcode, or its number if it has no name. */
static void print_opcode(__u8 opcode)
{
	const char *name = name_of_opcode(opcode);
	char number[8];

	if (!strcmp(name, "unknown")) {
		snprintf(number, sizeof(number), "0x%02x", opcode);
		name = number;
	}
	print_str("opcode", name);
}

static void show_refused(const char *dev, const struct xroce_event *e)
{
	monitor_begin("refused", e->time);
	print_dev(dev);
	print_hex("qpn", 6, e->qpn);
	print_gid("peer", (const __u8 *)e->peer);
	print_colored("cause", xroce_cause_str(e->cause), COLOR_BAD);
	print_opcode(e->opcode);
	print_num("psn", e->psn);
	if (e->known & XROCE_EVENT_KEY)
		print_hex("rkey", 8, e->key);
	if (e->known & XROCE_EVENT_VA)
		print_hex("va", 0, e->va);
	if (e->known & XROCE_EVENT_LEN)
		print_size("length", e->len);
	if (e->cause == XROCE_CAUSE_INV_LENGTH && e->known & XROCE_EVENT_PAYLOAD)
		print_num("payload", e->payload);
	if (e->cause == XROCE_CAUSE_INV_LENGTH && e->known & XROCE_EVENT_QP)
		print_num("mtu", e->mtu);
	monitor_end();
}

static void show_dropped(const char *dev, const struct xroce_event *e)
{
	monitor_begin("dropped", e->time);
	print_dev(dev);
	print_hex("qpn", 6, e->qpn);
	print_gid("peer", (const __u8 *)e->peer);
	print_gid("own", (const __u8 *)e->own);
	print_colored("cause", xroce_cause_str(e->cause), COLOR_BAD);
	print_opcode(e->opcode);
	print_num("psn", e->psn);
	if (e->known & XROCE_EVENT_QP)
		print_num("expected", e->epsn);
	if (e->missed)
		print_num("missed", e->missed);
	monitor_end();
}

static int open_one(const char *netdev)
{
	struct xroce_monitor *m;

	if (monitor.n == LINKS_MAX)
		return fail("monitor: more than %d devices", LINKS_MAX);
	m = xroce_monitor_open(netdev, monitor.what);
	/* The link may have been deleted meanwhile. */
	if (!m && errno == ENOENT)
		return EXIT_OK;
	if (!m)
		return fail("dev %s: events: %s", netdev, dev_pin_reason(-errno));
	snprintf(monitor.dev[monitor.n], IF_NAMESIZE, "%s", netdev);
	monitor.m[monitor.n++] = m;
	return EXIT_OK;
}

static void close_all(void)
{
	while (monitor.n)
		xroce_monitor_close(monitor.m[--monitor.n]);
}

/* Open readers of events for all present links. */
static int open_all(const struct objects *now)
{
	int status = EXIT_OK;
	size_t i;

	close_all();
	for (i = 0; i < now->count && !status; i++)
		if (now->objects[i].kind == OBJECT_LINK)
			status = open_one(now->objects[i].dev);
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

/* Print all available events of a link. */
static int show_events(int i)
{
	struct xroce_event e;
	int err = 0;

	while (!stopped && !(err = xroce_monitor_next(monitor.m[i], &e, 0))) {
		if (e.cause >= XROCE_DROP_LENGTH)
			show_dropped(monitor.dev[i], &e);
		else
			show_refused(monitor.dev[i], &e);
	}
	return err && err != -EAGAIN && err != -EINTR ?
	       fail("dev %s: events: %s", monitor.dev[i], strerror(-err)) : EXIT_OK;
}

static int show_all_events(void)
{
	int status = EXIT_OK, i;

	for (i = 0; i < monitor.n && !status; i++)
		status = show_events(i);
	return status;
}

/* Wait for events until the next query of objects is due, and print them. */
static int wait_for_events(void)
{
	struct pollfd fds[LINKS_MAX];
	int i;

	for (i = 0; i < monitor.n; i++)
		fds[i] = (struct pollfd){
			.fd = xroce_monitor_fd(monitor.m[i]),
			.events = POLLIN,
		};
	if (poll(fds, monitor.n, OBJECTS_MS) < 0 && errno != EINTR)
		return fail("monitor: %s", strerror(errno));
	return show_all_events();
}

static int watch(const char *dev, bool objects)
{
	struct objects now;
	int status;

	status = objects_take(dev, &monitor.before);
	if (!status && monitor.what)
		status = open_all(&monitor.before);
	while (!status && !stopped) {
		status = wait_for_events();
		if (status || stopped)
			break;
		status = objects_take(dev, &now);
		if (status)
			break;
		/* Print a refusal before the change of state that it has caused. */
		status = show_all_events();
		if (objects && !status && !stopped)
			monitor_compare(&monitor.before, &now);
		if (monitor.what && !status && !same_links(&monitor.before, &now))
			status = open_all(&now);
		objects_free(&monitor.before);
		monitor.before = now;
	}
	objects_free(&monitor.before);
	close_all();
	return status;
}

int do_monitor(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = stop };
	bool refused = false, dropped = false, objects = false;
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "count", &arg_count, &monitor.left, ARG_OPTIONAL },
		{ "refused", &arg_flag, &refused, ARG_OPTIONAL },
		{ "dropped", &arg_flag, &dropped, ARG_OPTIONAL },
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
	/* Default: refusals and objects. */
	if (!refused && !dropped && !objects)
		refused = objects = true;
	monitor.what = (refused ? XROCE_MONITOR_REFUSED : 0) |
		       (dropped ? XROCE_MONITOR_DROPPED : 0);
	return watch(dev, objects);
}
