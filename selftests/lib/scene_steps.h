/* SPDX-License-Identifier: GPL-2.0-only */
/* What every expect_*() is made of; no test includes this. */
#ifndef XROCE_SCENE_STEPS_H
#define XROCE_SCENE_STEPS_H

#include "scene.h"

#define PSN(n)	((n) & XROCE_PSN_MASK)

/* Send the request. Return: false when that could not be done. */
bool scene_offer(const struct scene *s);

/* The counters that every packet for our queue pairs moves. */
struct xroce_stat scene_received(void);

/*
 * The counters that every packet moves which passes the checks up to the
 * invariant CRC: that of a congested switch has a congestion notification sent.
 */
struct xroce_stat scene_admitted(const struct scene *s);

/*
 * Compare counters, queue pairs, regions and responder resources with @s, in which the
 * queue pair counts what it has sent and what was dropped. @counted is without tx_more,
 * which follows from the others.
 */
void scene_compare(struct scene *s, uint32_t verdict,
		   const struct xroce_stat *counted);

/* The frame is as it was. */
void scene_untouched(void);

/**
 * scene_answered() - compare an outcome that has an answer
 * @s: as it should be now
 * @delta: counters, those of sending not among them
 * @say: opcode, psn, syndrome, msn, orig, payload and pad of the answer
 *
 * While the module has responses to send, the answer goes behind them.
 */
void scene_answered(struct scene *s, struct xroce_stat *delta,
		    const struct packet *say);

#endif /* XROCE_SCENE_STEPS_H */
