/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection of xr0, with xroce's own provider, and rxe0, each with a region of its memory.
 * provider.sh makes the devices.
 */
#ifndef XROCE_PROVIDER_END_H
#define XROCE_PROVIDER_END_H

#include "mem.h"
#include "verbs_end.h"

#define OWN_BYTES	(2 * MEM_PAGE)
#define OWN_DEPTH	16u	/* work requests of each queue that are asked for */
#define OWN_INLINE	128u	/* bytes likewise */
#define OWN_SGE		4u	/* elements likewise */
#define OWN_RW		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/**
 * struct own - the connection
 * @memory: of xr0
 * @peer_memory: of rxe0
 * @mr: region of @memory, with rights of OWN_RW, atomics and binding
 * @peer_mr: region of @peer_memory, with all rights
 * @pd2: another domain of xr0
 * @cq: of @qp
 * @peer_cq: of @peer
 * @cap: what @qp has
 * @qp: queue pair of xr0 in RTS, with all operations of ibv_wr_*() if they are asked for
 * @peer: queue pair of rxe0 in RTS
 * @doorbell: descriptor of the doorbell of xr0
 */
struct own {
	char *memory;
	char *peer_memory;
	struct ibv_mr *mr;
	struct ibv_mr *peer_mr;
	struct ibv_pd *pd2;
	struct ibv_cq *cq;
	struct ibv_cq *peer_cq;
	struct ibv_qp_cap cap;
	struct ibv_qp *qp;
	struct ibv_qp *peer;
	int doorbell;
};

/* A test with such a connection. */
#define OWN_TEST(name, ids, about) \
	TEST_OPENED(own, own, own_open(&own, NULL, 0), own_close, name, ids, about)

/*
 * Open it. @cq: completion queue of @qp; NULL: an ordinary one. @ops: send_ops_flags; 0: none.
 * Return: false and a failed check on error.
 */
bool own_open(struct own *own, struct ibv_cq *(*cq)(void), uint64_t ops);
void own_close(struct own *own);

/* Both queue pairs in RTS again. */
bool own_again(struct own *own);

/* A queue pair of xr0 in RESET. @init: what it is made with, but for domain and operations. */
struct ibv_qp *own_qp(struct ibv_pd *pd, struct ibv_qp_init_attr_ex *init);

/* The descriptor of the doorbell of the context that was opened last. */
int own_doorbell(const struct ibv_context *ctx);

/* Cut the doorbell: a system call fails with ESPIPE. Return: for own_mend(). */
int own_cut(int fd);
void own_mend(int fd, int kept);

/* rxe0 writes @bytes to an address of xr0. Return: status of its completion. */
int own_peer_writes(struct own *own, uint32_t rkey, const void *at, uint32_t bytes);

/* The same is executed, or refused and nothing is written. Then both are in RTS. */
void own_try_write(struct own *own, uint32_t rkey, char *at, bool accept, const char *what);

/* A signalled work request of xr0 with memory of @own. */
struct ibv_send_wr own_wr(struct own *own, enum ibv_wr_opcode opcode, struct ibv_sge *sge);

#endif /* XROCE_PROVIDER_END_H */
