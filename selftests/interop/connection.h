/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections between rxe and xroce, and the region that rxe works on:
 *
 *   initial namespace: rxe0 on c0  <------>  namespace xr: xroce on x0
 *
 * The region lies over a file, with guards on both sides, and all of the file is
 * compared. Failures of the set-up fail the test.
 */
#ifndef XROCE_CONNECTION_H
#define XROCE_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "harness.h"
#include "libxroce.h"
#include "requester.h"
#include "xroce_map.h"

#define REGION_OFF	(3u * 4096 + 0x235)	/* in the file */
#define REGION_LEN	(400u * 1024 + 77)
#define IOVA		0x7e1234567123ull

#define RIGHT		XROCE_ACCESS_REMOTE_WRITE
#define RIGHTS		(RIGHT | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC)
#define ACCESS_WRITE	(XROCE_ACCESS_LOCAL_WRITE | RIGHT)
#define ACCESS_ALL	(XROCE_ACCESS_LOCAL_WRITE | RIGHTS)

#define RD_ATOMIC	16	/* READs and atomics outstanding, by default */
#define FILE_SIZE	(512u * 1024)	/* what the region lies over */

/**
 * struct server - xroce's side
 * @x: open handle
 * @stat: map of the counters
 * @file: what the region lies over
 * @pd: protection domain of the queue pairs and of @mr
 * @other_pd: another one
 * @mr: the region
 * @want: what the file has to hold
 * @got: what it held at last
 */
struct server {
	struct xroce *x;
	int stat;
	int file;
	uint32_t pd;
	uint32_t other_pd;
	struct xroce_mr_reg mr;
	uint8_t *want;
	uint8_t *got;
};

extern struct server server;
extern struct requester client;

/**
 * struct connection - two queue pairs
 * @qp: the client's
 * @qpn: the server's
 * @rq: the server's receive queue, if it has one of its own
 * @mtu: path MTU in bytes
 */
struct connection {
	struct ibv_qp *qp;
	uint32_t qpn;
	struct xroce_rq *rq;
	uint32_t mtu;
};

/* Both sides, for all tests of a program. */
bool connection_setup(void);
bool connection_setup_sized(size_t size);	/* of the client's buffer */
void connection_teardown(void);

/* harness_main(), and all taken down after it. */
int connection_main(int argc, char **argv, const struct test *tests, size_t n);

/**
 * connection_open() - a new connection
 * @c: out
 * @mtu: path MTU
 * @access: remote rights of the server's queue pair
 * @ipv6: whether addresses are IPv6
 */
bool connection_open(struct connection *c, enum ibv_mtu mtu, uint32_t access,
		     bool ipv6);

/**
 * struct connection_opts - what else there is to choose
 * @timeout: the client's local ACK timeout code
 * @retry: times that the client sends again
 * @rnr_retry: times that it does so when the server was not ready; 7: for ever
 * @cq: the server's completion queue; NULL: it receives nothing
 * @srq: its shared receive queue; NULL: one of its own
 * @rq_entries: of its own receive queue, of two elements each
 */
struct connection_opts {
	uint8_t timeout;
	uint8_t retry;
	uint8_t rnr_retry;
	struct xroce_cq *cq;
	struct xroce_rq *srq;
	uint32_t rq_entries;
};

/* The same. */
bool connection_open_opts(struct connection *c, enum ibv_mtu mtu,
			  uint32_t access, bool ipv6,
			  const struct connection_opts *opts);
void connection_close(struct connection *c);

/* Change the server's queue pair; @what is for the message. */
void connection_modify(struct xroce_qp_modify *modify, const char *what);

/* New bytes for @op, in the client's buffer and in what is expected. */
void connection_fill(const struct requester_op *op);

/* Packets of a message. */
uint32_t connection_packets(uint32_t len, uint32_t mtu);

/*
 * WRITE @len new bytes at @off of the region, and compare the file. @delta: what
 * the counters have to move by; this adds to it.
 */
void connection_write(struct connection *c, uint32_t off, uint32_t len,
		      struct xroce_stat *delta);

/* Compare the file, guards included, and not by a mapping. */
void connection_compare(const char *when);

/**
 * connection_moved() - check the counters since @before
 * @before: counters then
 * @delta: what has moved since; this adds what follows from it
 * @trailing: more packets of a refused message may have come, into silence
 *
 * How many packets ask for an ACK is rxe's business, that each of them is
 * answered is ours.
 */
void connection_moved(const struct xroce_stat *before,
		      struct xroce_stat *delta, bool trailing);

#endif /* XROCE_CONNECTION_H */
