/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings that a provider of libibverbs has mapped from a verbs device, as their program can
 * write to them, and system calls of uverbs without the provider.
 */
#ifndef XROCE_VERBS_RING_H
#define XROCE_VERBS_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_user_rxe.h>

/**
 * struct verbs_ring - a mapped ring
 * @at: its header, in the mapping of the provider
 * @bytes: length of the mapping
 * @offset: its offset for mmap(2)
 * @slots: entries when it was found
 * @stride: bytes of an entry when it was found
 */
struct verbs_ring {
	volatile struct rxe_queue_buf *at;
	size_t bytes;
	uint64_t offset;
	uint32_t slots;
	uint32_t stride;
};

/* Forget what is mapped now; ring_new() finds what has been mapped since. */
void ring_forget(void);

/*
 * Find the ring with this number of entries among those that have been mapped since
 * ring_forget(). Return: false and a failed check if there is not exactly one.
 */
bool ring_new(struct verbs_ring *r, uint32_t slots);

/* An entry. */
void *ring_entry(const struct verbs_ring *r, uint32_t index);

/* Map a ring again, beside the provider's mapping. Return: MAP_FAILED with an errno, too. */
void *ring_map(struct ibv_context *ctx, const struct verbs_ring *r);

/* Ring the doorbell of a send queue, by its handle. Return: 0 or a negative errno. */
int ring_doorbell(struct ibv_context *ctx, uint32_t qp);

/* Change the state of a queue pair, by its handle, to INIT or to one without attributes. */
int ring_modify(struct ibv_context *ctx, uint32_t qp, enum ibv_qp_state state);

/*
 * Resize a shared receive queue, by its handle, with @bytes of driver data: the address @to, for
 * the response. Return: 0 or a negative errno.
 */
int ring_resize_srq(struct ibv_context *ctx, uint32_t srq, uint32_t max_wr, const void *to,
		    size_t bytes);

/* harness_main() with random numbers of $XROCE_SEED, between set-up and clean-up. */
int ring_main(int argc, char **argv, bool (*set_up)(void), void (*clean_up)(void));

#endif /* XROCE_VERBS_RING_H */
