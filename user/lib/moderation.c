// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Moderation of completion events: the ioctl of links. That of a queue is in cq.c. */
#include "priv.h"

int xroce_link_moderate(__u32 link, __u32 count, __u32 usec)
{
	struct xroce_link_moderate moderate = { .link = link, .count = count, .usec = usec };

	return xroce_command_once(XROCE_CMD_LINK_MODERATE, &moderate, sizeof(moderate));
}
