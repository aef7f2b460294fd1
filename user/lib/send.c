// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The send queue of a queue pair. The program writes entries and then the tail, with a release
 * store, and rings the doorbell, a system call; the module copies and executes the entries, and
 * writes the head, likewise, once they are complete.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "priv.h"

struct xroce_send {
	struct xroce *x;
	struct xroce_ring map;
	struct xroce_send_header *ring;
	__u32 qpn;
	__u32 entries;
	__u32 stride;
	__u32 max_sge;
	__u32 max_inline;
	__u32 tail;
};

struct xroce_send *xroce_send_open_sized(struct xroce *x, const struct xroce_qp_add *arg,
					 size_t size)
{
	struct xroce_send *send;
	struct xroce_qp_add add;
	int err;

	xroce_give(&add, sizeof(add), arg, size);
	/* A structure that ends before send_bytes has no queue. */
	if (!add.send_entries || !add.send_bytes) {
		errno = EINVAL;
		return NULL;
	}
	send = calloc(1, sizeof(*send));
	if (!send)
		return NULL;
	send->x = x;
	send->qpn = add.qpn;
	send->entries = add.send_entries;
	send->stride = add.send_stride;
	send->max_sge = add.send_max_sge;
	send->max_inline = add.send_max_inline;
	err = xroce_ring_map(x, add.send_offset, add.send_bytes, &send->map);
	if (err) {
		free(send);
		errno = -err;
		return NULL;
	}
	send->ring = send->map.mem;
	return send;
}

void xroce_send_close(struct xroce_send *send)
{
	xroce_ring_unmap(&send->map);
	free(send);
}

struct xroce_send_header *xroce_send_ring(const struct xroce_send *send)
{
	return send->ring;
}

/* Bytes of the message that an inline work request contains. */
static __u64 inline_bytes(const struct xroce_wr *wr)
{
	__u64 bytes = 0;
	__u32 i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sge[i].length;
	return bytes;
}

static bool fits(const struct xroce_send *send, const struct xroce_wr *wr)
{
	if (wr->num_sge && !wr->sge)
		return false;
	if (wr->flags & XROCE_SEND_INLINE)
		return wr->num_sge <= XROCE_SEND_SGE_MAX &&
		       inline_bytes(wr) <= send->max_inline;
	return wr->num_sge <= send->max_sge;
}

static void write_inline(struct xroce_send_wqe *wqe, const struct xroce_wr *wr)
{
	__u8 *to = wqe->data;
	__u32 i;

	for (i = 0; i < wr->num_sge; i++) {
		if (wr->sge[i].length)
			memcpy(to, (const void *)(uintptr_t)wr->sge[i].addr, wr->sge[i].length);
		to += wr->sge[i].length;
	}
	wqe->length = to - wqe->data;
	wqe->num_sge = 0;
}

/* The entry may be shorter than the structure. */
static void write_entry(struct xroce_send_wqe *wqe, const struct xroce_wr *wr)
{
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->flags;
	wqe->imm_or_key = wr->imm_or_key;
	wqe->rkey = wr->rkey;
	wqe->addr = wr->addr;
	wqe->length = wr->length;
	wqe->swap_add = wr->swap_add;
	wqe->compare = wr->compare;
	wqe->access = wr->access;
	wqe->num_sge = wr->num_sge;
	if (wr->flags & XROCE_SEND_INLINE)
		write_inline(wqe, wr);
	else if (wr->num_sge)
		memcpy(wqe->sge, wr->sge, wr->num_sge * sizeof(*wr->sge));
}

/* Element @i of an array of the caller. Return: 0 or -E2BIG, see xroce_take(). */
static int take_wr(struct xroce_wr *to, const struct xroce_wr *wr, __u32 i, size_t size)
{
	return xroce_take(to, sizeof(*to), (const char *)wr + i * size, size);
}

int xroce_post_send_sized(struct xroce_send *send, const struct xroce_wr *wr, __u32 n, size_t size)
{
	__u32 head = __atomic_load_n(&send->ring->head, __ATOMIC_ACQUIRE), i;
	struct xroce_qp_send doorbell = { .size = sizeof(doorbell), .qpn = send->qpn };
	char *entries = (char *)send->ring + XROCE_RING_HEADER;
	struct xroce_wr one;
	int err;

	if (n > send->entries - (send->tail - head))
		return -ENOSPC;
	for (i = 0; i < n; i++) {
		err = take_wr(&one, wr, i, size);
		if (err)
			return err;
		if (!fits(send, &one))
			return -EINVAL;
	}
	for (i = 0; i < n; i++, send->tail++) {
		take_wr(&one, wr, i, size);
		write_entry((void *)(entries + (size_t)(send->tail & (send->entries - 1)) *
						       send->stride), &one);
	}
	/* Publish the entries. Pairs with the module's smp_load_acquire() of the tail. */
	__atomic_store_n(&send->ring->tail, send->tail, __ATOMIC_RELEASE);
	return xroce_command(send->x->fd, XROCE_CMD_QP_SEND, &doorbell);
}
