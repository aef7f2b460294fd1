/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What answers. It has the device RESPONDER_DEV in the initial namespace to
 * itself between open() and close(), and a queue pair towards the generator
 * between connect() and disconnect(), with a region at target::va.
 */
#ifndef XROCE_BENCH_RESPONDER_H
#define XROCE_BENCH_RESPONDER_H

#include <stdbool.h>
#include <stdint.h>

#define RESPONDER_DEV	"c0"
#define RESPONDER_ADDR	"10.77.0.1"
#define RESPONDER_RXE	"rxe0"

/* Of the requester that there is not. */
#define PEER_ADDR	"10.77.0.3"
#define PEER_QPN	0x00c0deu
#define PEER_PSN	0x000100u

/* READs and atomics that may wait for their replies; more than the window. */
#define RESPONDER_RD_ATOMIC	128

#define RESPONDER_MEMORY	(4u << 20)

/**
 * struct target - what a request names
 * @qpn: queue pair
 * @rkey: key of the region
 * @va: its first byte
 */
struct target {
	uint32_t qpn;
	uint32_t rkey;
	uint64_t va;
};

/**
 * struct responder - one kind of responder
 * @name: what options and messages call it
 * @executes: it does what requests ask for
 * @open: take the device; @memory of RESPONDER_MEMORY bytes is to be registered
 * @connect: make a queue pair, which expects PEER_PSN first
 * @disconnect: destroy it
 * @close: undo open(), whatever came of it
 *
 * What fails says so on stderr.
 */
struct responder {
	const char *name;
	bool executes;
	bool (*open)(void *memory);
	bool (*connect)(struct target *target);
	void (*disconnect)(void);
	void (*close)(void);
};

extern const struct responder responder_drop;
extern const struct responder responder_bounce;
extern const struct responder responder_xroce;
extern const struct responder responder_rxe;

/* "a.b.c.d" as ::ffff:a.b.c.d */
void responder_gid(const char *text, uint8_t *gid);

#endif /* XROCE_BENCH_RESPONDER_H */
