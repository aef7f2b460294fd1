// SPDX-License-Identifier: GPL-2.0-only
/*
 * Protection domains: members, numbers, owners.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live.h"

static char page[4096] __attribute__((aligned(4096)));

static int reg(struct xroce *x, __u32 flags, __u32 pd, __u32 *mr)
{
	struct xroce_mr_reg r = {
		.flags = flags,
		.pd = pd,
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)page,
		.length = sizeof(page),
	};
	int ret = xroce_mr_reg(x, &r);

	*mr = r.mr;
	return ret;
}

static void expect_members(struct xroce *x, __u32 pd, __u32 mrs, __u32 qps)
{
	struct xroce_pd_query q = { .pd = pd };
	int ret = xroce_pd_query(x, &q);

	check(!ret && q.pd == pd && q.mrs == mrs && q.qps == qps &&
	      !q.flags && q.pid == (__u32)getpid(),
	      "%d: PD %u, %u regions, %u QPs, flags %x, pid %u", ret, q.pd,
	      q.mrs, q.qps, q.flags, q.pid);
}

HANDLE_TEST(pd_alloc, "P1", "allocate, query, deallocate")
{
	struct xroce_pd_query q;
	__u32 pd;
	int ret;

	pd = live_pd(x);
	expect_members(x, pd, 0, 0);
	ret = xroce_pd_del(x, pd);
	check(!ret, "%d", ret);

	q = (struct xroce_pd_query){ .pd = pd };
	ret = xroce_pd_query(x, &q);
	check(ret == -ENOENT, "query after dealloc: %d", ret);
	ret = xroce_pd_del(x, pd);
	check(ret == -ENOENT, "dealloc twice: %d", ret);
}

HANDLE_TEST(pd_busy_region, "P1", "a domain with a region is busy")
{
	__u32 pd, first = 0, second = 0;
	int ret;

	pd = live_pd(x);
	ret = reg(x, 0, pd, &first) ? : reg(x, 0, pd, &second);
	check(!ret, "MR_REG: %d", ret);
	expect_members(x, pd, 2, 0);
	ret = xroce_pd_del(x, pd);
	check(ret == -EBUSY, "dealloc with two regions: %d", ret);
	check(!xroce_mr_dereg(x, first), "dereg");
	expect_members(x, pd, 1, 0);
	ret = xroce_pd_del(x, pd);
	check(ret == -EBUSY, "dealloc with a region: %d", ret);
	check(!xroce_mr_dereg(x, second), "dereg");
	ret = xroce_pd_del(x, pd);
	check(!ret, "dealloc without: %d", ret);
}

HANDLE_TEST(pd_busy_qp, "P1", "a domain with a queue pair is busy")
{
	__u32 pd, qpn;
	int ret;

	pd = live_pd(x);
	ret = xroce_qp_create_responder(x, 0, pd, &qpn);
	check(!ret, "QP_ADD: %d", ret);
	expect_members(x, pd, 0, 1);
	ret = xroce_pd_del(x, pd);
	check(ret == -EBUSY, "dealloc with a queue pair: %d", ret);
	check(!xroce_qp_del(x, qpn), "QP_DEL");
	ret = xroce_pd_del(x, pd);
	check(!ret, "dealloc without: %d", ret);
}

/* Numbers that were never used, and the number of a deleted domain. */
HANDLE_TEST(pd_unknown, "P1 P2", "objects need an existing domain")
{
	static const __u32 numbers[] = { 0, 0x123456, 0xffffff, 0xffffffff };
	__u32 pd, mr, qpn;
	size_t i;
	int ret;

	pd = live_pd(x);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct xroce_pd_query q = { .pd = numbers[i] };

		ret = xroce_pd_del(x, numbers[i]);
		check(ret == -ENOENT, "PD_DEL %#x: %d", numbers[i], ret);
		ret = xroce_pd_query(x, &q);
		check(ret == -ENOENT, "PD_QUERY %#x: %d", numbers[i], ret);
		ret = reg(x, 0, numbers[i], &mr);
		check(ret == -ENOENT, "MR_REG in %#x: %d", numbers[i], ret);
		ret = xroce_qp_create_responder(x, 0, numbers[i], &qpn);
		check(ret == -ENOENT, "QP_ADD in %#x: %d", numbers[i], ret);
	}
	check(!xroce_pd_del(x, pd), "PD_DEL");
	ret = reg(x, 0, pd, &mr);
	check(ret == -ENOENT, "MR_REG in a deleted PD: %d", ret);
}

/* Numbers are not reused soon, so that a stale one finds nothing. */
HANDLE_TEST(pd_numbers, "P1", "numbers are not reused soon")
{
	__u32 seen[256];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(seen) && !test_failed(); i++) {
		seen[i] = live_pd(x);
		check(!xroce_pd_del(x, seen[i]), "PD_DEL");
		for (j = 0; j < i; j++)
			check(seen[i] != seen[j], "%u is reused after %zu",
			      seen[i], i - j);
	}
}

HANDLE_TEST(pd_several, "P1", "the list is complete and ordered")
{
	struct xroce_pd_query q = { .flags = XROCE_F_NEXT };
	__u32 pd[3], last = 0;
	unsigned int i, found = 0;

	for (i = 0; i < ARRAY_SIZE(pd); i++)
		pd[i] = live_pd(x);
	check(!xroce_pd_del(x, pd[1]), "PD_DEL");
	while (!xroce_pd_query(x, &q) && found < 10) {
		check(q.pd > last, "%u after %u", q.pd, last);
		check(q.pd == pd[0] || q.pd == pd[2], "%u", q.pd);
		last = q.pd;
		found++;
		q = (struct xroce_pd_query){
			.flags = XROCE_F_NEXT, .pd = last + 1,
		};
	}
	check(found == 2, "%u of 2 found", found);
}

TEST(pd_persistent, "P1 P2", "members never outlive their domain")
{
	struct xroce *x = live_open(), *y = live_open();
	struct xroce_pd_query q;
	__u32 own, lasting, mr, qpn;
	int ret;

	if (!x || !y)
		return;
	own = live_pd(x);
	ret = xroce_pd_add(x, XROCE_F_PERSISTENT, &lasting);
	check(!ret, "persistent PD: %d", ret);
	ret = reg(x, XROCE_F_PERSISTENT, own, &mr);
	check(ret == -EPERM, "persistent region, domain of a file: %d", ret);
	ret = xroce_qp_create_responder(x, XROCE_F_PERSISTENT, own, &qpn);
	check(ret == -EPERM, "persistent QP, domain of a file: %d", ret);
	ret = reg(x, XROCE_F_PERSISTENT, lasting, &mr);
	check(!ret, "persistent region, persistent domain: %d", ret);
	ret = xroce_qp_create_responder(x, XROCE_F_PERSISTENT, lasting, &qpn);
	check(!ret, "persistent QP, persistent domain: %d", ret);
	xroce_close(x);

	q = (struct xroce_pd_query){ .pd = own };
	ret = xroce_pd_query(y, &q);
	check(ret == -ENOENT, "the file's domain after its close: %d", ret);
	q = (struct xroce_pd_query){ .pd = lasting };
	ret = xroce_pd_query(y, &q);
	check(!ret && q.mrs == 1 && q.qps == 1 && !q.pid &&
	      q.flags == XROCE_F_PERSISTENT,
	      "%d: %u regions, %u QPs, pid %u, flags %x", ret, q.mrs, q.qps,
	      q.pid, q.flags);
	ret = xroce_pd_del(y, lasting);
	check(ret == -EBUSY, "dealloc with members: %d", ret);

	live_drop_cap(CAP_NET_ADMIN);
	ret = xroce_mr_dereg(y, mr);
	check(ret == -ENOENT, "MR_DEREG without CAP_NET_ADMIN: %d", ret);
	ret = xroce_qp_del(y, qpn);
	check(ret == -ENOENT, "QP_DEL without CAP_NET_ADMIN: %d", ret);
	ret = xroce_pd_del(y, lasting);
	check(ret == -ENOENT, "PD_DEL without CAP_NET_ADMIN: %d", ret);
	q = (struct xroce_pd_query){ .pd = lasting };
	ret = xroce_pd_query(y, &q);
	check(ret == -ENOENT, "PD_QUERY without CAP_NET_ADMIN: %d", ret);
	live_restore_caps();

	check(!xroce_mr_dereg(y, mr), "MR_DEREG");
	check(!xroce_qp_del(y, qpn), "QP_DEL");
	ret = xroce_pd_del(y, lasting);
	check(!ret, "dealloc without members: %d", ret);
	live_close(y);
}

/* CAP_NET_ADMIN sees the objects of another file, but does not let anybody use them. */
TEST(pd_owner, "P2", "only its owner uses a domain")
{
	struct xroce *x = live_open(), *y = live_open();
	struct xroce_pd_query q;
	__u32 pd, mr, qpn;
	int ret;

	if (!x || !y)
		return;
	pd = live_pd(x);
	q = (struct xroce_pd_query){ .pd = pd };
	ret = xroce_pd_query(y, &q);
	check(!ret && q.pid == (__u32)getpid(), "query: %d, pid %u", ret, q.pid);
	ret = xroce_pd_del(y, pd);
	check(ret == -EPERM, "PD_DEL: %d", ret);
	ret = reg(y, 0, pd, &mr);
	check(ret == -EPERM, "MR_REG: %d", ret);
	ret = xroce_qp_create_responder(y, 0, pd, &qpn);
	check(ret == -EPERM, "QP_ADD: %d", ret);

	live_drop_cap(CAP_NET_ADMIN);
	q = (struct xroce_pd_query){ .pd = pd };
	ret = xroce_pd_query(y, &q);
	check(ret == -ENOENT, "query without CAP_NET_ADMIN: %d", ret);
	q = (struct xroce_pd_query){ .flags = XROCE_F_NEXT };
	ret = xroce_pd_query(y, &q);
	check(ret == -ENOENT, "list without CAP_NET_ADMIN: %d, PD %u", ret,
	      q.pd);
	q = (struct xroce_pd_query){ .flags = XROCE_F_NEXT };
	ret = xroce_pd_query(x, &q);
	check(!ret && q.pd == pd, "the owner's list: %d, PD %u", ret, q.pd);
	live_restore_caps();

	check(!xroce_pd_del(x, pd), "the owner's PD_DEL");
	xroce_close(x);
	live_close(y);
}

TEST_MAIN(live_main_no_packets);
