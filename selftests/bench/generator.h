/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester: frames made beforehand, sent through a packet socket on
 * GENERATOR_DEV in the namespace GENERATOR_NETNS, and responses counted by
 * count.bpf.c there.
 */
#ifndef XROCE_BENCH_GENERATOR_H
#define XROCE_BENCH_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "op.h"
#include "responder.h"

#define GENERATOR_DEV		"x0"
#define GENERATOR_NETNS		"/run/netns/xr"
#define GENERATOR_WINDOW	64	/* requests in flight, where nothing else is said */

/* What a response must be. */
enum generator_expect {
	EXPECT_NOTHING,		/* nobody answers */
	EXPECT_REQUEST,		/* the request comes back */
	EXPECT_RESPONSE,
};

/* Open the socket and attach the program. Return: false after a message. */
bool generator_open(void);
void generator_close(void);

/**
 * struct generator_run - what to send
 * @op: the operation
 * @targets: where to, one after the other and again
 * @n_targets: how many there are
 * @step: the sequence number of a request is so much more than that of the one
 *	before, which was to another target; the first one's is PEER_PSN
 * @count: requests
 * @window: how many are sent before responses are awaited
 * @expect: what the responses are
 * @dropped: where frames are counted that are not answered; NULL: nowhere
 * @misdirected: frames are for the Ethernet address of nobody
 * @pause: of frames that are neither answered nor counted: ns until a window has left
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

/* Make the frames of a run. Return: false after a message. */
bool generator_prepare(const struct generator_run *run);

/* What came of generator_send(). */
enum generator_result {
	GENERATOR_OK,
	GENERATOR_REFUSED,	/* the first was: NAK, invalid request */
	GENERATOR_FAILED,	/* a false response, or none */
};

/**
 * generator_send() - send the next @count frames and wait for their responses
 * @count: how many
 * @ns: out: time it took, without polling in vain
 * @why: out: when it fails, a text of GENERATOR_WHY bytes
 */
enum generator_result generator_send(uint32_t count, uint64_t *ns, char *why);

#define GENERATOR_WHY	128

/*
 * What judging the responses to a request of the run costs, by the clock of
 * generator_send(); less than 0: an error, after a message.
 */
double generator_judging(void);

#endif /* XROCE_BENCH_GENERATOR_H */
