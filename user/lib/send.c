// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The send queue of a queue pair. The program writes entries and then the tail, with a release
 * store, and rings the doorbell, a system call; the module copies and executes the entries, and
 * writes the head, likewise, once they are complete. What binds and invalidates windows, it
 * executes before packets, too, so that needs no doorbell.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "priv.h"

struct xroce_send {
	struct xroce *x;
	struct xroce_ring map;
	struct xroce_send_header *ring;
	__u32 entries;
	__u32 stride;
	__u32 max_sge;
	__u32 max_inline;
	__u32 tail;
	__u64 seed;		/* state of the generator of key bytes */
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
	if (getrandom(&send->seed, sizeof(send->seed), 0) != sizeof(send->seed)) {
		free(send);
		errno = EIO;
		return NULL;
	}
	send->x = x;
	send->map.qpn = add.qpn;
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

bool xroce_send_idle(const struct xroce_send *send)
{
	return __atomic_load_n(&send->ring->head, __ATOMIC_ACQUIRE) ==
	       __atomic_load_n(&send->ring->tail, __ATOMIC_RELAXED);
}

int xroce_send_doorbell(struct xroce_send *send)
{
	__atomic_store_n(&send->map.posted, false, __ATOMIC_RELAXED);
	return xroce_doorbell(send->x, send->map.qpn);
}

/*
 * A key byte that a peer cannot guess from earlier ones: SplitMix64 with a random initial state.
 */
__u32 xroce_draw_rkey(struct xroce_send *send, __u32 rkey)
{
	__u32 key;
	__u64 z;

	do {
		z = send->seed += 0x9e3779b97f4a7c15;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		key = (rkey & ~0xffu) | z >> 56;
	} while (key == rkey);
	return key;
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

static __attribute__((noinline)) void write_inline(struct xroce_send_wqe *wqe,
						   const struct xroce_wr *wr)
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

#define SAME(member)							\
	_Static_assert(offsetof(struct xroce_wr, member) ==		\
		       offsetof(struct xroce_send_wqe, member), #member)
SAME(wr_id);
SAME(opcode);
SAME(flags);
SAME(imm_or_key);
SAME(rkey);
SAME(addr);
SAME(length);
SAME(swap_add);
SAME(compare);
SAME(access);
SAME(num_sge);
SAME(sge);

/* The entry may be shorter than the structure. */
static void write_entry(struct xroce_send_wqe *wqe, const struct xroce_wr *wr)
{
	memcpy(wqe, wr, offsetof(struct xroce_wr, sge));
	if (wr->flags & XROCE_SEND_INLINE)
		write_inline(wqe, wr);
	else if (wr->num_sge)
		memcpy(wqe->sge, wr->sge, wr->num_sge * sizeof(*wr->sge));
}

/*
 * Element @i of an array of the caller, at @copy if it has another size. Return: NULL: -E2BIG, see
 * xroce_take().
 */
static const struct xroce_wr *take_wr(struct xroce_wr *copy, const struct xroce_wr *wr, __u32 i,
				      size_t size)
{
	if (__builtin_expect(size == sizeof(*wr), 1))
		return wr + i;
	return xroce_take(copy, sizeof(*copy), (const char *)wr + i * size, size) ? NULL : copy;
}

/* True if the work request sends nothing: it is executed before the next packet that arrives. */
static bool is_local(const struct xroce_wr *wr)
{
	return wr->opcode == XROCE_WR_BIND_MW || wr->opcode == XROCE_WR_LOCAL_INV;
}

int xroce_post_send_sized(struct xroce_send *send, const struct xroce_wr *wr, __u32 n, size_t size)
{
	__u32 head = __atomic_load_n(&send->ring->head, __ATOMIC_ACQUIRE), i;
	char *entries = (char *)send->ring + XROCE_RING_HEADER;
	const struct xroce_wr *one;
	bool doorbell = !n;
	struct xroce_wr copy;

	if (n > send->entries - (send->tail - head))
		return -ENOSPC;
	/* Before they are published, entries that have been written are as good as free. */
	for (i = 0; i < n; i++) {
		one = take_wr(&copy, wr, i, size);
		if (!one)
			return -E2BIG;
		if (!fits(send, one))
			return -EINVAL;
		doorbell |= !is_local(one);
		write_entry((void *)(entries + (size_t)((send->tail + i) & (send->entries - 1)) *
						       send->stride), one);
	}
	send->tail += n;
	/* Publish the entries. Pairs with the module's smp_load_acquire() of the tail. */
	__atomic_store_n(&send->ring->tail, send->tail, __ATOMIC_RELEASE);
	if (doorbell)
		return xroce_send_doorbell(send);
	/* Pairs with xroce_doorbells(), which so sees the tail. */
	__atomic_store_n(&send->map.posted, true, __ATOMIC_RELEASE);
	return 0;
}
