/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up peer (wire.h) of a on-demand region: it comes again when it is told
 * to, as a requester does, and counts how often that is.
 */
#ifndef XROCE_ODP_TEST_H
#define XROCE_ODP_TEST_H

#include <sys/types.h>

#include "wire.h"

/**
 * struct odp - a on-demand region, and a queue pair to reach it by
 * @w: the peer; its request goes to the region
 * @mem: memory of the region, of which nothing is there
 * @bytes: how much
 * @mr: the region
 * @rnr: times that the peer was told to come again
 * @wait_ms: how long it waits then; as rxe does, but for who counts
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

/* Register the region. odp_open() has done so. */
bool odp_register(struct odp *o);

/* Register the same range of another process. It is the region then; the other stays. */
bool odp_register_of(struct odp *o, pid_t pid);

/* Another queue pair, as the first one is in error. */
bool odp_again(struct odp *o);

/*
 * Send the request until it is not told to come again. Return: the syndrome of
 * the answer, whose PSN is right, and the PSN has moved on if it is an ACK; -1:
 * there was none.
 */
int odp_request(struct odp *o);

/* The same, of a request that has been sent once. */
int odp_answer(struct odp *o);

/* WRITE @len bytes of a pattern at @off. Return: as odp_request(). */
int odp_write(struct odp *o, size_t off, uint32_t len, uint8_t pattern);

/* READ into @buf. Return: as odp_request(). */
int odp_read(struct odp *o, size_t off, uint32_t len, void *buf);

/* @len bytes at @mem are that pattern. */
bool odp_is(const void *mem, uint32_t len, uint8_t pattern);

#define ACKED(call)	odp_check_acked(call, #call)
#define REFUSED(call)	odp_check_refused(call, #call)

/* Note where it is that nothing comes, or no end. */
void odp_tell(struct odp *o);

/* An ACK; a remote access error. */
void odp_check_acked(int syndrome, const char *what);
void odp_check_refused(int syndrome, const char *what);

/* What MR_QUERY says. */
struct xroce_mr_query odp_query(struct odp *o);

/*
 * For live_wait(): no page of the region @arg, a struct odp, is there. A process's go
 * with its address space, which a fault that is being served can keep for a while after
 * the process has been reaped.
 */
bool odp_empty(void *arg);

#endif /* XROCE_ODP_TEST_H */
