// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Completion queues. The module writes entries and then the tail, with release
 * order; the program reads them and then writes the head.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <sys/epoll.h>

#include "priv.h"

/* Polls in vain before a program that has posted is taken to wait for it. */
#define PATIENCE	10000

struct xroce_cq {
	struct xroce *x;
	struct xroce_ring map;
	struct xroce_cq_header *ring;
	__u32 id;
	__u32 mask;
	__u32 head;
	__u32 vain;
	int epoll;		/* for xroce_cq_wait(); -1: not made yet */
};

struct xroce_cq *xroce_cq_add(struct xroce *x, __u32 entries)
{
	struct xroce_cq_add add = { .size = sizeof(add), .entries = entries };
	struct xroce_cq_del del = { .size = sizeof(del) };
	struct xroce_cq *cq;
	int err;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return NULL;
	err = xroce_command(x->fd, XROCE_CMD_CQ_ADD, &add);
	if (err)
		goto out_free;
	cq->x = x;
	cq->id = add.cq;
	cq->mask = entries - 1;
	cq->epoll = -1;
	err = xroce_ring_map(x, add.offset, add.bytes, &cq->map);
	cq->ring = cq->map.mem;
	if (!err)
		return cq;
	del.cq = add.cq;
	xroce_command(x->fd, XROCE_CMD_CQ_DEL, &del);
out_free:
	free(cq);
	errno = -err;
	return NULL;
}

int xroce_cq_del(struct xroce_cq *cq)
{
	struct xroce_cq_del del = { .size = sizeof(del), .cq = cq->id };
	int err = xroce_queue_del(cq->x, XROCE_CMD_CQ_DEL, &del);

	if (err)
		return err;
	if (cq->epoll >= 0)
		close(cq->epoll);
	xroce_ring_unmap(&cq->map);
	free(cq);
	return 0;
}

__u32 xroce_cq_id(const struct xroce_cq *cq)
{
	return cq->id;
}

struct xroce_cq_header *xroce_cq_ring(const struct xroce_cq *cq)
{
	return cq->ring;
}

int xroce_cq_poll(struct xroce_cq *cq, struct xroce_cqe *cqe, int n)
{
	const struct xroce_cqe *entries = (void *)((char *)cq->ring +
						   XROCE_RING_HEADER);
	__u32 tail = __atomic_load_n(&cq->ring->tail, __ATOMIC_ACQUIRE);
	int i;

	for (i = 0; i < n && cq->head != tail; i++)
		cqe[i] = entries[cq->head++ & cq->mask];
	if (i) {
		cq->vain = 0;
		__atomic_store_n(&cq->ring->head, cq->head, __ATOMIC_RELEASE);
	} else if (__atomic_load_n(&cq->ring->overflow, __ATOMIC_RELAXED)) {
		return -EOVERFLOW;
	} else if (cq->x->sq && ++cq->vain == PATIENCE) {
		cq->vain = 0;
		if (!xroce_sq_idle(cq->x->sq))
			xroce_sq_apply(cq->x->sq);
	}
	return i;
}

bool xroce_cq_arm(struct xroce_cq *cq, bool solicited)
{
	__atomic_store_n(&cq->ring->arm, solicited ? XROCE_CQ_ARM_SOLICITED :
						     XROCE_CQ_ARM_NEXT,
			 __ATOMIC_SEQ_CST);
	/* What came before the arm wakes nobody. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&cq->ring->tail, __ATOMIC_ACQUIRE) != cq->head;
}

/* Milliseconds of CLOCK_MONOTONIC. */
static __s64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

/*
 * The descriptor is ready as long as any queue of the handle has completed since it
 * was armed. Edges, which only epoll reports, tell one completion from the next, so
 * that another queue that nobody reads does not keep this one awake.
 */
static int cq_epoll(struct xroce_cq *cq)
{
	/* POLLPRI: an asynchronous event, the overflow of the queue among them. */
	struct epoll_event event = { .events = EPOLLIN | EPOLLPRI | EPOLLET };
	int fd, err;

	if (cq->epoll >= 0)
		return 0;
	fd = epoll_create1(EPOLL_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (epoll_ctl(fd, EPOLL_CTL_ADD, cq->x->fd, &event) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	cq->epoll = fd;
	return 0;
}

int xroce_cq_wait(struct xroce_cq *cq, struct xroce_cqe *cqe, int n, int timeout)
{
	__s64 end = now() + timeout, left = timeout;
	struct epoll_event event;
	int got, err;

	if (n <= 0)
		return -EINVAL;
	err = cq_epoll(cq);
	if (err)
		return err;
	for (;;) {
		got = xroce_cq_poll(cq, cqe, n);
		if (got || !left)
			return got;
		if (xroce_cq_arm(cq, false))
			continue;
		/* What has been posted completes when it has been applied. */
		if (cq->x->sq && !xroce_sq_idle(cq->x->sq)) {
			err = xroce_sq_apply(cq->x->sq);
			if (err)
				return err;
			continue;
		}
		if (epoll_wait(cq->epoll, &event, 1, left < INT_MAX ? left : INT_MAX) < 0)
			return -errno;
		if (timeout >= 0) {
			left = end - now();
			if (left < 0)
				left = 0;
		}
	}
}
