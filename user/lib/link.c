// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Querying links, and their limits. attach.c and detach.c add and delete them. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "priv.h"

int xroce_link_query(struct xroce_link_query *query)
{
	query->size = sizeof(*query);
	/* An older module does not know this member, and refuses bytes that are not 0. */
	memset(query->verbs, 0, sizeof(query->verbs));
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
