/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connections between rxe and xroce, and the region that rxe works on:
 *
 *   initial namespace: rxe0 on c0  <------>  namespace xr: xroce on x0
 *
 * The region is over a file, with guards on both sides, and the whole file is compared. A
 * failing set-up fails the test.
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

#define RD_ATOMIC	16	/* default number of outstanding READs and atomics */
#define FILE_SIZE	(512u * 1024)	/* bytes of the file */

/**
 * struct server - xroce's side
 * @x: open handle
 * @stat: map of the counters
 * @file: the file that the region is over
 * @pd: protection domain of the queue pairs and of @mr
 * @other_pd: another protection domain
 * @mr: the region
 * @want: expected contents of the file
 * @got: contents of the file when it was last read
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
 * @qpn: number of the server's
 * @rq: receive queue of the server's queue pair; NULL: none, or shared
 * @mtu: path MTU in bytes
 */
struct connection {
	struct ibv_qp *qp;
	uint32_t qpn;
	struct xroce_rq *rq;
	uint32_t mtu;
};

/* Set up and take down both sides, once in a program. */
bool connection_setup(void);
bool connection_setup_sized(size_t size);	/* of the client's buffer */
void connection_teardown(void);

/* harness_main(), then connection_teardown(). */
int connection_main(int argc, char **argv);

/**
 * connection_open() - make a connection
 * @c: out
 * @mtu: path MTU
 * @access: remote rights of the server's queue pair
 * @ipv6: use IPv6 addresses
 */
bool connection_open(struct connection *c, enum ibv_mtu mtu, uint32_t access,
		     bool ipv6);

/**
 * struct connection_opts - options of a connection
 * @timeout: the client's local ACK timeout code
 * @retry: the client's retry count
 * @rnr_retry: the client's RNR retry count; 7: unlimited
 * @cq: the server's completion queue; NULL: no receives
 * @srq: the server's shared receive queue; NULL: an own receive queue
 * @rq_entries: entries of the own receive queue, of two elements each
 */
struct connection_opts {
	uint8_t timeout;
	uint8_t retry;
	uint8_t rnr_retry;
	struct xroce_cq *cq;
	struct xroce_rq *srq;
	uint32_t rq_entries;
};

/* connection_open() with options. */
bool connection_open_opts(struct connection *c, enum ibv_mtu mtu,
			  uint32_t access, bool ipv6,
			  const struct connection_opts *opts);
void connection_close(struct connection *c);

/* Modify the server's queue pair; @what is for the message. */
void connection_modify(struct xroce_qp_modify *modify, const char *what);

/* Put new bytes for @op into the client's buffer and into the expected contents. */
void connection_fill(const struct requester_op *op);

/* Return: number of packets of a message. */
uint32_t connection_packets(uint32_t len, uint32_t mtu);

/*
 * WRITE @len new bytes at offset @off of the region, and compare the file. @delta: expected
 * change of the counters; this adds to it.
 */
void connection_write(struct connection *c, uint32_t off, uint32_t len,
		      struct xroce_stat *delta);

/* Compare the whole file with pread(), not by a mapping. @when: for the message. */
void connection_compare(const char *when);

/**
 * connection_moved() - check the counters since @before
 * @before: counters at the beginning
 * @delta: expected changes; this adds those that follow from them
 * @trailing: later packets of a refused message may have been dropped
 *
 * rxe decides which packets ask for an ACK; each of those must be answered.
 */
void connection_moved(const struct xroce_stat *before,
		      struct xroce_stat *delta, bool trailing);

#endif /* XROCE_CONNECTION_H */
