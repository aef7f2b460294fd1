/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory windows of the real module, bound to a wire's region, and accesses by them. */
#ifndef XROCE_MW_TEST_H
#define XROCE_MW_TEST_H

#include "wire.h"

#define MW_SQ		64u	/* entries of the send queue, unless a test needs another number */
#define MW_READ		XROCE_ACCESS_REMOTE_READ
#define MW_WRITE	XROCE_ACCESS_REMOTE_WRITE
#define MW_ATOMIC	XROCE_ACCESS_REMOTE_ATOMIC
#define MW_ALL		(MW_READ | MW_WRITE | MW_ATOMIC)

extern const __u32 mw_types[3];
extern const struct wire_opts mw_rc;	/* with a send queue */

#define for_each_mw_type(type) \
	for (int i_ = 0; i_ < 3 && ((type) = mw_types[i_]); i_++)

/* A new window. Return: its R_Key; 0 and a failed check on error. */
__u32 mw_new(struct wire *w, __u32 type);
void mw_del(struct wire *w, __u32 rkey);
struct xroce_mw_query mw_query(struct wire *w, __u32 rkey);

/**
 * struct binding - arguments of a bind
 * @wr_id: of the work request, as @flags
 * @flags: enum xroce_send_flags
 * @qpn: queue pair of a bind by ioctl
 * @rkey: key of the window
 * @lkey: key of the region
 * @addr: first byte
 * @length: bytes; 0: unbind
 * @access: rights
 */
struct binding {
	__u64 wr_id;
	__u32 flags;
	__u32 qpn;
	__u32 rkey;
	__u32 lkey;
	__u64 addr;
	__u64 length;
	__u32 access;
};

/* A signalled bind to the whole region, with all rights. */
struct binding mw_whole(const struct wire *w, __u32 rkey);

/* Bind by ioctl. Return: its result; @b->rkey: out: the R_Key. */
int mw_bind_now(struct wire *w, __u32 type, struct binding *b);

/*
 * Post a bind of a window of type 1, @b->rkey: out: its new key; or of type 2; or an invalidation.
 * Return: 0, or as xroce_post_send().
 */
int mw_post_one(struct wire *w, struct binding *b);
int mw_post_two(struct wire *w, const struct binding *b);
int mw_post_inval(struct wire *w, __u64 wr_id, __u32 rkey, __u32 flags);

/* Entry @i of the send queue's ring, counted from the first one. */
struct xroce_send_wqe *mw_entry(const struct wire *w, __u32 i);

/*
 * Bind or invalidate by the send queue: post it, have it executed, take the completion. Return: the
 * completion's status, or -1; @b->rkey: out: the R_Key if the window is bound.
 */
int mw_bind(struct wire *w, __u32 type, struct binding *b);
int mw_inval(struct wire *w, __u32 rkey);

/* A new window, bound to the whole region. Return: its R_Key; 0 and a failed check. */
__u32 mw_bound(struct wire *w, __u32 type);

/* Take the next completion, if any. Return: its status; -1: there is none. */
int mw_completion(struct wire *w, struct xroce_cqe *cqe);

/*
 * Send a request for @len bytes at @va and take the response. Return: 0: it was executed,
 * and memory has changed accordingly; otherwise the enum xroce_cause that moved the queue
 * pair to ERR: memory is unchanged, and the queue pair has been connected again. -1: no
 * response, or no cause.
 */
int mw_try(struct wire *w, uint8_t opcode, __u64 va, __u32 len, __u32 rkey);

/* The same for a WRITE of eight bytes at the region's start. */
int mw_try_write(struct wire *w, __u32 rkey);

#endif /* XROCE_MW_TEST_H */
