// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The network device of a command: the named one, or the only one that has a link. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev.h"
#include "message.h"
#include "priv.h"

/* Number of retries to detach a link that is in use, and the pause between them. */
#define PATIENCE	10
#define PATIENCE_MS	50

static const struct reason open_reasons[] = {
	{ ENODEV, "no such network device" },
	{ ENOENT, "it has no link; 'xroce link add' makes one" },
	{}
};

const char *dev_name(const struct xroce_link_query *q, char *name)
{
	if (!if_indextoname(q->ifindex, name))
		snprintf(name, IF_NAMESIZE, "%.*s", (int)sizeof(q->name), q->name);
	return name;
}

int dev_only(char *name)
{
	struct xroce_link_query q = {}, other;
	int err;

	err = xroce_link_next(&q, false);
	if (err == -ENOENT)
		return fail("no network device has a link; 'xroce link add' makes one");
	if (err)
		return fail("links: %s", reason(err, open_reasons));
	other = q;
	if (!xroce_link_next(&other, false))
		return usage("several network devices have a link: name one with dev DEV");
	dev_name(&q, name);
	return EXIT_OK;
}

static int open_one(const char *netdev, struct xroce **x)
{
	*x = xroce_open(netdev);
	return *x ? EXIT_OK : fail("dev %s: %s", netdev, reason(-errno, open_reasons));
}

int dev_open(const char *netdev, struct xroce **x)
{
	char name[IF_NAMESIZE];
	int status;

	if (netdev)
		return open_one(netdev, x);
	status = dev_only(name);
	return status ? : open_one(name, x);
}

int dev_one(const char *netdev, dev_show show, void *arg)
{
	char name[IF_NAMESIZE];
	struct xroce *x;
	int status;

	if (!netdev) {
		status = dev_only(name);
		if (status)
			return status;
		netdev = name;
	}
	status = open_one(netdev, &x);
	if (status)
		return status;
	status = show(x, netdev, arg);
	xroce_close(x);
	return status;
}

int dev_each(const char *netdev, dev_show show, void *arg)
{
	struct xroce_link_query q = {};
	char name[IF_NAMESIZE];
	int status = EXIT_OK;
	int err;

	if (netdev)
		return dev_one(netdev, show, arg);
	while (!(err = xroce_link_next(&q, false))) {
		if (!q.mpt_entries)
			continue;
		status = dev_one(dev_name(&q, name), show, arg);
		if (status)
			return status;
	}
	if (err != -ENOENT)
		return fail("links: %s", reason(err, open_reasons));
	return status;
}

int dev_detach(const char *netdev, unsigned int flags, char *error)
{
	struct xroce_link_query q;
	int err, tries;

	for (tries = 0;; tries++) {
		err = xroce_detach(netdev, flags, error);
		if (err != -EBUSY || tries == PATIENCE ||
		    xroce_link_find(netdev, &q) ||
		    (!(flags & XROCE_F_FORCE) && !*q.verbs && (q.pds || q.mrs || q.qps)))
			return err;
		usleep(PATIENCE_MS * 1000);
	}
}

static bool is_here(const struct xroce_link_query *q)
{
	struct stat ns;

	return !stat("/proc/self/ns/net", &ns) && q->netns == ns.st_ino;
}

static int each_pin(dev_show show, void *arg)
{
	struct xroce_link_query q = {};
	int status = EXIT_OK, err;
	char name[IF_NAMESIZE];

	while (!status && !(err = xroce_link_next(&q, true))) {
		if (!q.mpt_entries || q.flags & XROCE_F_DEAD)
			continue;
		if (is_here(&q))
			dev_name(&q, name);
		else
			snprintf(name, sizeof(name), "%.*s", (int)sizeof(q.name),
				 q.name);
		status = show(NULL, name, arg);
	}
	if (!status && err != -ENOENT)
		return fail("links: %s", reason(err, open_reasons));
	return status;
}

int dev_each_pin(const char *netdev, dev_show show, void *arg)
{
	struct xroce_link_query q;
	int err;

	if (!netdev)
		return each_pin(show, arg);
	err = xroce_link_find(netdev, &q);
	/* -ENOENT: the device may be in another network namespace. */
	if (err && err != -ENOENT)
		return fail("dev %s: %s", netdev, reason(err, open_reasons));
	return show(NULL, netdev, arg);
}

const char *dev_pin_reason(int err)
{
	static const struct reason reasons[] = {
		{ ENOENT, "it has no pinned map" },
		{ EACCES, "not permitted: the pins in " XROCE_PIN_DIR " belong to root" },
		{ EPERM, "not permitted: CAP_BPF is needed" },
		{}
	};

	return reason(err, reasons);
}
