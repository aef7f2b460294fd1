// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Memory shared with the module. */
#include <errno.h>
#include <unistd.h>

#include <sys/mman.h>

#include "priv.h"

int xroce_ring_map(struct xroce *x, __u64 offset, __u64 bytes,
		   struct xroce_ring *ring)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, x->fd,
			 offset);

	if (mem == MAP_FAILED)
		return -errno;
	ring->mem = mem;
	ring->bytes = bytes;
	ring->x = x;
	pthread_mutex_lock(&x->lock);
	ring->next = x->rings;
	ring->prev = &x->rings;
	if (ring->next)
		ring->next->prev = &ring->next;
	x->rings = ring;
	x->refs++;
	pthread_mutex_unlock(&x->lock);
	return 0;
}

void xroce_ring_unmap(struct xroce_ring *ring)
{
	struct xroce *x = ring->x;

	pthread_mutex_lock(&x->lock);
	if (ring->mem) {
		munmap(ring->mem, ring->bytes);
		*ring->prev = ring->next;
		if (ring->next)
			ring->next->prev = ring->prev;
	}
	pthread_mutex_unlock(&x->lock);
	xroce_put(x);
}

int xroce_doorbells(struct xroce *x)
{
	const struct xroce_send_header *header;
	struct xroce_ring *ring;
	int err, ret = 0;

	pthread_mutex_lock(&x->lock);
	for (ring = x->rings; ring && ret >= 0; ring = ring->next) {
		header = ring->mem;
		if (!ring->qpn || !__atomic_exchange_n(&ring->posted, false, __ATOMIC_ACQUIRE) ||
		    __atomic_load_n(&header->head, __ATOMIC_ACQUIRE) ==
		    __atomic_load_n(&header->tail, __ATOMIC_RELAXED))
			continue;
		err = xroce_doorbell(x, ring->qpn);
		/* The queue pair may have been destroyed. */
		ret = err && err != -ENOENT ? err : 1;
	}
	pthread_mutex_unlock(&x->lock);
	return ret;
}

void xroce_rings_close(struct xroce *x)
{
	struct xroce_ring *ring;

	pthread_mutex_lock(&x->lock);
	for (ring = x->rings; ring; ring = ring->next) {
		munmap(ring->mem, ring->bytes);
		ring->mem = NULL;
	}
	x->rings = NULL;
	pthread_mutex_unlock(&x->lock);
}
