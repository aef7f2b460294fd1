/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access checks that are the same for every operation that names a region, for golden
 * tests. The request of @fresh must be one that is accepted. @len is the length of a WRITE
 * of one packet, of a READ or of a FLUSH.
 */
#ifndef XROCE_ACCESS_H
#define XROCE_ACCESS_H

#include "scene.h"

/* Refused: a wrong key byte, a wrong index, an index outside the table. */
void access_wrong_keys(const struct scene *fresh);

/* Refused: the key is right, but the entry is free or invalid. */
void access_wrong_states(const struct scene *fresh);

/* Refused: the region has another protection domain. */
void access_wrong_pds(const struct scene *fresh);

/*
 * Refused if the queue pair, or the region, has all rights but @right, or none. Accepted if
 * it has only @right. The queue pair needs @right for a request of no bytes, too.
 */
void access_qp_rights(const struct scene *fresh, uint32_t right);
void access_region_rights(const struct scene *fresh, uint32_t right);

/* A request for @len bytes at offset @off of the region. @fits: it is accepted. */
void access_at(const struct scene *fresh, uint64_t off, uint32_t len, bool fits);

/* Requests at both ends of the region, inside and outside. */
void access_edges(const struct scene *fresh);

/* Accepted: a request of no bytes, whose key is not checked. */
void access_nothing(const struct scene *fresh);

/* Accepted: a message of 2^31 bytes. Refused: a longer one. */
void access_longest(const struct scene *fresh);

/*
 * The order of checks: add an error of bounds, of @right, of protection domain and of key to
 * @s. Each of them is reported in place of the one before. They stay in @s.
 */
void access_order(struct scene *s, uint32_t right);

#endif /* XROCE_ACCESS_H */
