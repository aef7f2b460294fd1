/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The responder of a connection: it acknowledges what asks for that, keeps packets behind a hole,
 * names them in a selective acknowledgement, notifies of marked packets, and answers READs. A
 * model of kmod/defer and kmod/respond.
 */
#ifndef XROCE_SIM_RESPONDER_H
#define XROCE_SIM_RESPONDER_H

#include <linux/types.h>

#include "bits.h"

struct flow;
struct packet;

/**
 * struct responder - the responder of a connection
 * @epsn: the PSN that is expected
 * @high: behind the last one that has come
 * @kept: packets behind a hole
 * @has: which
 * @cnp_next: earliest time of the next notification, nanoseconds
 */
struct responder {
	u32 epsn;
	u32 high;
	u32 kept;
	struct bits has;
	u64 cnp_next;
};

void responder_open(struct flow *f);
void responder_packet(struct flow *f, const struct packet *p);

#endif /* XROCE_SIM_RESPONDER_H */
