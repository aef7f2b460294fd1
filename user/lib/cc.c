// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Congestion control: the ioctls. */
#include <errno.h>
#include <string.h>

#include "priv.h"

/* Copy a name to a member of @size bytes. Return: 0 or -ENAMETOOLONG. */
static int take_name(char *to, size_t size, const char *name)
{
	if (strlen(name) >= size)
		return -ENAMETOOLONG;
	strcpy(to, name);
	return 0;
}

int xroce_cc_query_sized(struct xroce_cc_query *query, size_t size)
{
	return xroce_command_once(XROCE_CMD_CC_QUERY, query, size);
}

int xroce_link_cc(__u32 link, const char *name)
{
	struct xroce_link_cc cc = { .link = link };

	return take_name(cc.name, sizeof(cc.name), name) ? :
	       xroce_command_once(XROCE_CMD_LINK_CC, &cc, sizeof(cc));
}

int xroce_qp_cc(struct xroce *x, __u32 qpn, const char *name)
{
	struct xroce_qp_cc cc = { .size = sizeof(cc), .qpn = qpn };

	return take_name(cc.name, sizeof(cc.name), name) ? :
	       xroce_command(x->fd, XROCE_CMD_QP_CC, &cc);
}
