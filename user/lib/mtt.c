// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Translation tables, and their pool. */
#include <stdint.h>

#include "priv.h"

int xroce_mtt_query_sized(struct xroce_mtt_query *query, size_t size)
{
	return xroce_command_once(XROCE_CMD_MTT_QUERY, query, size);
}

int xroce_mtt_read(struct xroce *x, __u32 mr, __u64 first, __u64 *to,
		   __u32 count)
{
	struct xroce_mtt_read read = {
		.size = sizeof(read),
		.mr = mr,
		.count = count,
		.first = first,
		.to = (uintptr_t)to,
	};
	int err = xroce_command(x->fd, XROCE_CMD_MTT_READ, &read);

	return err ? err : (int)read.count;
}
