/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be wrong with a request, or with what it is for: each function makes
 * one mistake in a scene that is right, for table_op.
 */
#ifndef XROCE_MISTAKE_H
#define XROCE_MISTAKE_H

#include "scene.h"

void mistake_none(struct scene *s);
void mistake_no_ack(struct scene *s);		/* it asks for none */

/* Headers, addresses, states. */
void mistake_bth_cut(struct scene *s);
void mistake_frame_cut(struct scene *s);
void mistake_checksum(struct scene *s);
void mistake_version(struct scene *s);
void mistake_no_qp(struct scene *s);
void mistake_service(struct scene *s);
void mistake_reset(struct scene *s);
void mistake_init(struct scene *s);
void mistake_rtr(struct scene *s);
void mistake_rts(struct scene *s);
void mistake_sqd(struct scene *s);
void mistake_err(struct scene *s);
void mistake_refused(struct scene *s);		/* by an earlier packet */
void mistake_saddr(struct scene *s);
void mistake_daddr(struct scene *s);
void mistake_pkey(struct scene *s);
void mistake_limited(struct scene *s);		/* members, both */
void mistake_qkey(struct scene *s);

/* Packet sequence number, and the place in a message. */
void mistake_ahead(struct scene *s);
void mistake_ahead_again(struct scene *s);
void mistake_behind(struct scene *s);
void mistake_behind_no_ack(struct scene *s);
void mistake_behind_key(struct scene *s);
void mistake_behind_read(struct scene *s);	/* older than a READ */
void mistake_kept(struct scene *s);
void mistake_kept_rest(struct scene *s);
void mistake_forgotten(struct scene *s);
void mistake_another(struct scene *s);
void mistake_kept_key(struct scene *s);
void mistake_kept_longer(struct scene *s);
void mistake_kept_right(struct scene *s);
void mistake_no_first(struct scene *s);
void mistake_in_write(struct scene *s);
void mistake_in_send(struct scene *s);

/* Length. */
void mistake_headers_cut(struct scene *s);
void mistake_longer(struct scene *s);
void mistake_shorter(struct scene *s);
void mistake_over_mtu(struct scene *s);
void mistake_empty(struct scene *s);
void mistake_full_pad(struct scene *s);		/* where none may be */
void mistake_right_pad(struct scene *s);
void mistake_pad_alone(struct scene *s);
void mistake_odd(struct scene *s);
void mistake_ends_early(struct scene *s);
void mistake_max_msg(struct scene *s);
void mistake_not_eight(struct scene *s);

/* Rights, resources, keys. */
void mistake_qp_rights(struct scene *s);	/* none at all */
void mistake_qp_right(struct scene *s);
void mistake_no_resources(struct scene *s);
void mistake_no_recv(struct scene *s);
void mistake_align(struct scene *s);
void mistake_key(struct scene *s);
void mistake_index(struct scene *s);
void mistake_invalid(struct scene *s);
void mistake_no_bytes(struct scene *s);
void mistake_no_bytes_key(struct scene *s);
void mistake_pd(struct scene *s);
void mistake_region_right(struct scene *s);
void mistake_below(struct scene *s);
void mistake_above(struct scene *s);
void mistake_wraps(struct scene *s);
void mistake_invalidate(struct scene *s);

/* Windows in place of the region; SENDs name them to be invalidated. */
void mistake_window_1(struct scene *s);
void mistake_window_2a(struct scene *s);
void mistake_window_2b(struct scene *s);
void mistake_window_2a_pd(struct scene *s);
void mistake_window_2b_pd(struct scene *s);
void mistake_window_2a_qp(struct scene *s);
void mistake_window_2b_qp(struct scene *s);

/* FLUSH. */
void mistake_placement(struct scene *s);
void mistake_selectivity(struct scene *s);
void mistake_persistence(struct scene *s);
void mistake_region_persistence(struct scene *s);
void mistake_whole_region(struct scene *s);

#endif /* XROCE_MISTAKE_H */
