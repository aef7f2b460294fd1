// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <unistd.h>

#include <sys/mman.h>

#include "ring.h"

/* The module makes no ring of fewer entries. */
#define LEAST	64u

static size_t page_align(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

int xp_ring_reserve(uint32_t entries, uint32_t stride, struct xp_ring *ring)
{
	/* The module rounds up to a power of two: less than twice as many. */
	size_t bytes = page_align(XROCE_RING_HEADER +
				  2 * (size_t)(entries < LEAST ? LEAST : entries) * stride);
	void *mem = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			 0);

	*ring = (struct xp_ring){};
	if (mem == MAP_FAILED)
		return errno;
	ring->mem = mem;
	ring->bytes = bytes;
	return 0;
}

/* Where it was reserved, of which the rest is given back; or anywhere. */
static void *map(int fd, const struct xroce_abi_ring *abi, const struct xp_ring *reserved)
{
	size_t bytes = page_align(abi->bytes);
	bool fits = reserved->bytes >= bytes;
	void *mem = mmap(fits ? reserved->mem : NULL, abi->bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | (fits ? MAP_FIXED : 0), fd, abi->offset);

	if (mem != MAP_FAILED && fits && reserved->bytes > bytes)
		munmap((char *)mem + bytes, reserved->bytes - bytes);
	else if (!fits && reserved->mem)
		munmap(reserved->mem, reserved->bytes);
	return mem;
}

int xp_ring_map(struct ibv_context *ibctx, const struct xroce_abi_ring *abi, struct xp_ring *ring)
{
	struct xp_ring reserved = *ring;
	void *mem;

	*ring = (struct xp_ring){};
	if (!abi->bytes) {
		xp_ring_unmap(&reserved);
		return 0;
	}
	mem = map(ibctx->cmd_fd, abi, &reserved);
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
