/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps of expect_*(). Tests do not include this file. */
#ifndef XROCE_SCENE_STEPS_H
#define XROCE_SCENE_STEPS_H

#include "scene.h"

#define PSN(n)	((n) & XROCE_PSN_MASK)

/* Run the request through the program. Return: false if that could not be done. */
bool scene_offer(const struct scene *s);

/* The counters that every packet for our queue pairs moves. */
struct xroce_stat scene_received(void);

/*
 * The counters that every packet moves that passes the checks up to the invariant CRC. A
 * packet that is marked "congestion experienced" causes a congestion notification.
 */
struct xroce_stat scene_admitted(const struct scene *s);

/*
 * Compare counters, queue pairs, region and responder resources with @s, after adding to
 * the queue pair's counters of responses and drops. @counted has no tx_more, which follows
 * from the other counters.
 */
void scene_compare(struct scene *s, uint32_t verdict,
		   const struct xroce_stat *counted);

/* Check that the frame has not changed. */
void scene_untouched(void);

/**
 * scene_answered() - compare an outcome with a response
 * @s: the expected state
 * @delta: the expected counters, without those of sending
 * @say: opcode, psn, syndrome, msn, orig, payload and pad of the response
 *
 * While the module has responses to send, the response is queued behind these.
 */
void scene_answered(struct scene *s, struct xroce_stat *delta,
		    const struct packet *say);

#endif /* XROCE_SCENE_STEPS_H */
