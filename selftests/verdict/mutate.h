/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors of requests and of the state that they need: each function changes one thing in a
 * scene that is right, for the operation table_op.
 */
#ifndef XROCE_MUTATE_H
#define XROCE_MUTATE_H

#include "scene.h"

void mutate_none(struct scene *s);
void mutate_no_ack(struct scene *s);		/* AckReq is clear */

/* Headers, addresses, states. */
void mutate_bth_cut(struct scene *s);
void mutate_frame_cut(struct scene *s);
void mutate_checksum(struct scene *s);
void mutate_version(struct scene *s);
void mutate_no_qp(struct scene *s);
void mutate_service(struct scene *s);
void mutate_reset(struct scene *s);
void mutate_init(struct scene *s);
void mutate_rtr(struct scene *s);
void mutate_rts(struct scene *s);
void mutate_sqd(struct scene *s);
void mutate_err(struct scene *s);
void mutate_refused(struct scene *s);		/* an earlier packet ended the queue pair */
void mutate_saddr(struct scene *s);
void mutate_daddr(struct scene *s);
void mutate_pkey(struct scene *s);
void mutate_limited(struct scene *s);		/* both are limited members */
void mutate_qkey(struct scene *s);

/* Packet sequence number, and position in a message. */
void mutate_ahead(struct scene *s);
void mutate_ahead_again(struct scene *s);
void mutate_behind(struct scene *s);
void mutate_behind_no_ack(struct scene *s);
void mutate_behind_key(struct scene *s);
void mutate_behind_read(struct scene *s);	/* older than a READ that is kept */
void mutate_kept(struct scene *s);
void mutate_kept_rest(struct scene *s);
void mutate_forgotten(struct scene *s);
void mutate_another(struct scene *s);
void mutate_kept_key(struct scene *s);
void mutate_kept_longer(struct scene *s);
void mutate_kept_right(struct scene *s);
void mutate_no_first(struct scene *s);
void mutate_in_write(struct scene *s);
void mutate_in_send(struct scene *s);

/* Length. */
void mutate_headers_cut(struct scene *s);
void mutate_longer(struct scene *s);
void mutate_shorter(struct scene *s);
void mutate_over_mtu(struct scene *s);
void mutate_empty(struct scene *s);
void mutate_full_pad(struct scene *s);		/* where no pad is allowed */
void mutate_right_pad(struct scene *s);
void mutate_pad_alone(struct scene *s);
void mutate_odd(struct scene *s);
void mutate_ends_early(struct scene *s);
void mutate_max_msg(struct scene *s);
void mutate_not_eight(struct scene *s);

/* Rights, resources, keys. */
void mutate_qp_rights(struct scene *s);		/* no right at all */
void mutate_qp_right(struct scene *s);
void mutate_no_resources(struct scene *s);
void mutate_no_recv(struct scene *s);
void mutate_align(struct scene *s);
void mutate_key(struct scene *s);
void mutate_index(struct scene *s);
void mutate_invalid(struct scene *s);
void mutate_no_bytes(struct scene *s);
void mutate_no_bytes_key(struct scene *s);
void mutate_pd(struct scene *s);
void mutate_region_right(struct scene *s);
void mutate_below(struct scene *s);
void mutate_above(struct scene *s);
void mutate_wraps(struct scene *s);
void mutate_invalidate(struct scene *s);

/* A window instead of the region. A SEND with invalidate names its key. */
void mutate_window_1(struct scene *s);
void mutate_window_2a(struct scene *s);
void mutate_window_2b(struct scene *s);
void mutate_window_2a_pd(struct scene *s);
void mutate_window_2b_pd(struct scene *s);
void mutate_window_2a_qp(struct scene *s);
void mutate_window_2b_qp(struct scene *s);

/* FLUSH. */
void mutate_placement(struct scene *s);
void mutate_selectivity(struct scene *s);
void mutate_persistence(struct scene *s);
void mutate_region_persistence(struct scene *s);
void mutate_whole_region(struct scene *s);

/* Rows of table.h for these: dropped, lost with its message, answered by a NAK. */
#define ROW_DROP(cause, clause, ops, how, counter) \
	{ cause, clause, ops, mutate_##how, DROP, COUNTER(counter) }
#define ROW_LOST(cause, clause, ops, how, counter) \
	{ cause, clause, ops, mutate_##how, LOST, COUNTER(counter) }
#define ROW_NAK(cause, clause, ops, how, reason) \
	{ cause, clause, ops, mutate_##how, NAK, XROCE_CAUSE_##reason }

#endif /* XROCE_MUTATE_H */
