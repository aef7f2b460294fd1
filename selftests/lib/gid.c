// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <arpa/inet.h>
#include <infiniband/verbs.h>

#include "gid.h"
#include "harness.h"

#define MOST	256u	/* entries that are looked at */

void gid_parse(const char *address, uint8_t gid[16])
{
	if (inet_pton(AF_INET6, address, gid) == 1)
		return;
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	check(inet_pton(AF_INET, address, gid + 12) == 1, "%s is no address", address);
}

int gid_index(struct ibv_context *ctx, const uint8_t gid[16])
{
	struct ibv_gid_entry entries[MOST];
	ssize_t n = ibv_query_gid_table(ctx, entries, MOST, 0), i;

	for (i = 0; i < n; i++)
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(entries[i].gid.raw, gid, sizeof(entries[i].gid)))
			return entries[i].gid_index;
	return -1;
}
