/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory windows of the real module, bound over a wire's region, and tried out. */
#ifndef XROCE_MW_TEST_H
#define XROCE_MW_TEST_H

#include "wire.h"

#define MW_SQ		64u	/* entries, where a test has no wish */
#define MW_READ		XROCE_ACCESS_REMOTE_READ
#define MW_WRITE	XROCE_ACCESS_REMOTE_WRITE
#define MW_ATOMIC	XROCE_ACCESS_REMOTE_ATOMIC
#define MW_ALL		(MW_READ | MW_WRITE | MW_ATOMIC)

extern const __u32 mw_types[3];
extern const struct wire_opts mw_rc;	/* with a send queue */

#define for_each_mw_type(type) \
	for (int i_ = 0; i_ < 3 && ((type) = mw_types[i_]); i_++)

/* A new window. Return: its key; 0 and a failed check if there is none. */
__u32 mw_new(struct wire *w, __u32 type);
void mw_del(struct wire *w, __u32 rkey);
struct xroce_mw_query mw_query(struct wire *w, __u32 rkey);

/* All of the region, with all rights, signalled. */
struct xroce_bind mw_whole(const struct wire *w, __u32 rkey);

/* The same, as an ioctl does it. Return: its result; the key in @b->rkey. */
int mw_bind_now(struct wire *w, __u32 type, struct xroce_bind *b);

/*
 * Post it, have it applied, take the completion. Return: its status; the key in
 * @b->rkey if it is bound.
 */
int mw_bind(struct wire *w, __u32 type, struct xroce_bind *b);
int mw_inval(struct wire *w, __u32 rkey);

/* A new window bound to the whole. Return: its key, or 0 and a failed check. */
__u32 mw_bound(struct wire *w, __u32 type);

/* The completion that is there. Return: its status, or -1: there is none. */
int mw_completion(struct wire *w, struct xroce_cqe *cqe);

/*
 * Send a request for these bytes and take the answer. Return: 0: it was done, and
 * memory says so; or the enum xroce_cause that ended the queue pair, with memory
 * as it was, and the queue pair connected anew.
 */
int mw_try(struct wire *w, uint8_t opcode, __u64 va, __u32 len, __u32 rkey);

/* A WRITE of eight bytes at the region's start. */
int mw_try_write(struct wire *w, __u32 rkey);

#endif /* XROCE_MW_TEST_H */
