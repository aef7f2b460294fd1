/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ends of connections by libibverbs: xr0 on x0 in namespace xr, with xroce, and rxe0 on c0 as
 * its peer. Both are opened in the initial namespace. A script makes the devices (verbs.sh).
 */
#ifndef XROCE_VERBS_END_H
#define XROCE_VERBS_END_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "harness.h"

#define END_PSN		0xfffff0u	/* the first of each connection; wraps early */
#define END_QKEY	0x51515151u

/**
 * struct verbs_end - an open context of a device
 * @ctx: the context; its events are read without waiting
 * @pd: a protection domain
 * @gid_index: index of its IPv4 address of RoCEv2
 * @gid: that address
 * @events: asynchronous events read so far, by type
 */
struct verbs_end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	int gid_index;
	union ibv_gid gid;
	unsigned int events[32];
};

extern struct verbs_end xr_end, rxe_end;

/* Open xr0 and rxe0. Return: false and a failed check on error. */
bool ends_open(void);
void ends_close(void);

/* Open another context of a device; close it. */
bool end_open(struct verbs_end *e, const char *device, const char *address);
void end_close(struct verbs_end *e);

/* Read all asynchronous events that have come. Return: how many of this type, so far. */
unsigned int end_events(struct verbs_end *e, enum ibv_event_type type);

/* Create a queue pair with these queues and depths, in RESET. NULL and a failed check. */
struct ibv_qp *end_qp(struct verbs_end *e, enum ibv_qp_type type, struct ibv_cq *send_cq,
		      struct ibv_cq *recv_cq, struct ibv_srq *srq, uint32_t sends,
		      uint32_t receives);

/* Change to a state, with no attributes. Return: 0 or an errno. */
int end_state(struct ibv_qp *qp, enum ibv_qp_state state);

/*
 * Change to the next state @to, from the one before. @e has the queue pair, and @peer the one
 * that @peer_qpn names. Return: 0 or an errno.
 */
int end_step(const struct verbs_end *e, struct ibv_qp *qp, const struct verbs_end *peer,
	     uint32_t peer_qpn, enum ibv_qp_state to);

/*
 * Bring a queue pair to @to by way of RESET and INIT. Arguments and result as above.
 */
int end_move(const struct verbs_end *e, struct ibv_qp *qp, const struct verbs_end *peer,
	     uint32_t peer_qpn, enum ibv_qp_state to);

/* Connect a queue pair of xr0 and one of rxe0 to each other, both in RTS. */
bool ends_connect(struct ibv_qp *xr, struct ibv_qp *rxe);

/* Wait for a completion. Return: its status; -1: none has come. */
int end_wait(struct ibv_cq *cq, struct ibv_wc *wc);

#endif /* XROCE_VERBS_END_H */
