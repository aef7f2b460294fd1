/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion events: a queue that is armed notifies its channel of the next completion, or of the
 * next one of a solicited message, once. A model of that, for a program that polls.
 */
#ifndef XROCE_VERBS_NOTICE_H
#define XROCE_VERBS_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

/**
 * struct notice - the events of a completion queue
 * @channel: its channel, which is read without waiting
 * @cq: the queue
 * @armed: it is armed
 * @solicited: for solicited messages only
 * @arms: how often it has been armed
 * @may: since it was armed, a completion has been read that may have made an event
 * @must: a completion has been read that must have made one
 * @come: an event has been read
 * @count: events
 */
struct notice {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	bool armed;
	bool solicited;
	uint32_t arms;
	bool may;
	bool must;
	bool come;
	uint32_t count;
};

/* Make the channel. @cq is the caller's, and is destroyed after notice_quiet(). */
bool notice_open(struct notice *n, struct ibv_context *ctx);
void notice_quiet(struct notice *n);
void notice_close(struct notice *n);

/* Arm the queue, now and then. */
void notice_arm(struct notice *n);

/* Before completions are read: has an event come? */
void notice_begin(struct notice *n);

/*
 * A completion has been read. @solicited: of a solicited message; @arms: value of notice::arms
 * when the message was sent, or UINT32_MAX.
 */
void notice_completion(struct notice *n, bool solicited, uint32_t arms);

/* All completions have been read: the event must be explained, and must not be missing. */
void notice_end(struct notice *n);

#endif /* XROCE_VERBS_NOTICE_H */
