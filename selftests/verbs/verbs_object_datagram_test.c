// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams of the verbs device, and the address handles by which they are sent. What is refused
 * changes nothing; beside it is what is accepted.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include "gid.h"
#include "group.h"
#include "live.h"
#include "verbs_object.h"

/* A datagram from a queue pair to itself, between @e's address and itself. */
static void try_datagram(const struct verbs_end *e, struct ibv_qp *self, uint8_t sl)
{
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1,
		.grh = { .sgid_index = e->gid_index, .hop_limit = 64, .dgid = e->gid },
	};
	struct ibv_sge sge = { (uintptr_t)obj.memory, 40 + MESSAGE, obj.mr->lkey };
	struct ibv_recv_wr *bad_recv, recv = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND };
	struct ibv_ah *ah = ibv_create_ah(xr_end.pd, &to), *back;
	struct ibv_wc wc = {};

	if (!check(ah, "%s", strerror(errno)))
		return;
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = self->qp_num;
	wr.wr.ud.remote_qkey = END_QKEY;
	check(!ibv_post_recv(self, &recv, &bad_recv) && !ibv_post_send(self, &wr, &bad), "post");
	check(!end_wait(obj.cq, &wc) && wc.wc_flags == IBV_WC_GRH, "flags %#x", wc.wc_flags);
	check(wc.sl == sl, "service level %u, not %u", wc.sl, sl);
	back = ibv_create_ah_from_wc(xr_end.pd, &wc, (struct ibv_grh *)obj.memory, 1);
	check(back && !ibv_destroy_ah(back), "answer: %s", strerror(errno));
	check(!ibv_destroy_ah(ah), "destroy");
}

/* Send @bytes from @self to itself by @ah. The completion has the status @want. */
static void sends_datagram(struct ibv_qp *self, struct ibv_ah *ah, uint32_t bytes,
			   enum ibv_wc_status want, const char *what)
{
	struct ibv_sge sge = { (uintptr_t)obj.memory, bytes, obj.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = ah, .remote_qpn = self->qp_num, .remote_qkey = END_QKEY },
	};
	struct ibv_wc wc;
	int ret;

	if (!check(ah, "%s: %s", what, strerror(errno)) ||
	    !check(!end_move(&xr_end, self, &xr_end, 0, IBV_QPS_RTS), "%s: RTS", what))
		return;
	check(!ibv_post_send(self, &wr, &bad), "%s: post", what);
	ret = end_wait(obj.cq, &wc);
	check(ret == (int)want, "%s: %d, not %d", what, ret, want);
}

/* Datagrams by the address handles of others, or longer than a packet. */
TEST(object_datagram_refused, "V5 V2", "address handles of others, and too long a datagram")
{
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1,
		.grh = { .hop_limit = 64 },
	};
	struct ibv_ah *ah, *domain, *context;
	struct ibv_port_attr port;
	struct ibv_qp *self;
	uint32_t most;

	if (!objects_open())
		return;
	to.grh.sgid_index = xr_end.gid_index;
	to.grh.dgid = xr_end.gid;
	ah = ibv_create_ah(xr_end.pd, &to);
	domain = ibv_create_ah(obj.pd2, &to);
	context = ibv_create_ah(obj.other.pd, &to);
	self = end_qp(&xr_end, IBV_QPT_UD, obj.cq, obj.cq, NULL, 1, 1);
	if (!self || !check(!ibv_query_port(xr_end.ctx, 1, &port), "port"))
		return;
	most = 128u << port.active_mtu;
	sends_datagram(self, ah, most, IBV_WC_SUCCESS, "one packet");
	sends_datagram(self, ah, most + 1, IBV_WC_LOC_LEN_ERR, "a byte more");
	sends_datagram(self, domain, 1, IBV_WC_LOC_QP_OP_ERR, "another domain");
	sends_datagram(self, context, 1, IBV_WC_LOC_QP_OP_ERR, "another context");
	check(!ibv_destroy_qp(self) && !ibv_destroy_ah(ah) && !ibv_destroy_ah(domain) &&
	      !ibv_destroy_ah(context), "destroy");
	objects_close();
}

/* As NICs do, the completion says in its service level which header the datagram had. */
TEST(object_datagram_sl, "V2", "the service level tells IPv4 from IPv6")
{
	struct verbs_end six;
	struct ibv_qp *self;

	if (!objects_open() || !end_open(&six, "xr0", "fd77::2"))
		return;
	self = end_qp(&xr_end, IBV_QPT_UD, obj.cq, obj.cq, NULL, 1, 1);
	if (!self || !check(!end_move(&xr_end, self, &xr_end, 0, IBV_QPS_RTS), "RTS"))
		return;
	try_datagram(&xr_end, self, 8 | 2);
	try_datagram(&six, self, 8 | 1);
	check(!ibv_destroy_qp(self), "destroy");
	end_close(&six);
	objects_close();
}

#define NOBODY		65534
#define MOST_HANDLES	(1u << 18)	/* of a link */

/* To a group, whose Ethernet address needs no neighbour. */
static struct ibv_ah *handle(void)
{
	union ibv_gid to = {};
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .sgid_index = xr_end.gid_index, .hop_limit = 1 },
	};

	gid_parse("239.1.2.3", to.raw);
	attr.grh.dgid = to;
	return ibv_create_ah(xr_end.pd, &attr);
}

/* Bytes that are charged to the group for @n address handles of @ah. */
static unsigned long long charged_for(struct ibv_ah **ah, unsigned int n)
{
	unsigned long long before = group_used();
	unsigned int i;

	for (i = 0; i < n; i++) {
		ah[i] = handle();
		if (!check(ah[i], "handle %u: %s", i, strerror(errno)))
			return 0;
	}
	return group_used() - before;
}

/* A user's address handles are charged to the control group, and limited by the user's share. */
static void handles_as_user(void)
{
	const unsigned int some = 16384, most = (MOST_HANDLES - MOST_HANDLES / 8) / 2;
	struct ibv_ah **ah = calloc(most + 1, sizeof(*ah));
	unsigned long long bytes;
	unsigned int n;

	/* The real user id counts; the effective one may still read what is charged. */
	live_drop_cap(CAP_NET_ADMIN);
	if (!check(!setresuid(NOBODY, -1, -1), "setresuid: %s", strerror(errno)) ||
	    !end_open(&xr_end, "xr0", "10.77.0.2") || !ah)
		return;
	memset(ah, 0, (most + 1) * sizeof(*ah));
	bytes = charged_for(ah, some);
	note("%llu bytes for a handle", bytes / some);
	if (!check(bytes / some >= 300, "%llu bytes are charged for %u handles", bytes, some))
		return;
	for (n = some; n <= most; n++) {
		ah[n] = handle();
		if (!ah[n])
			break;
	}
	check(n == most && errno == EDQUOT, "%u handles: %s", n, strerror(errno));
	/* They are given back, also those that the end of the process destroys. */
	if (n)
		check(!ibv_destroy_ah(ah[--n]) && (ah[n] = handle()), "again: %s",
		      strerror(errno));
}

TEST(object_handles, "V5 R10", "address handles are charged, and a user has a share")
{
	int status = -1;
	pid_t pid;

	if (!group_open("memory"))
		return;
	pid = fork();
	if (!pid) {
		if (check(group_join(0), "join"))
			handles_as_user();
		fflush(stdout);
		_exit(test_failed());
	}
	waitpid(pid, &status, 0);
	check(!status, "the user's process: %d", status);
	group_close();
}

TEST_MAIN(harness_main);
