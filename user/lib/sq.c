// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The send queue of a handle. The program writes entries and then the tail, with a release
 * store; the module copies and applies the entries and then writes the head, likewise.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "priv.h"

struct xroce_sq {
	struct xroce *x;
	struct xroce_ring map;
	struct xroce_sq_header *ring;
	__u32 mask;
	__u32 tail;
	bool busy;		/* spinlock: a thread is posting */
	__u64 seed;		/* state of the generator of key bytes, see key_draw() */
};

static int sq_command_del(struct xroce *x)
{
	struct xroce_sq_del del = { .size = sizeof(del) };

	return xroce_queue_del(x, XROCE_CMD_SQ_DEL, &del);
}

struct xroce_sq *xroce_sq_add(struct xroce *x, __u32 entries)
{
	struct xroce_sq_add add = { .size = sizeof(add), .entries = entries };
	struct xroce_sq *sq = calloc(1, sizeof(*sq));
	int err;

	if (!sq)
		return NULL;
	if (getrandom(&sq->seed, sizeof(sq->seed), 0) != sizeof(sq->seed)) {
		err = -EIO;
		goto out_free;
	}
	err = xroce_command(x->fd, XROCE_CMD_SQ_ADD, &add);
	if (err)
		goto out_free;
	sq->x = x;
	sq->mask = entries - 1;
	err = xroce_ring_map(x, add.offset, add.bytes, &sq->map);
	if (!err) {
		sq->ring = sq->map.mem;
		x->sq = sq;
		return sq;
	}
	sq_command_del(x);
out_free:
	free(sq);
	errno = -err;
	return NULL;
}

int xroce_sq_del(struct xroce_sq *sq)
{
	int err = sq_command_del(sq->x);

	if (err)
		return err;
	sq->x->sq = NULL;
	xroce_ring_unmap(&sq->map);
	free(sq);
	return 0;
}

struct xroce_sq_header *xroce_sq_ring(const struct xroce_sq *sq)
{
	return sq->ring;
}

bool xroce_sq_idle(const struct xroce_sq *sq)
{
	return __atomic_load_n(&sq->ring->head, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&sq->tail, __ATOMIC_RELAXED);
}

int xroce_sq_apply(struct xroce_sq *sq)
{
	struct xroce_sq_apply apply = { .size = sizeof(apply) };

	return xroce_command(sq->x->fd, XROCE_CMD_SQ_APPLY, &apply);
}

/*
 * Post an entry. Threads spin instead of sleeping on a futex, which would be a system call:
 * a post is only a few stores.
 */
static int post(struct xroce_sq *sq, const struct xroce_sq_wqe *wqe)
{
	struct xroce_sq_wqe *entries = (void *)((char *)sq->ring +
						XROCE_RING_HEADER);
	int err = 0;

	while (__atomic_exchange_n(&sq->busy, true, __ATOMIC_ACQUIRE))
		;
	if (sq->tail - __atomic_load_n(&sq->ring->head, __ATOMIC_ACQUIRE) >
	    sq->mask) {
		err = -ENOSPC;
	} else {
		entries[sq->tail & sq->mask] = *wqe;
		__atomic_store_n(&sq->tail, sq->tail + 1, __ATOMIC_RELAXED);
		/* Publish the entry. Pairs with the module's smp_load_acquire() of the tail. */
		__atomic_store_n(&sq->ring->tail, sq->tail, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&sq->busy, false, __ATOMIC_RELEASE);
	return err;
}

static int post_bind(struct xroce_sq *sq, __u32 opcode, const struct xroce_bind *bind)
{
	const struct xroce_sq_wqe wqe = {
		.wr_id = bind->wr_id,
		.opcode = opcode,
		.flags = bind->flags,
		.qpn = bind->qpn,
		.key = bind->rkey,
		.lkey = bind->lkey,
		.access = bind->access,
		.addr = bind->addr,
		.length = bind->length,
	};

	return post(sq, &wqe);
}

int xroce_post_bind_sized(struct xroce_sq *sq, const struct xroce_bind *bind, size_t size)
{
	struct xroce_bind known;
	int err = xroce_take(&known, sizeof(known), bind, size);

	if (!err && known.reserved)
		err = -EINVAL;
	return err ? : post_bind(sq, XROCE_SQ_BIND_MW, &known);
}

int xroce_post_local_inv(struct xroce_sq *sq, __u64 wr_id, __u32 qpn,
			 __u32 rkey, __u32 flags)
{
	const struct xroce_sq_wqe wqe = {
		.wr_id = wr_id,
		.opcode = XROCE_SQ_LOCAL_INV,
		.flags = flags,
		.qpn = qpn,
		.key = rkey,
	};

	return post(sq, &wqe);
}

/*
 * Draw another key byte that a peer cannot guess from earlier ones: SplitMix64 with a random
 * initial state.
 */
static __u32 key_draw(struct xroce_sq *sq, __u32 rkey)
{
	__u32 key;
	__u64 z;

	do {
		z = __atomic_add_fetch(&sq->seed, 0x9e3779b97f4a7c15,
				       __ATOMIC_RELAXED);
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		key = (rkey & ~0xffu) | z >> 56;
	} while (key == rkey);
	return key;
}

int xroce_bind_mw_sized(struct xroce_sq *sq, struct xroce_bind *bind, size_t size)
{
	struct xroce_bind next;
	int err;

	if (!XROCE_HAS(size, struct xroce_bind, rkey))
		return -EINVAL;
	err = xroce_take(&next, sizeof(next), bind, size);
	if (err)
		return err;
	if (next.reserved)
		return -EINVAL;
	next.rkey = key_draw(sq, bind->rkey);
	err = post_bind(sq, XROCE_SQ_BIND_MW_1, &next);
	if (!err)
		bind->rkey = next.rkey;
	return err;
}
