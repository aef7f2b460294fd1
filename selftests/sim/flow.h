/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection: its requester (requester.h), its responder (responder.h), their ways, and the
 * messages that a program keeps outstanding.
 */
#ifndef XROCE_SIM_FLOW_H
#define XROCE_SIM_FLOW_H

#include <linux/types.h>

#include "event.h"
#include "link.h"
#include "requester.h"
#include "responder.h"

struct packet;
struct xroce_cc_ops;

/**
 * struct flow_kind - what a connection does
 * @ops: its congestion control
 * @read: READ; otherwise WRITE
 * @mtu: path MTU in bytes
 * @size: bytes of a message
 * @depth: messages outstanding
 * @qps: connections of the requester's host, whose timers make room for each other
 */
struct flow_kind {
	const struct xroce_cc_ops *ops;
	bool read;
	u32 mtu;
	u32 size;
	u32 depth;
	u32 qps;
};

/**
 * struct flow - a connection
 * @kind: what it does
 * @packets: of a message
 * @out: way from the requester to the responder; @back: the other one
 * @requester: sends requests
 * @responder: the other end
 * @begin: it begins
 * @posted: when each message was posted, nanoseconds; @kind.depth of them
 * @done: messages that are complete
 * @bytes: payload that has arrived at its destination
 * @then: @bytes when the measurement began
 * @latency: of messages, in nanoseconds; NULL: they are not of interest
 * @latencies: how many; @room: for how many there is room
 */
struct flow {
	struct flow_kind kind;
	u32 packets;
	struct route out, back;
	struct requester requester;
	struct responder responder;
	struct event begin;
	u64 *posted;
	u32 done;
	u64 bytes;
	u64 then;
	u64 *latency;
	u32 latencies;
	u32 room;
};

/* Before, the ways are set. It begins at @at, nanoseconds. */
void flow_open(struct flow *f, const struct flow_kind *kind, u64 at);
void flow_close(struct flow *f);

/* Note latencies from now on. */
void flow_timed(struct flow *f);

/* A packet has come to the end of its way. The caller frees it. */
void flow_arrived(struct flow *f, struct packet *p);

/* The requester knows that all before @psn is complete: post new messages. */
void flow_completed(struct flow *f, u32 psn);

/* Payload of the packet @psn, in bytes. */
u32 flow_payload(const struct flow *f, u32 psn);

/* Payload bytes of the packets from @psn to before @end. */
u64 flow_payloads(const struct flow *f, u32 psn, u32 end);

/* PSN behind the last packet that is posted. */
u32 flow_posted(const struct flow *f);

#endif /* XROCE_SIM_FLOW_H */
