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

	pd = live_pd(x);
	expect_members(x, pd, 0, 0);
	check_is(xroce_pd_del(x, pd), 0);

	q = (struct xroce_pd_query){ .pd = pd };
	check_is(xroce_pd_query(x, &q), -ENOENT, "query after dealloc");
	check_is(xroce_pd_del(x, pd), -ENOENT, "dealloc twice");
}

PD_TEST(pd_busy_region, "P1", "a domain with a region is busy")
{
	__u32 first = 0, second = 0;

	check_is(reg(x, 0, pd, &first) ? : reg(x, 0, pd, &second), 0, "MR_REG");
	expect_members(x, pd, 2, 0);
	check_is(xroce_pd_del(x, pd), -EBUSY, "dealloc with two regions");
	check(!xroce_mr_dereg(x, first), "dereg");
	expect_members(x, pd, 1, 0);
	check_is(xroce_pd_del(x, pd), -EBUSY, "dealloc with a region");
	check(!xroce_mr_dereg(x, second), "dereg");
	check_is(xroce_pd_del(x, pd), 0, "dealloc without");
}

PD_TEST(pd_busy_qp, "P1", "a domain with a queue pair is busy")
{
	__u32 qpn;

	check_is(xroce_qp_create_responder(x, 0, pd, &qpn), 0, "QP_ADD");
	expect_members(x, pd, 0, 1);
	check_is(xroce_pd_del(x, pd), -EBUSY, "dealloc with a queue pair");
	check(!xroce_qp_del(x, qpn), "QP_DEL");
	check_is(xroce_pd_del(x, pd), 0, "dealloc without");
}

/* Numbers that were never used, and the number of a deleted domain. */
HANDLE_TEST(pd_unknown, "P1 P2", "objects need an existing domain")
{
	static const __u32 numbers[] = { 0, 0x123456, 0xffffff, 0xffffffff };
	__u32 pd, mr, qpn;
	size_t i;

	pd = live_pd(x);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct xroce_pd_query q = { .pd = numbers[i] };

		check_is(xroce_pd_del(x, numbers[i]), -ENOENT, "PD_DEL %#x", numbers[i]);
		check_is(xroce_pd_query(x, &q), -ENOENT, "PD_QUERY %#x", numbers[i]);
		check_is(reg(x, 0, numbers[i], &mr), -ENOENT, "MR_REG in %#x", numbers[i]);
		check_is(xroce_qp_create_responder(x, 0, numbers[i], &qpn), -ENOENT, "QP_ADD in %#x",
			 numbers[i]);
	}
	check(!xroce_pd_del(x, pd), "PD_DEL");
	check_is(reg(x, 0, pd, &mr), -ENOENT, "MR_REG in a deleted PD");
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
	check_is(xroce_pd_add(x, XROCE_F_PERSISTENT, &lasting), 0, "persistent PD");
	check_is(reg(x, XROCE_F_PERSISTENT, own, &mr), -EPERM,
		 "persistent region, domain of a file");
	check_is(xroce_qp_create_responder(x, XROCE_F_PERSISTENT, own, &qpn), -EPERM,
		 "persistent QP, domain of a file");
	check_is(reg(x, XROCE_F_PERSISTENT, lasting, &mr), 0,
		 "persistent region, persistent domain");
	check_is(xroce_qp_create_responder(x, XROCE_F_PERSISTENT, lasting, &qpn), 0,
		 "persistent QP, persistent domain");
	xroce_close(x);

	q = (struct xroce_pd_query){ .pd = own };
	check_is(xroce_pd_query(y, &q), -ENOENT, "the file's domain after its close");
	q = (struct xroce_pd_query){ .pd = lasting };
	ret = xroce_pd_query(y, &q);
	check(!ret && q.mrs == 1 && q.qps == 1 && !q.pid &&
	      q.flags == XROCE_F_PERSISTENT,
	      "%d: %u regions, %u QPs, pid %u, flags %x", ret, q.mrs, q.qps,
	      q.pid, q.flags);
	check_is(xroce_pd_del(y, lasting), -EBUSY, "dealloc with members");

	live_drop_cap(CAP_NET_ADMIN);
	check_is(xroce_mr_dereg(y, mr), -ENOENT, "MR_DEREG without CAP_NET_ADMIN");
	check_is(xroce_qp_del(y, qpn), -ENOENT, "QP_DEL without CAP_NET_ADMIN");
	check_is(xroce_pd_del(y, lasting), -ENOENT, "PD_DEL without CAP_NET_ADMIN");
	q = (struct xroce_pd_query){ .pd = lasting };
	check_is(xroce_pd_query(y, &q), -ENOENT, "PD_QUERY without CAP_NET_ADMIN");
	live_restore_caps();

	check(!xroce_mr_dereg(y, mr), "MR_DEREG");
	check(!xroce_qp_del(y, qpn), "QP_DEL");
	check_is(xroce_pd_del(y, lasting), 0, "dealloc without members");
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
	check_is(xroce_pd_del(y, pd), -EPERM, "PD_DEL");
	check_is(reg(y, 0, pd, &mr), -EPERM, "MR_REG");
	check_is(xroce_qp_create_responder(y, 0, pd, &qpn), -EPERM, "QP_ADD");

	live_drop_cap(CAP_NET_ADMIN);
	q = (struct xroce_pd_query){ .pd = pd };
	check_is(xroce_pd_query(y, &q), -ENOENT, "query without CAP_NET_ADMIN");
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
