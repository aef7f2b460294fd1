/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that are missing while later ones have arrived. A model of kmod/send/holes.c. */
#ifndef XROCE_SIM_HOLES_H
#define XROCE_SIM_HOLES_H

#include <linux/types.h>

/**
 * struct hole - a packet that is missing
 * @psn: its PSN
 * @top: the next PSN that had not been sent when this was sent again
 * @at: when that was, nanoseconds; 0: it is to be sent again
 */
struct hole {
	u32 psn;
	u32 top;
	u64 at;
};

/* @hole: in order, @n of them; @room: for how many there is room; @due: with @at 0. */
struct holes {
	struct hole *hole;
	u32 n;
	u32 room;
	u32 due;
};

/* @psn is missing; those before @lost have arrived or are lost. */
void holes_miss(struct holes *h, u32 psn, u32 lost);

/* All before @una are acknowledged. */
void holes_pass(struct holes *h, u32 una);

/* Return: the first one that is due; NULL: there is none. */
struct hole *holes_next(const struct holes *h);

/* It is sent again, before @top. */
void holes_sent(struct holes *h, struct hole *hole, u32 top);

/* What was sent again @timeout nanoseconds ago is lost. */
void holes_overdue(struct holes *h, u64 timeout);

void holes_close(struct holes *h);

#endif /* XROCE_SIM_HOLES_H */
