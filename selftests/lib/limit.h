/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects that count against limits: make one of each kind, and query the counts. */
#ifndef XROCE_LIMIT_TEST_H
#define XROCE_LIMIT_TEST_H

#include <stdbool.h>

#include "live.h"

/* The kinds that a test can make; deferred frames come from the network. */
#define LIMIT_KINDS	(XROCE_COUNT_PINNED + 1)

extern const char *const limit_names[XROCE_COUNTED];

/* Memory of the test; its first page is registered as a region. */
extern char *limit_memory;

/* The number of the link on a device. */
__u32 limit_link(const char *dev);

/* The answer of LIMIT_QUERY for LIVE_DEV's link, or with XROCE_F_USER for a user. */
struct xroce_limit_query limit_used_by(__u32 flags, __u32 uid);
__u64 limit_used(enum xroce_counted what);
bool limit_same(const struct xroce_limit_query *a,
		const struct xroce_limit_query *b);

/* Make an object in @pd. Return: 0 or a negative errno; @id: out: for limit_drop(). */
int limit_make(struct xroce *x, enum xroce_counted what, __u32 flags, __u32 pd,
	       __u32 *id);
int limit_drop(struct xroce *x, enum xroce_counted what, __u32 id);

/* What one object adds to its count: bytes of pinned memory, otherwise 1. */
__u64 limit_size_of(enum xroce_counted what);

/* Make an object on behalf of @who, and check that the result is @want. */
void limit_expect(struct xroce *x, enum xroce_counted what, __u32 flags,
		  __u32 pd, int want, const char *who);

#endif /* XROCE_LIMIT_TEST_H */
