// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Querying links. attach.c and detach.c add and delete them. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "priv.h"

int xroce_link_query_sized(struct xroce_link_query *query, size_t size)
{
	/* An older module does not know these members, and refuses bytes that are not 0. */
	if (XROCE_HAS(size, struct xroce_link_query, verbs))
		memset(query->verbs, 0, sizeof(query->verbs));
	if (XROCE_HAS(size, struct xroce_link_query, provider)) {
		query->paths = 0;
		query->provider = 0;
	}
	if (XROCE_HAS(size, struct xroce_link_query, cc))
		memset(query->cc, 0, sizeof(query->cc));
	if (XROCE_HAS(size, struct xroce_link_query, moderation_usec)) {
		query->moderation_count = 0;
		query->moderation_usec = 0;
	}
	return xroce_command_once(XROCE_CMD_LINK_QUERY, query, size);
}

int xroce_link_find_sized(const char *netdev, struct xroce_link_query *query, size_t size)
{
	struct xroce_link_query q = {}, gone = {};
	__u32 ifindex = xroce_ifindex(netdev);
	struct stat ns;
	int err;

	if (!XROCE_HAS(size, struct xroce_link_query, users))
		return -EINVAL;
	if (stat("/proc/self/ns/net", &ns))
		return -errno;
	while (!(err = xroce_link_next(&q, true))) {
		if (q.flags & XROCE_F_DEAD) {
			if (!strncmp(q.name, netdev, sizeof(q.name)))
				gone = q;
		} else if (ifindex && q.ifindex == ifindex &&
			   q.netns == ns.st_ino) {
			xroce_give(query, size, &q, sizeof(q));
			query->size = size;
			return 0;
		}
	}
	if (err != -ENOENT || !gone.size)
		return err;
	xroce_give(query, size, &gone, sizeof(gone));
	query->size = size;
	return 0;
}
