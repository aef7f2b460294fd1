// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Limits of links and of their users. */
#include "priv.h"

int xroce_limit_set_sized(struct xroce_limit_set *set, size_t size)
{
	return xroce_command_once(XROCE_CMD_LIMIT_SET, set, size);
}

int xroce_limit_query_sized(struct xroce_limit_query *query, size_t size)
{
	return xroce_command_once(XROCE_CMD_LIMIT_QUERY, query, size);
}
