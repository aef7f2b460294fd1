// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Links: their query, and detaching. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxroce_priv.h"

int xroce_link_query(struct xroce_link_query *query)
{
	query->size = sizeof(*query);
	return xroce_command_once(XROCE_CMD_LINK_QUERY, query);
}

int xroce_link_find(const char *netdev, struct xroce_link_query *query)
{
	struct xroce_link_query q, gone = {};
	__u32 ifindex = xroce_ifindex(netdev);
	struct stat ns;
	__u32 number;
	int err;

	if (stat("/proc/self/ns/net", &ns))
		return -errno;
	for (number = 0; ; number = q.link + 1) {
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_NEXT;
		q.link = number;
		err = xroce_link_query(&q);
		if (err == -ENOENT)
			break;
		if (err)
			return err;
		if (q.flags & XROCE_F_DEAD) {
			if (!strncmp(q.name, netdev, sizeof(q.name)))
				gone = q;
		} else if (ifindex && q.ifindex == ifindex &&
			   q.netns == ns.st_ino) {
			*query = q;
			return 0;
		}
	}
	if (!gone.size)
		return -ENOENT;
	*query = gone;
	return 0;
}

int xroce_limit_set(struct xroce_limit_set *set)
{
	set->size = sizeof(*set);
	return xroce_command_once(XROCE_CMD_LIMIT_SET, set);
}

int xroce_limit_query(struct xroce_limit_query *query)
{
	query->size = sizeof(*query);
	return xroce_command_once(XROCE_CMD_LIMIT_QUERY, query);
}

/* Who may delete no link may not detach what is left of one. */
static int clear_pins(const char *netdev, int fd)
{
	struct xroce_link_del del = {
		.size = sizeof(del),
		.link = XROCE_NO_LINK,
	};
	int err = xroce_command(fd, XROCE_CMD_LINK_DEL, &del);

	if (err != -ENOENT)
		return err;
	err = xroce_pin_clear(netdev, XROCE_NO_LINK);
	return err == -EEXIST ? -ENOENT : err;
}

static int detach(const char *netdev, unsigned int flags, char *error)
{
	struct xroce_link_del del = { .size = sizeof(del), .flags = flags };
	struct xroce_link_query q = {};
	char dir[XROCE_NETDEV_MAX];
	int fd, err;

	fd = xroce_dev_open();
	err = fd < 0 ? fd : xroce_link_find(netdev, &q);
	if (err == -ENOENT && !clear_pins(netdev, fd)) {
		close(fd);
		return 0;
	}
	if (err) {
		if (fd >= 0)
			close(fd);
		snprintf(error, XROCE_ERROR_MAX, "%s", err == -ENXIO ?
			 "the module is not loaded" : err == -ENOENT ?
			 "it has no link" : strerror(-err));
		return err;
	}
	del.link = q.link;
	xroce_pin_dir(netdev, q.ifindex, dir);
	err = xroce_command(fd, XROCE_CMD_LINK_DEL, &del);
	close(fd);
	if (!err) {
		/*
		 * The last reference to the BPF link is its pin. A device that
		 * has gone may have left its name to another one.
		 */
		if (!(q.flags & XROCE_F_DEAD) ||
		    !xroce_pin_used(dir, XROCE_NO_LINK))
			xroce_pin_remove(dir);
	} else if (err == -EBUSY && q.users) {
		snprintf(error, XROCE_ERROR_MAX, "%u %s", q.users,
			 q.users == 1 ? "program uses it" : "programs use it");
	} else if (err == -EBUSY) {
		snprintf(error, XROCE_ERROR_MAX,
			 "it has persistent objects (pd %u, mr %u, qp %u); force deletes them",
			 q.pds, q.mrs, q.qps);
	} else {
		snprintf(error, XROCE_ERROR_MAX, "%s", strerror(-err));
	}
	return err;
}

int xroce_detach(const char *netdev, unsigned int flags, char *error)
{
	char ignored[XROCE_ERROR_MAX];
	int lock = xroce_pin_lock();
	int err;

	if (!error)
		error = ignored;
	*error = 0;
	err = detach(netdev, flags, error);
	xroce_pin_unlock(lock);
	return err;
}
