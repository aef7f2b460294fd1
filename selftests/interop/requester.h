/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A requester on libibverbs: queue pairs of one device, and requests with their
 * completions. A failing set-up fails the test.
 */
#ifndef XROCE_REQUESTER_H
#define XROCE_REQUESTER_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#define REQUESTER_DEPTH	64	/* requests in flight on each queue pair */

/**
 * struct requester - an open device with a buffer to write from
 * @ctx: device
 * @pd: protection domain
 * @cq: completion queue of all queue pairs
 * @mr: region of @buf
 * @buf: buffer of requests
 * @size: bytes of @buf
 */
struct requester {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *buf;
	size_t size;
};

/**
 * struct requester_path - attributes of a connection
 * @sgid: own address, IPv4 as ::ffff:a.b.c.d
 * @dgid: peer's address
 * @dest_qpn: peer's queue pair number
 * @sq_psn: first PSN
 * @mtu: path MTU
 * @timeout: local ACK timeout code
 * @retry: retry count
 * @rnr_retry: RNR retry count; 7: unlimited
 * @rd_atomic: READs and atomics that may be outstanding
 */
struct requester_path {
	uint8_t sgid[16];
	uint8_t dgid[16];
	uint32_t dest_qpn;
	uint32_t sq_psn;
	enum ibv_mtu mtu;
	uint8_t timeout;
	uint8_t retry;
	uint8_t rnr_retry;
	uint8_t rd_atomic;
};

bool requester_open(struct requester *requester, const char *device, size_t size);
void requester_close(struct requester *requester);

/* Make a queue pair in state INIT, which can send ATOMIC WRITE. Return: NULL on error. */
struct ibv_qp *requester_qp_add(struct requester *requester);

/* Bring it to RTS. */
bool requester_qp_connect(struct requester *requester, struct ibv_qp *qp,
		       const struct requester_path *path);

/**
 * struct requester_op - a request
 * @opcode: IBV_WR_RDMA_WRITE and others
 * @off: offset of its data in the requester's buffer; unused by ATOMIC WRITE
 * @len: bytes; 8 for an atomic operation
 * @va: remote address
 * @rkey: remote key
 * @compare: CMP_SWAP: value to compare with
 * @operand: CMP_SWAP and ATOMIC WRITE: value to store; FETCH_ADD: value to add
 * @imm: immediate data, in network byte order
 * @id: for the completion
 * @solicited: solicited event
 */
struct requester_op {
	enum ibv_wr_opcode opcode;
	uint32_t off;
	uint32_t len;
	uint64_t va;
	uint32_t rkey;
	uint64_t compare;
	uint64_t operand;
	uint64_t id;
	uint32_t imm;
	bool solicited;
};

bool requester_post(struct requester *requester, struct ibv_qp *qp,
		 const struct requester_op *op);

/* Wait for the next completion. Return: enum ibv_wc_status, or -1 on timeout. */
int requester_wait(struct requester *requester);

/* The same; @wc has at least the id of the request. */
int requester_wait_for(struct requester *requester, struct ibv_wc *wc);

/* Post a request and wait for it. */
int requester_do(struct requester *requester, struct ibv_qp *qp,
	      const struct requester_op *op);

#endif /* XROCE_REQUESTER_H */
