/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a request may reach, on a golden test's stage, and what it may not: the same
 * for every operation that names a region. The request in the stage is one that is
 * accepted. A length is that of a WRITE of one packet, of a READ or of a FLUSH.
 */
#ifndef XROCE_ACCESS_H
#define XROCE_ACCESS_H

#include "scene.h"

/* Key byte, index, and an index outside the table. */
void access_wrong_keys(const struct scene *fresh);

/* The key is right, but the entry is free, or invalid. */
void access_wrong_states(const struct scene *fresh);

/* The region is of another protection domain. */
void access_wrong_pds(const struct scene *fresh);

/*
 * Queue pair, or region, have all rights but @right; none; just that. The queue
 * pair's right is wanted for no byte as well.
 */
void access_qp_rights(const struct scene *fresh, uint32_t right);
void access_region_rights(const struct scene *fresh, uint32_t right);

/* @len bytes at @off of the region. */
void access_at(const struct scene *fresh, uint64_t off, uint32_t len, bool fits);

/* First byte, last byte, one before, one past, far away. */
void access_edges(const struct scene *fresh);

/* No byte: no key is looked at. */
void access_nothing(const struct scene *fresh);

/* A message of 2^31 bytes, and longer ones. */
void access_longest(const struct scene *fresh);

/*
 * Of several errors the first has the say: bounds, then @right, domain and key in
 * addition. They stay in @s.
 */
void access_order(struct scene *s, uint32_t right);

#endif /* XROCE_ACCESS_H */
