/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of xr0, and beside them those that they must not be used with: of another domain, of
 * another context. A queue pair is connected with one of rxe0.
 */
#ifndef XROCE_VERBS_OBJECT_H
#define XROCE_VERBS_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "mem.h"
#include "verbs_end.h"

#define MESSAGE		64u
#define RW		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

/**
 * struct verbs_objects - the objects, besides those of xr_end and rxe_end
 * @memory: of all regions of xr0
 * @zeros: what is in @memory unless something has been written
 * @peer_message: of the peer, filled with 0xc3
 * @other: another context of xr0
 * @pd2: another domain of xr_end
 * @mr: region that windows may be bound to
 * @mr2: the same in @pd2
 * @unbindable: the same without the right to bind
 * @foreign: the same in @other
 * @peer_mr: region of @peer_message
 * @cq: completion queue of @qp
 * @peer_cq: completion queue of @peer
 * @qp: queue pair of xr_end, connected with @peer
 * @peer: queue pair of rxe_end
 */
struct verbs_objects {
	char memory[2 * MEM_PAGE] __attribute__((aligned(MEM_PAGE)));
	char zeros[2 * MEM_PAGE];
	char peer_message[MESSAGE];
	struct verbs_end other;
	struct ibv_pd *pd2;
	struct ibv_mr *mr, *mr2, *unbindable, *foreign, *peer_mr;
	struct ibv_cq *cq, *peer_cq;
	struct ibv_qp *qp, *peer;
};

extern struct verbs_objects obj;

/* Make them all. Return: false and a failed check on error. */
bool objects_open(void);
void objects_close(void);

/* A region of all of the memory. NULL and a failed check on error. */
struct ibv_mr *objects_reg(struct ibv_pd *pd, int access);

/*
 * A WRITE of the peer with a key, to @at in the memory, is executed, or refused without writing
 * anything. The memory is zero again, and the queue pairs are connected.
 */
void objects_try_write(uint32_t rkey, uint32_t at, bool accept, const char *what);

#endif /* XROCE_VERBS_OBJECT_H */
