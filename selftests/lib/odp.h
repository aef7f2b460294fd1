/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated peer (wire.h) of an on-demand region. Like a requester, it sends a request
 * again after an RNR NAK, and counts these.
 */
#ifndef XROCE_ODP_TEST_H
#define XROCE_ODP_TEST_H

#include <sys/types.h>

#include "wire.h"

/**
 * struct odp - an on-demand region, and a queue pair to access it
 * @w: the peer; its request is for the region
 * @mem: memory of the region; at first no page is resident
 * @bytes: length of @mem
 * @mr: the region
 * @rnr: number of RNR NAKs
 * @wait_ms: milliseconds to wait after an RNR NAK, about as long as rxe does; tests that
 *	count RNR NAKs change it
 */
struct odp {
	struct wire w;
	char *mem;
	size_t bytes;
	struct xroce_mr_reg mr;
	unsigned int rnr;
	unsigned int wait_ms;
};

#define ODP_IOVA	0x550000000000ull
#define ODP_MTU		1024u

bool odp_open(struct odp *o, size_t pages);
bool odp_open_opts(struct odp *o, size_t pages, const struct wire_opts *opts);
void odp_close(struct odp *o);

/* A test between odp_open() or odp_open_opts() and odp_close(), whose parameter is o. */
#define ODP_TEST(name, ids, about, pages) \
	ODP_TEST_BY(odp_open(&o, pages), name, ids, about)
#define ODP_TEST_OPTS(name, ids, about, pages, opts...) \
	ODP_TEST_BY(odp_open_opts(&o, pages, opts), name, ids, about)
#define ODP_TEST_BY(open, name, ids, about) \
	TEST_OPENED(odp, o, open, odp_close, name, ids, about)

/* Register the region. odp_open() calls it. */
bool odp_register(struct odp *o);

/* Register the same range of process @pid as @o->mr. The previous region stays. */
bool odp_register_of(struct odp *o, pid_t pid);

/* Replace queue pair and region, after the queue pair went to ERR. */
bool odp_again(struct odp *o);

/*
 * Send the request, and again after each RNR NAK. Check the PSN of the response, and
 * advance the request's PSN after an ACK. Return: the syndrome of the response; -1: there
 * was none.
 */
int odp_request(struct odp *o);

/* The same for a request that has been sent once. */
int odp_answer(struct odp *o);

/* WRITE @len bytes of a pattern at offset @off. Return: as odp_request(). */
int odp_write(struct odp *o, size_t off, uint32_t len, uint8_t pattern);

/* READ @len bytes at offset @off into @buf. Return: as odp_request(). */
int odp_read(struct odp *o, size_t off, uint32_t len, void *buf);

/* Check that @len bytes at @mem have this pattern. */
bool odp_is(const void *mem, uint32_t len, uint8_t pattern);

#define ACKED(call)	odp_check_acked(call, #call)
#define REFUSED(call)	odp_check_refused(call, #call)

/* Print state and counters, to explain why no response, or no ACK, has come. */
void odp_tell(struct odp *o);

/* Check that the syndrome is an ACK; that it is a remote access error. */
void odp_check_acked(int syndrome, const char *what);
void odp_check_refused(int syndrome, const char *what);

/* The answer of MR_QUERY for the region. */
struct xroce_mr_query odp_query(struct odp *o);

/*
 * For live_wait(): whether no page of the region is resident; @arg is a struct odp. The
 * pages of a process are invalidated with its address space, which a fault in progress can
 * keep for a while after the process has been reaped.
 */
bool odp_empty(void *arg);

#endif /* XROCE_ODP_TEST_H */
