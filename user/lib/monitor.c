// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading a link's ring buffers of events. The XDP program writes events of drops until the
 * time in the map "drop_lease". Each reader renews that lease while it reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/epoll.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "clock.h"
#include "priv.h"

/* Returned by take() to make ring_buffer__consume() stop after one event. */
#define TAKEN	(-ECANCELED)

/* Length of a lease: twice the interval in which it is renewed. */
#define LEASE_MS	(2 * XROCE_MONITOR_LEASE_MS)

/**
 * struct xroce_monitor - a reader of events
 * @rings: the maps "events" and "drops", or one of them
 * @fd: descriptors of these two maps; -1: not read
 * @lease: descriptor of the map "drop_lease"; -1: drops are not read
 * @since: when the monitor was opened, nanoseconds of CLOCK_MONOTONIC; earlier drops are
 *	skipped
 * @event: the event that take() has copied
 */
struct xroce_monitor {
	struct ring_buffer *rings;
	int fd[2];
	int lease;
	__u64 since;
	struct xroce_event event;
};

static int take(void *ctx, void *data, size_t size)
{
	struct xroce_monitor *m = ctx;

	/* The program of the link may be of another version. */
	xroce_give(&m->event, sizeof(m->event), data, size);
	/* Written for an earlier reader. */
	if (m->event.cause >= XROCE_DROP_LENGTH && m->event.time < m->since)
		return 0;
	return TAKEN;
}

static int renew(const struct xroce_monitor *m)
{
	struct xroce_drop_lease lease = {
		.until = now_ns() + (__u64)LEASE_MS * 1000000,
	};
	__u32 zero = 0;

	if (m->lease < 0)
		return 0;
	return bpf_map_update_elem(m->lease, &zero, &lease, BPF_ANY) ? -errno : 0;
}

static int add_ring(struct xroce_monitor *m, int *fd, const char *netdev,
		    const char *name)
{
	*fd = xroce_pin_open(netdev, name);
	if (*fd < 0)
		return *fd;
	if (m->rings)
		return ring_buffer__add(m->rings, *fd, take, m);
	m->rings = ring_buffer__new(*fd, take, m, NULL);
	return m->rings ? 0 : -errno;
}

static int open_all(struct xroce_monitor *m, const char *netdev, __u32 what)
{
	int err = 0;

	if (what & XROCE_MONITOR_REFUSED)
		err = add_ring(m, &m->fd[0], netdev, "events");
	if (err || !(what & XROCE_MONITOR_DROPPED))
		return err;
	m->since = now_ns();
	err = add_ring(m, &m->fd[1], netdev, "drops");
	if (err)
		return err;
	m->lease = xroce_pin_open(netdev, "drop_lease");
	return m->lease < 0 ? m->lease : renew(m);
}

struct xroce_monitor *xroce_monitor_open(const char *netdev, __u32 what)
{
	const __u32 known = XROCE_MONITOR_REFUSED | XROCE_MONITOR_DROPPED;
	struct xroce_monitor *m;
	int err;

	if (!what || what & ~known) {
		errno = EINVAL;
		return NULL;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->fd[0] = m->fd[1] = m->lease = -1;
	err = open_all(m, netdev, what);
	if (!err)
		return m;
	xroce_monitor_close(m);
	errno = -err;
	return NULL;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* The lease is left to expire, because another reader may depend on it. */
void xroce_monitor_close(struct xroce_monitor *m)
{
	if (!m)
		return;
	ring_buffer__free(m->rings);
	close_one(m->fd[0]);
	close_one(m->fd[1]);
	close_one(m->lease);
	free(m);
}

int xroce_monitor_fd(const struct xroce_monitor *m)
{
	return ring_buffer__epoll_fd(m->rings);
}

/*
 * Milliseconds for the next wait: until @end, or without limit if @timeout_ms is negative, but
 * not longer than the interval in which the lease is renewed.
 */
static int wait_ms(__u64 end, int timeout_ms)
{
	__u64 now = now_ns(), left;

	if (timeout_ms < 0)
		return XROCE_MONITOR_LEASE_MS;
	left = end > now ? (end - now + 999999) / 1000000 : 0;
	return left < XROCE_MONITOR_LEASE_MS ? (int)left : XROCE_MONITOR_LEASE_MS;
}

int xroce_monitor_next_sized(struct xroce_monitor *m, struct xroce_event *event, int timeout_ms,
			     size_t size)
{
	__u64 end = now_ns() + (timeout_ms > 0 ? timeout_ms : 0) * 1000000ull;
	struct epoll_event ready;
	int err, wait;

	for (;;) {
		err = renew(m);
		if (err)
			return err;
		err = ring_buffer__consume(m->rings);
		if (err == TAKEN) {
			xroce_give(event, size, &m->event, sizeof(m->event));
			return 0;
		}
		if (err < 0)
			return err;
		wait = wait_ms(end, timeout_ms);
		if (!wait)
			return -EAGAIN;
		if (epoll_wait(xroce_monitor_fd(m), &ready, 1, wait) < 0)
			return -errno;
	}
}
