/* SPDX-License-Identifier: GPL-2.0-only */
/* One end of a connection by libibverbs, for benchmarks. An error ends the program. */
#ifndef XROCE_BENCH_RC_END_H
#define XROCE_BENCH_RC_END_H

#include <stdbool.h>
#include <stddef.h>

#include <infiniband/verbs.h>

#define RC_END_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/**
 * struct rc_end - one end
 * @channel: of @cq
 * @cq: of both queues, with room for all their requests
 * @memory: @length bytes, zero at first
 */
struct rc_end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	union ibv_gid gid;
	int gid_index;
	char *memory;
	size_t length;
};

/* If not @ok, print @what with errno, and exit. */
void needs(bool ok, const char *what);

/* @depth: requests of each queue */
void rc_end_open(struct rc_end *e, const char *device, const char *address, size_t length,
		 unsigned int depth);

/* @timeout: code of the local ACK timeout */
void rc_end_connect(struct rc_end *e, const struct rc_end *peer, unsigned int timeout);

/* Hand all completions to @handle, and ask for an event at the next one. */
void rc_end_completions(struct rc_end *e, void (*handle)(const struct ibv_wc *wc, void *arg),
			void *arg);

/* The same after the event for which e->channel->fd can be read. */
void rc_end_event(struct rc_end *e, void (*handle)(const struct ibv_wc *wc, void *arg), void *arg);
void rc_end_close(struct rc_end *e);

#endif /* XROCE_BENCH_RC_END_H */
