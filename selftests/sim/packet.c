// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "memory.h"
#include "packet.h"

struct packet_count packet_count;
static struct packet *unused;

struct packet *packet_new(struct flow *f, u8 kind, u32 psn, u32 bytes)
{
	struct packet *p = unused;

	if (p)
		unused = p->next;
	else
		p = memory_new(1, sizeof(*p));
	*p = (struct packet){ .flow = f, .kind = kind, .psn = psn, .bytes = bytes };
	packet_count.sent++;
	return p;
}

void packet_free(struct packet *p)
{
	free(p->sack);
	p->next = unused;
	unused = p;
}
