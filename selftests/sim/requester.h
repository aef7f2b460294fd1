/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester of a connection: what is sent when. It uses the module's own cc.c and rtt.c, and is
 * a model of kmod/send/requester.c, ack.c, resend.c, holes.c and score.c with a peer that keeps
 * packets, on a path on which none overtakes another.
 */
#ifndef XROCE_SIM_REQUESTER_H
#define XROCE_SIM_REQUESTER_H

#include <linux/types.h>

#include "../../kmod/send/cc.h"
#include "../../kmod/send/rtt.h"

#include "bits.h"
#include "event.h"
#include "holes.h"

struct flow;
struct packet;

/* READs outstanding: max_rd_atomic. */
#define REQUESTER_READS	16u

/* Whether the peer keeps what is behind a hole: enum xr_keeps of the module. */
enum requester_keeps {
	KEEPS_UNKNOWN,
	KEEPS_TRIAL,
	KEEPS_NOT,
	KEEPS,
};

/**
 * struct part - a request of a READ
 * @psn: of its first packet
 * @end: behind its last one
 */
struct part {
	u32 psn;
	u32 end;
};

/**
 * struct requester - the requester of a connection
 * @cc: congestion control; @rtt: round-trip time
 * @una: the oldest PSN that is not acknowledged
 * @psn: the next to send; @top: the next to send for the first time
 * @window: packets that may be outstanding, at most @cc.window
 * @silent: packets that asked for nothing since the last that did
 * @force: each packet asks
 * @extra: packets of responses that are missing, but for the last one of each
 * @part: READs outstanding, the oldest at @reads_done % REQUESTER_READS
 * @reads: how many; @reads_done: complete
 * @size: packets of a part, of the message at @psn, as a power of two
 * @has: packets that have arrived out of order; @kept: how many
 * @high: behind the last of them
 * @holes: those between that are missing
 * @credit: how many of these may be sent again
 * @keeps: what is known of the peer; @trial: PSN behind the one that shows it
 * @nak: PSN of the last NAK, plus 1
 * @discards: NAKs of a peer that seems to discard packets
 * @refused: @rtt.delivered at the last NAK
 * @cnps: congestion notifications
 * @heard: answers; @heard_then, @heard_at: how many, and when, at the last look
 * @probes: how often nothing was heard, since there was progress; @retries: timeouts
 * @probe: packets to send again, without a hole: the first, the last
 * @deadline: of the local ACK timeout, nanoseconds
 * @pace: it waits for the rate; @tick: looks for holes and silence; @timeout: local ACK timeout
 * @again: packets sent again; @timeouts: local ACK timeouts
 * @ended: there were too many
 */
struct requester {
	struct xr_cc cc;
	struct xr_rtt rtt;
	u32 una, psn, top;
	u32 window;
	u32 silent;
	bool force;
	u32 extra;
	struct part part[REQUESTER_READS];
	u32 reads, reads_done;
	u32 size;
	struct bits has;
	u32 kept;
	u32 high;
	struct holes holes;
	u32 credit;
	enum requester_keeps keeps;
	u32 trial;
	u32 nak;
	u32 discards;
	u32 refused;
	u32 cnps;
	u32 heard, heard_then;
	u64 heard_at;
	u32 probes, retries;
	bool probe_first, probe_last;
	u64 deadline;
	struct event pace, tick, timeout;
	u32 again, timeouts;
	bool ended;
};

void requester_open(struct flow *f);
void requester_close(struct flow *f);

/* Send what may be sent. */
void requester_run(struct flow *f);

/* An answer has come: answer.c. */
void requester_packet(struct flow *f, const struct packet *p);

/* All packets from @una to before @psn are acknowledged. */
void requester_moved(struct flow *f, u32 psn);

/* The packet that is timed may be among those that have arrived. */
void requester_measure(struct requester *r);

/* Send all requests again, from the oldest on. */
void requester_rewind(struct requester *r);

/* Something was lost; halve the window. Return: whether the connection goes on. */
bool requester_retries(struct flow *f, enum xroce_cc_loss how);

/* Answers are due: see patience.c. */
void requester_watch(struct flow *f);
void requester_watch_open(struct flow *f);
void requester_watch_close(struct flow *f);

/* The local ACK timeout begins anew. */
void requester_restart(struct requester *r);

/* Send again: see resend.c. Return: whether anything is to be sent. */
bool resend_due(const struct requester *r);
void resend_step(struct flow *f);

/* The end of the part that has @psn. */
u32 requester_part_end(const struct requester *r, u32 psn);

#endif /* XROCE_SIM_REQUESTER_H */
