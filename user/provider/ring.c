// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <sys/mman.h>

#include "ring.h"

int xp_ring_map(struct ibv_context *ibctx, const struct xroce_abi_ring *abi, struct xp_ring *ring)
{
	void *mem;

	*ring = (struct xp_ring){};
	if (!abi->bytes)
		return 0;
	mem = mmap(NULL, abi->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ibctx->cmd_fd,
		   abi->offset);
	if (mem == MAP_FAILED)
		return errno;
	ring->mem = mem;
	ring->bytes = abi->bytes;
	ring->mask = abi->entries - 1;
	ring->stride = abi->stride;
	return 0;
}

void xp_ring_unmap(struct xp_ring *ring)
{
	if (ring->mem)
		munmap(ring->mem, ring->bytes);
	ring->mem = NULL;
}
