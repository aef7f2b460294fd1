/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester: prebuilt frames, sent through a packet socket on GENERATOR_DEV in the
 * namespace GENERATOR_NETNS; count.bpf.c counts responses there.
 */
#ifndef XROCE_BENCH_GENERATOR_H
#define XROCE_BENCH_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "op.h"
#include "responder.h"

#define GENERATOR_DEV		"x0"
#define GENERATOR_NETNS		"/run/netns/xr"
#define GENERATOR_WINDOW	64	/* default number of requests in flight */

/* The expected responses. */
enum generator_expect {
	EXPECT_NOTHING,		/* none */
	EXPECT_REQUEST,		/* the request itself */
	EXPECT_RESPONSE,
};

/* Open the socket and attach the program. Return: false after a message. */
bool generator_open(void);
void generator_close(void);

/**
 * struct generator_run - what to send
 * @op: the operation
 * @targets: destinations, used in turn
 * @n_targets: number of destinations
 * @step: increment of the PSN from one request to the next, which has another target; the
 *        first PSN is PEER_PSN
 * @count: requests
 * @window: requests to send before waiting for responses
 * @expect: the expected responses
 * @dropped: counter of frames that are not answered; NULL: none
 * @misdirected: send to an Ethernet address that nobody has
 * @pause: if frames are neither answered nor counted: nanoseconds until a window has left
 */
struct generator_run {
	const struct op *op;
	const struct target *targets;
	uint32_t n_targets;
	uint32_t step;
	uint32_t count;
	uint32_t window;
	enum generator_expect expect;
	const volatile uint64_t *dropped;
	bool misdirected;
	uint64_t pause;
};

/* Build the frames of a run. Return: false after a message. */
bool generator_prepare(const struct generator_run *run);

/* Result of generator_send(). */
enum generator_result {
	GENERATOR_OK,
	GENERATOR_REFUSED,	/* NAK (invalid request) for the first */
	GENERATOR_FAILED,	/* a wrong response, or none */
};

/**
 * generator_send() - send the next @count frames and wait for their responses
 * @count: number of frames
 * @ns: out: duration, without useless polls
 * @why: out: on failure, a text of up to GENERATOR_WHY bytes
 */
enum generator_result generator_send(uint32_t count, uint64_t *ns, char *why);

#define GENERATOR_WHY	128

/*
 * Cost of judging the responses to one request of the run, in nanoseconds as of
 * generator_send(). Return: less than 0 on error, after a message.
 */
double generator_judging(void);

#endif /* XROCE_BENCH_GENERATOR_H */
