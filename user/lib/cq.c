// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Completion queues. The module writes entries and then the tail, with a release store; the
 * program reads the entries and then writes the head, with a release store.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/epoll.h>

#include "clock.h"
#include "priv.h"

/*
 * After so many polls in a row that found nothing, xroce_cq_poll() assumes that the program
 * waits for a posted work request, and has posted work requests executed.
 */
#define PATIENCE	10000

struct xroce_cq {
	struct xroce *x;
	struct xroce_ring map;
	struct xroce_cq_header *ring;
	__u32 id;
	__u32 mask;
	__u32 head;
	__u32 vain;		/* polls in a row that found nothing, see PATIENCE */
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

int xroce_cq_moderate(struct xroce_cq *cq, __u32 count, __u32 usec)
{
	struct xroce_cq_moderate moderate = {
		.size = sizeof(moderate), .cq = cq->id, .count = count, .usec = usec,
	};

	return xroce_command(cq->x->fd, XROCE_CMD_CQ_MODERATE, &moderate);
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
	} else if (++cq->vain == PATIENCE) {
		cq->vain = 0;
		xroce_doorbells(cq->x);
	}
	return i;
}

bool xroce_cq_arm(struct xroce_cq *cq, bool solicited)
{
	__atomic_store_n(&cq->ring->arm, solicited ? XROCE_CQ_ARM_SOLICITED :
						     XROCE_CQ_ARM_NEXT,
			 __ATOMIC_SEQ_CST);
	/*
	 * A completion from before the arm wakes up nobody: look for one after the arm. The
	 * fence pairs with smp_mb() in xr_cq_add() of the module.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&cq->ring->tail, __ATOMIC_ACQUIRE) != cq->head;
}

/*
 * The descriptor stays readable while any armed queue of the handle has a completion. With
 * edge-triggered epoll only a new completion wakes up the thread. Otherwise another queue
 * that nobody reads would keep this one from sleeping.
 */
static int cq_epoll(struct xroce_cq *cq)
{
	/* EPOLLPRI: an asynchronous event, such as an overflow of the queue. */
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
	__s64 end = now_ms() + timeout, left = timeout;
	struct pollfd fd = { .fd = cq->x->fd };
	struct epoll_event event;
	int got, err;

	if (n <= 0)
		return -EINVAL;
	err = cq_epoll(cq);
	if (err)
		return err;
	for (;;) {
		got = xroce_cq_poll(cq, cqe, n);
		if (got)
			return got;
		/* Posted work requests complete when they are executed. */
		err = xroce_doorbells(cq->x);
		if (err < 0)
			return err;
		if (err)
			continue;
		if (!left)
			return 0;
		if (xroce_cq_arm(cq, false))
			continue;
		/* Has receives flushed that are posted in ERR, see struct xroce_rq_header. */
		if (poll(&fd, 1, 0) < 0)
			return -errno;
		if (epoll_wait(cq->epoll, &event, 1, left < INT_MAX ? left : INT_MAX) < 0)
			return -errno;
		if (timeout >= 0) {
			left = end - now_ms();
			if (left < 0)
				left = 0;
		}
	}
}
