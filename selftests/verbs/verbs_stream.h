/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One direction of a reliable connection: the requests of an end, what they change at the other
 * end, and a model of both. A connection has two streams, each the reverse of the other; their
 * requests share a queue pair at each end, and nothing else. The windows of a stream are bound and
 * invalidated by requests of the reverse stream.
 */
#ifndef XROCE_VERBS_STREAM_H
#define XROCE_VERBS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verbs_request.h"
#include "verbs_side.h"

#define STREAM_DEPTH	SIDE_SENDS	/* requests that are posted and not known to be complete */
#define STREAM_WINDOWS	3	/* windows, of both types */
#define STREAM_RECEIVE	(1ull << 63)	/* in the wr_id of a receive request */

/**
 * struct receive - a receive request of two elements with a guard between
 * @buf: its memory, REQUEST_BLANK when posted
 * @split: bytes of the first element
 */
struct receive {
	uint8_t *buf;
	uint32_t split;
};

/**
 * struct message - a message that has been sent and not received
 * @id: number of its request
 * @imm: immediate data
 * @has_imm: there are such
 * @send: it is a SEND, otherwise a WRITE
 * @solicited: it is
 * @arms: notice::arms of the receiver when it was sent
 * @window: window that it invalidates; NULL: none
 * @len: bytes
 * @bytes: REQUEST_MAX bytes; the message of a SEND
 */
struct message {
	uint32_t id;
	uint32_t imm;
	bool has_imm;
	bool send;
	bool solicited;
	uint32_t arms;
	struct window *window;
	uint32_t len;
	uint8_t *bytes;
};

/**
 * struct stream - the requests of an end
 * @from: the end
 * @to: the end that executes them
 * @peer: the reverse stream
 * @way: the queue pair at @from
 * @choice: what requests may be
 * @depth: requests posted at a time
 * @op: ring of requests
 * @posted: number of requests posted
 * @done: number known to be complete
 * @signalled: number of the last request that was signalled, plus 1
 * @message: ring of messages
 * @sent: messages sent
 * @got: messages received
 * @receive: ring of receive requests
 * @offered: receive requests posted at @to; @got of them are complete
 * @target: memory at @to that the requests access
 * @want: model of it
 * @window: windows of it
 */
struct stream {
	struct side *from;
	struct side *to;
	struct stream *peer;
	struct post_way way;
	struct request_choice choice;
	uint32_t depth;
	struct request_op op[STREAM_DEPTH];
	uint32_t posted;
	uint32_t done;
	uint32_t signalled;
	struct message message[STREAM_DEPTH + SIDE_RECEIVES];
	uint32_t sent;
	uint32_t got;
	struct receive receive[SIDE_RECEIVES];
	uint32_t offered;
	uint8_t *target;
	uint8_t *want;
	struct window window[STREAM_WINDOWS];
};

/* Bytes of memory that a stream needs at either end. */
size_t stream_from_size(void);
size_t stream_to_size(void);

/*
 * Make the model and the windows, and create the queue pair; @from, @to and @peer are set, and so
 * is what @choice says of the requests. @slots and @at: memory of either end.
 */
bool stream_open(struct stream *s, uint8_t *slots, uint8_t *at);

/* Close both streams of a connection. */
void streams_close(struct stream *s);

/* Now and then post receive requests; in the meantime the receiver sends RNR NAKs. */
void stream_receives(struct stream *s);

bool stream_may_post(const struct stream *s);

/* Post a random request. @last: nothing is posted after it. */
bool stream_post(struct stream *s, bool last);

/* A message has been received, or a request is complete. */
void stream_message(struct stream *s, const struct ibv_wc *wc);
void stream_completion(struct stream *s, const struct ibv_wc *wc);

/* Are all requests complete and all messages received? */
bool stream_idle(const struct stream *s);

/* Compare the memory with the model. */
void stream_compare(const struct stream *s);

/* Say what is missing. */
void stream_note(const struct stream *s);

/* How many requests of an opcode have been posted; zero all numbers. */
uint32_t stream_count(unsigned int opcode);
void stream_count_anew(void);

#endif /* XROCE_VERBS_STREAM_H */
