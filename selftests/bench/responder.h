/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A responder. It has the device RESPONDER_DEV in the initial namespace to itself between
 * open() and close(), and a queue pair to the generator, with a region at target::va,
 * between connect() and disconnect().
 */
#ifndef XROCE_BENCH_RESPONDER_H
#define XROCE_BENCH_RESPONDER_H

#include <stdbool.h>
#include <stdint.h>

#define RESPONDER_DEV	"c0"
#define RESPONDER_ADDR	"10.77.0.1"
#define RESPONDER_RXE	"rxe0"
#define RESPONDER_VERBS	"xr0"

/* Address and numbers of the requester, which is not a real host. */
#define PEER_ADDR	"10.77.0.3"
#define PEER_QPN	0x00c0deu
#define PEER_PSN	0x000100u

/* READs and atomics that can be queued; more than the window. */
#define RESPONDER_RD_ATOMIC	128

#define RESPONDER_MEMORY	(4u << 20)
#define RESPONDER_RECEIVE	4096u

/**
 * struct target - a destination of requests
 * @psn: in: the first PSN that the queue pair expects
 * @receives: in: number of receives of RESPONDER_RECEIVE bytes to post, all into the first
 *            bytes of the region
 * @qpn: queue pair number
 * @rkey: R_Key of the region
 * @va: address of its first byte
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
 * @name: name in options and messages
 * @executes: it executes the requests
 * @misdirected: frames must go to an Ethernet address that nobody has
 * @open: take the device; register @memory of RESPONDER_MEMORY bytes
 * @connect: make a queue pair
 * @received: number of receives of all queue pairs that have completed without error since
 *            the last call; NULL if it does not execute requests
 * @dropped: its counter of frames, if it answers none; NULL: no counter
 * @disconnect: destroy the queue pair
 * @close: undo open(), even if that has failed
 *
 * Functions that fail print a message on stderr.
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
extern const struct responder responder_verbs;	/* xroce's verbs device */
extern const struct responder responder_rxe;

/* For responder_xroce: sizes of the tables from the next open() on; 0: default. */
void responder_xroce_tables(uint32_t mpt_entries, uint32_t qp_entries);

/*
 * For responder_xroce: register regions number @first to @end - 1, one page of the memory
 * each, until close(). Spread the regions of @n targets evenly over numbers 0 to @end - 1;
 * @n <= @end.
 */
bool responder_xroce_regions(uint32_t first, uint32_t end,
			     struct target *targets, uint32_t n);

/* Convert "a.b.c.d" to the GID ::ffff:a.b.c.d. */
void responder_gid(const char *text, uint8_t *gid);

#endif /* XROCE_BENCH_RESPONDER_H */
