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

/* READs and atomics that may wait for their responses; more than the window. */
#define RESPONDER_RD_ATOMIC	128

#define RESPONDER_MEMORY	(4u << 20)
#define RESPONDER_RECEIVE	4096u

/**
 * struct target - what a request names
 * @psn: in: the first sequence number that the queue pair expects
 * @receives: in: how many receives of RESPONDER_RECEIVE bytes, all into the
 *	region's first bytes, are posted to it
 * @qpn: queue pair
 * @rkey: key of the region
 * @va: its first byte
 */
struct target {
	uint32_t psn;
	uint32_t receives;
	uint32_t qpn;
	uint32_t rkey;
	uint64_t va;
};

/**
 * struct responder - one kind of responder
 * @name: what options and messages call it
 * @executes: it does what requests ask for
 * @misdirected: it wants frames for the Ethernet address of nobody
 * @open: take the device; @memory of RESPONDER_MEMORY bytes is to be registered
 * @connect: make a queue pair
 * @received: how many receives of all queue pairs have completed without error
 *	since it was last asked; NULL when it does not execute
 * @dropped: where it counts the frames it has got, if it answers none; NULL: it
 *	counts none
 * @disconnect: destroy the queue pair
 * @close: undo open(), whatever came of it
 *
 * What fails says so on stderr.
 */
struct responder {
	const char *name;
	bool executes;
	bool misdirected;
	bool (*open)(void *memory);
	bool (*connect)(struct target *target);
	uint32_t (*received)(void);
	const volatile uint64_t *(*dropped)(void);
	void (*disconnect)(const struct target *target);
	void (*close)(void);
};

extern const struct responder responder_drop;
extern const struct responder responder_drop_counted;
extern const struct responder responder_drop_skb;
extern const struct responder responder_bounce;
extern const struct responder responder_xroce;
extern const struct responder responder_rxe;

/*
 * Of responder_xroce. How many entries the tables of its next open() have; 0: the
 * usual number.
 */
void responder_xroce_tables(uint32_t mpt_entries, uint32_t qp_entries);

/*
 * Register regions number @first to @end - 1, a page of the memory each; they stay
 * until close(). Let the regions of @n targets be evenly spread from number 0 to
 * @end - 1; there are no more of them than of these.
 */
bool responder_xroce_regions(uint32_t first, uint32_t end,
			     struct target *targets, uint32_t n);

/* "a.b.c.d" as ::ffff:a.b.c.d */
void responder_gid(const char *text, uint8_t *gid);

#endif /* XROCE_BENCH_RESPONDER_H */
