/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Entries of a send queue, which are written where the module reads them. */
#ifndef XP_WQE_H
#define XP_WQE_H

#include <errno.h>
#include <string.h>

#include <infiniband/driver.h>

#include "sq.h"

static_assert(sizeof(struct ibv_sge) == sizeof(struct xroce_sge_local), "size");
static_assert((int)IBV_WR_RDMA_WRITE == (int)XROCE_WR_RDMA_WRITE, "opcode");
static_assert((int)IBV_WR_LOCAL_INV == (int)XROCE_WR_LOCAL_INV, "opcode");
static_assert((int)IBV_WR_SEND_WITH_INV == (int)XROCE_WR_SEND_WITH_INV, "opcode");
static_assert((int)IBV_WR_FLUSH == (int)XROCE_WR_FLUSH, "opcode");
static_assert((int)IBV_WR_ATOMIC_WRITE == (int)XROCE_WR_ATOMIC_WRITE, "opcode");
static_assert((int)IBV_SEND_FENCE == (int)XROCE_SEND_FENCE, "flags");
static_assert((int)IBV_SEND_INLINE == (int)XROCE_SEND_INLINE, "flags");

/* Flags that a program can give a work request. */
#define XP_WQE_FLAGS \
	(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)

/* An entry of a message without data. */
static inline void xp_wqe_init(const struct xp_sq *sq, struct xroce_send_wqe *wqe, uint64_t wr_id,
			       uint32_t opcode, uint32_t flags)
{
	memset(wqe, 0, offsetof(struct xroce_send_wqe, sge));
	wqe->wr_id = wr_id;
	wqe->opcode = opcode;
	wqe->flags = flags | sq->flags;
}

static inline void xp_wqe_ud(struct xroce_send_wqe *wqe, uint32_t ah, uint32_t qpn, uint32_t qkey)
{
	wqe->ah = ah;
	wqe->dest_qpn = qpn;
	wqe->qkey = qkey;
}

/* Return: 0; EINVAL: more elements than the queue was made for. */
static inline int xp_wqe_sges(const struct xp_sq *sq, struct xroce_send_wqe *wqe,
			      const struct ibv_sge *sge, size_t n)
{
	if (n > sq->max_sge)
		return EINVAL;
	wqe->num_sge = n;
	if (n)
		memcpy(wqe->sge, sge, n * sizeof(*sge));
	return 0;
}

/* Add to the message. Return: 0; EINVAL: it is longer than the queue was made for. */
static inline int xp_wqe_add(const struct xp_sq *sq, struct xroce_send_wqe *wqe, const void *data,
			     size_t length)
{
	if (length > sq->max_inline - wqe->length)
		return EINVAL;
	if (length)
		memcpy(wqe->data + wqe->length, data, length);
	wqe->length += length;
	return 0;
}

/* The message is what the elements name. Return: as xp_wqe_add(). */
static inline int xp_wqe_inline(const struct xp_sq *sq, struct xroce_send_wqe *wqe,
				const struct ibv_sge *sge, size_t n)
{
	int err = 0;
	size_t i;

	for (i = 0; i < n && !err; i++)
		err = xp_wqe_add(sq, wqe, (const void *)(uintptr_t)sge[i].addr, sge[i].length);
	return err;
}

#endif
