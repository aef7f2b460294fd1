// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues shared with user space: making, mapping and deleting them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "live_qp.h"

HANDLE_TEST(ring_sizes, "D2", "size limits of all queues")
{
	struct xroce_cq_add cq = { .size = sizeof(cq) };
	struct xroce_srq_add srq = { .size = sizeof(srq) };
	struct xroce_qp_add qp;
	__u32 n;
	int ret;

	for (n = 0; n <= 21; n++) {
		cq.entries = 1u << n;
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_CQ_ADD, &cq);
		check(ret == (n >= 4 && n <= 20 ? 0 : -EINVAL),
		      "CQ of 2^%u: %d", n, ret);
		if (!ret)
			check(cq.bytes == XROCE_RING_HEADER + (64ull << n) ||
			      n < 6, "%llu bytes", cq.bytes);
	}
	cq.entries = 48;
	check_is(live_ioctl(xroce_fd(x), XROCE_CMD_CQ_ADD, &cq), -EINVAL, "CQ of 48");

	srq.pd = live_pd(x);
	for (n = 0; n <= 21; n++) {
		srq.entries = n == 17 ? 3 : 1u << n;
		srq.max_sge = n;
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_SRQ_ADD, &srq);
		check(ret == (n >= 1 && n <= 14 ? 0 : -EINVAL),
		      "SRQ of 2^%u with %u: %d", n, n, ret);
	}
	srq.entries = 4;
	srq.max_sge = 1;
	srq.pd = 0x123456;
	check_is(live_ioctl(xroce_fd(x), XROCE_CMD_SRQ_ADD, &srq), -ENOENT, "no such PD");

	for (n = 0; n <= 21; n++) {
		qp = (struct xroce_qp_add){
			.size = sizeof(qp), .pd = live_pd(x),
			.type = XROCE_QPT_RC, .rq_entries = 4, .rq_max_sge = n,
			.recv_cq = cq.cq,
		};
		ret = live_ioctl(xroce_fd(x), XROCE_CMD_QP_ADD, &qp);
		check(ret == (n >= 1 && n <= 16 ? 0 : -EINVAL),
		      "RQ with %u elements: %d", n, ret);
	}
	qp.rq_max_sge = 1;
	qp.recv_cq = 0;
	check_is(live_ioctl(xroce_fd(x), XROCE_CMD_QP_ADD, &qp), -EINVAL, "RQ without a CQ");
	qp.recv_cq = 0x123456;
	check_is(live_ioctl(xroce_fd(x), XROCE_CMD_QP_ADD, &qp), -ENOENT, "no such CQ");
}

/* Another owner's queues cannot be used, and a persistent queue pair has none. */
TEST(ring_owners, "D2", "queues belong to their descriptor")
{
	struct xroce *x = live_open(), *y = live_open();
	struct xroce_cq *cq = x ? xroce_cq_add(x, 16) : NULL;
	struct xroce_cq_del del = { .size = sizeof(del) };
	struct xroce_qp_add qp = {
		.size = sizeof(qp), .type = XROCE_QPT_RC, .rq_entries = 4,
		.rq_max_sge = 1,
	};

	if (!check(cq && y, "CQ: %s", strerror(errno)))
		return;
	qp.pd = live_pd(y);
	qp.recv_cq = xroce_cq_id(cq);
	check_is(live_ioctl(xroce_fd(y), XROCE_CMD_QP_ADD, &qp), -ENOENT, "another's CQ");
	del.cq = xroce_cq_id(cq);
	check_is(live_ioctl(xroce_fd(y), XROCE_CMD_CQ_DEL, &del), -ENOENT, "delete another's CQ");

	check_is(xroce_pd_add(x, XROCE_F_PERSISTENT, &qp.pd), 0, "PD_ADD");
	qp.flags = XROCE_F_PERSISTENT;
	check_is(live_ioctl(xroce_fd(x), XROCE_CMD_QP_ADD, &qp), -ENOENT,
		 "a persistent queue pair");
	check(!xroce_pd_del(x, qp.pd), "PD_DEL");
	check(!xroce_cq_del(cq), "CQ_DEL");
	xroce_close(y);
	live_close(x);
}

HANDLE_TEST(ring_mappings, "D2", "which memory can be mapped, and for how long")
{
	struct xroce_cq_add cq = { .size = sizeof(cq), .entries = 64 };
	struct xroce_cq_del del = { .size = sizeof(del) };
	const int rw = PROT_READ | PROT_WRITE;
	char *p, *q;
	int fd;

	fd = xroce_fd(x);
	check_is(live_ioctl(fd, XROCE_CMD_CQ_ADD, &cq), 0, "CQ_ADD");
	check(mmap(NULL, cq.bytes - 4096, rw, MAP_SHARED, fd, cq.offset) ==
	      MAP_FAILED, "a part of it");
	check(mmap(NULL, cq.bytes + 4096, rw, MAP_SHARED, fd, cq.offset) ==
	      MAP_FAILED, "more than it");
	check(mmap(NULL, cq.bytes, rw, MAP_SHARED, fd, cq.offset + 4096) ==
	      MAP_FAILED, "beside it");
	check(mmap(NULL, cq.bytes, rw, MAP_SHARED, fd, 1ull << 40) ==
	      MAP_FAILED, "nothing");
	check(mmap(NULL, cq.bytes, rw, MAP_PRIVATE, fd, cq.offset) ==
	      MAP_FAILED, "a private copy");
	check(mmap(NULL, cq.bytes, rw | PROT_EXEC, MAP_SHARED, fd, cq.offset) ==
	      MAP_FAILED, "code");
	p = mmap(NULL, cq.bytes, rw, MAP_SHARED, fd, cq.offset);
	q = mmap(NULL, cq.bytes, rw, MAP_SHARED, fd, cq.offset);
	if (!check(p != MAP_FAILED && q != MAP_FAILED, "%s", strerror(errno)))
		return;
	for (size_t i = 0; i < cq.bytes; i++)
		if (!check(!p[i], "byte %zu is %d", i, p[i]))
			break;
	check(mprotect(p, cq.bytes, rw | PROT_EXEC), "code, afterwards");
	memset(p, 0x5a, cq.bytes);
	check(!memcmp(p, q, cq.bytes), "two memories");

	/* Existing mappings stay valid; a new one is refused. */
	del.cq = cq.cq;
	check(!live_ioctl(fd, XROCE_CMD_CQ_DEL, &del), "CQ_DEL");
	check(mmap(NULL, cq.bytes, rw, MAP_SHARED, fd, cq.offset) ==
	      MAP_FAILED, "deleted");
	memset(p, 0xa5, cq.bytes);
	check(!memcmp(p, q, cq.bytes), "two memories");
	munmap(p, cq.bytes);
	check(q[cq.bytes - 1] == (char)0xa5, "the last page");
	munmap(q, cq.bytes);
}

HANDLE_TEST(no_event, "D2", "read(2) without a pending event")
{
	struct xroce_async async;
	char little[8];
	ssize_t n;

	check(xroce_async_next(x, &async) == -EAGAIN, "an event");
	check(!fcntl(xroce_fd(x), F_SETFL, O_NONBLOCK), "fcntl");
	n = read(xroce_fd(x), &async, sizeof(async));
	check(n < 0 && errno == EAGAIN, "read: %zd", n);
	n = read(xroce_fd(x), little, sizeof(little));
	check(n < 0 && errno == EINVAL, "read of less: %zd", n);
}

/* The limit event of an empty queue is immediate; deleting the queue discards a pending one. */
HANDLE_TEST(limit_event, "D2", "the SRQ limit event is immediate")
{
	struct xroce_async async;
	struct xroce_rq *srq;
	__u32 id;

	srq = xroce_srq_add(x, live_pd(x), 4, 1);
	if (!check(srq, "SRQ_ADD: %s", strerror(errno)))
		return;
	id = xroce_srq_id(srq);
	check(!xroce_srq_limit(srq, 0), "limit 0");
	check(xroce_async_next(x, &async) == -EAGAIN, "an event");
	check(!xroce_srq_limit(srq, 1), "limit 1");
	check(!xroce_async_next(x, &async) &&
	      async.type == XROCE_EVENT_SRQ_LIMIT && async.id == id,
	      "no event");
	check(!xroce_srq_limit(srq, 1), "limit 1");
	check(!xroce_srq_del(srq), "SRQ_DEL");
	check(xroce_async_next(x, &async) == -EAGAIN, "an event of a dead queue");
}

TEST_MAIN(live_main_no_packets);
