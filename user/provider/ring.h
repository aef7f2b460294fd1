/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Memory of a queue that is shared with the module: see "Rings" in uapi/xroce.h. */
#ifndef XP_RING_H
#define XP_RING_H

#include <stdbool.h>

#include <infiniband/driver.h>

#include "uapi/rdma/xroce-abi.h"
#include "uapi/xroce.h"

/**
 * struct xp_ring - a mapped ring
 * @mem: the header; NULL: there is no ring
 * @bytes: its length
 * @mask: number of entries - 1
 * @stride: bytes of an entry
 */
struct xp_ring {
	void *mem;
	size_t bytes;
	uint32_t mask;
	uint32_t stride;
};

/*
 * Reserve addresses for a ring of @entries, before the command that makes it: xp_ring_map() then
 * maps it there, and finds them. Return: 0 or an errno.
 */
int xp_ring_reserve(uint32_t entries, uint32_t stride, struct xp_ring *ring);
/*
 * Map the ring that a command returned. @ring: addresses that have been reserved, or zero. Return:
 * 0 or an errno; then @ring is zero.
 */
int xp_ring_map(struct ibv_context *ibctx, const struct xroce_abi_ring *abi, struct xp_ring *ring);
void xp_ring_unmap(struct xp_ring *ring);

/* The entry with a free-running index. */
static inline void *xp_ring_entry(const struct xp_ring *ring, uint32_t index)
{
	return (char *)ring->mem + XROCE_RING_HEADER + (size_t)(index & ring->mask) * ring->stride;
}

#endif
