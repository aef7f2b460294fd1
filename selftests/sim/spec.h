/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run is: words NAME=VALUE. */
#ifndef XROCE_SIM_SPEC_H
#define XROCE_SIM_SPEC_H

#include <stdio.h>

#include <linux/types.h>

#include "link.h"

struct xroce_cc_ops;

enum spec_net {
	SPEC_ONE,	/* all send to one host, through one port of a switch */
	SPEC_TREE,	/* leaves and spines, ECMP; hosts send to hosts of other leaves */
	SPEC_INCAST,	/* likewise; all send to one host */
};

/**
 * struct spec - a run
 * @cc: the algorithm
 * @net: the network
 * @read: data is READ; otherwise it is written
 * @flows: connections that send as much as they may, each of another host as far as there are any
 * @join: of these so many begin after a third of the time
 * @tcp: connections of TCP (cubic.h) that send as much as they may, beside them
 * @mice: connections with one short message at a time, of @mice_size bytes, beside them
 * @rate: of the ports between switches, and of SPEC_ONE's port, bits a second
 * @nic: of hosts
 * @rtt: round-trip time without any queue or transmission, nanoseconds
 * @jitter: of the way of data, nanoseconds
 * @limit: bytes that the queue of a port holds
 * @burst: bytes of a token bucket in place of the transmitter of SPEC_ONE's port; or 0
 * @red: its marking
 * @time: of the run; @warm: of that, before figures are taken; nanoseconds
 * @spread: in which connections begin, nanoseconds
 * @size: bytes of a message; @depth: outstanding; @mtu: path MTU
 * @leaves: switches with hosts; @spines: above them; @hosts: of a leaf
 * @seed: of random numbers
 * @trace: file for queue and rates over time; NULL: none
 * @step: nanoseconds between its lines
 */
struct spec {
	const struct xroce_cc_ops *cc;
	enum spec_net net;
	bool read;
	u64 flows;
	u64 join;
	u64 tcp;
	u64 mice;
	u64 mice_size;
	u64 rate;
	u64 nic;
	u64 rtt;
	u64 jitter;
	u64 limit;
	u64 burst;
	struct red red;
	u64 time;
	u64 warm;
	u64 spread;
	u64 size;
	u64 depth;
	u64 mtu;
	u64 leaves;
	u64 spines;
	u64 hosts;
	u64 seed;
	const char *trace;
	u64 step;
};

/* Two connections at 100 Mbit/s and 1 ms, as in bench/flows.sh. */
void spec_default(struct spec *s);

/* Take over a word. Return: whether it is known. */
bool spec_word(struct spec *s, const char *word);

/* Take over words that blanks divide, which are known. */
void spec_words(struct spec *s, const char *words);

/* Print what there is. */
void spec_help(FILE *to);

#endif /* XROCE_SIM_SPEC_H */
