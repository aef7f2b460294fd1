/* SPDX-License-Identifier: GPL-2.0-only */
/* What counts against a limit: making one of each kind, and asking how many there are. */
#ifndef XROCE_LIMIT_TEST_H
#define XROCE_LIMIT_TEST_H

#include <stdbool.h>

#include "live.h"

/* Those that can be made; packets deferred come from the network. */
#define LIMIT_KINDS	(XROCE_COUNT_PINNED + 1)

extern const char *const limit_names[XROCE_COUNTED];

/* A page of it becomes a region; a test's own. */
extern char *limit_memory;

/* The number of a device's link. */
__u32 limit_link(const char *dev);

/* What LIMIT_QUERY says of LIVE_DEV's link, or with XROCE_F_USER of a user. */
struct xroce_limit_query limit_used_by(__u32 flags, __u32 uid);
__u64 limit_used(enum xroce_counted what);
bool limit_same(const struct xroce_limit_query *a,
		const struct xroce_limit_query *b);

/* Make an object in @pd. Return: 0 or an error; @id: what limit_drop() wants. */
int limit_make(struct xroce *x, enum xroce_counted what, __u32 flags, __u32 pd,
	       __u32 *id);
int limit_drop(struct xroce *x, enum xroce_counted what, __u32 id);

/* What making it counts. */
__u64 limit_size_of(enum xroce_counted what);

/* Make one, on behalf of @who: the result is @want. */
void limit_expect(struct xroce *x, enum xroce_counted what, __u32 flags,
		  __u32 pd, int want, const char *who);

#endif /* XROCE_LIMIT_TEST_H */
