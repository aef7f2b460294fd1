/* SPDX-License-Identifier: GPL-2.0-only */
/* Links between hosts and switches, and the ways over them. */
#ifndef XROCE_SIM_NETWORK_H
#define XROCE_SIM_NETWORK_H

#include <linux/types.h>

#include "link.h"

struct spec;

/**
 * struct network - all links of a run
 * @link: the links; those of hosts to switches come last
 * @links: how many
 * @ports: how many of them are ports of switches towards data, which have queues of interest
 */
struct network {
	struct link *link;
	u32 links;
	u32 ports;
};

void network_open(struct network *n, const struct spec *s);
void network_close(struct network *n);

/* The ways of the data of connection @i, and of what goes back. */
void network_route(const struct network *n, const struct spec *s, u32 i, struct route *data,
		   struct route *back);

/* Packets on all links. */
u64 network_holds(const struct network *n);

#endif /* XROCE_SIM_NETWORK_H */
