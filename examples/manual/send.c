// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: send NETDEV OWN-IPV4 */
#include <errno.h>
#include <libxroce.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

static char from[] = "hello", to[sizeof(from)];

static void must(const char *what, int err)
{
	if (err) {
		fprintf(stderr, "%s: %s\n", what, xroce_strerror(err));
		exit(1);	/* closes the handle */
	}
}

static struct xroce_mr_reg region(struct xroce *x, __u32 pd, void *at, __u32 access)
{
	struct xroce_mr_reg mr = {
		.pd = pd, .access = access, .addr = (uintptr_t)at, .iova = (uintptr_t)at,
		.length = sizeof(from),
	};

	must("region", xroce_mr_reg(x, &mr));
	return mr;
}

int main(int argc, char **argv)
{
	struct xroce_qp_add client = {
		.type = XROCE_QPT_RC, .send_entries = 16, .send_max_sge = 1,
	};
	struct xroce_connect c = {
		.size = sizeof(c), .sgid = { [10] = 0xff, 0xff },
	};
	struct xroce_mr_reg mr_from, mr_to;
	struct xroce_send *send;
	struct xroce_cqe cqe;
	struct xroce_cq *cq;
	struct xroce *x;
	__u32 pd, server;

	if (argc != 3 || inet_pton(AF_INET, argv[2], c.sgid + 12) != 1)
		return 2;
	x = xroce_open(argv[1]);
	must(argv[1], x ? 0 : -errno);
	cq = xroce_cq_add(x, 16);
	must("completion queue", cq ? 0 : -errno);
	must("protection domain", xroce_pd_add(x, 0, &pd));
	mr_from = region(x, pd, from, 0);
	mr_to = region(x, pd, to, XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE);

	/* The client and the server are on the same device. */
	client.pd = pd;
	client.send_cq = xroce_cq_id(cq);
	must("client", xroce_qp_create(x, &client, NULL));
	send = xroce_send_open(x, &client);
	must("send queue", send ? 0 : -errno);
	must("server", xroce_qp_create_responder(x, 0, pd, &server));
	memcpy(c.dgid, c.sgid, sizeof(c.dgid));
	c.qpn = client.qpn;
	c.dest_qpn = server;
	must("connect", xroce_qp_connect(x, &c));
	c.qpn = server;
	c.dest_qpn = client.qpn;
	c.access = XROCE_ACCESS_REMOTE_WRITE;
	must("connect", xroce_qp_connect(x, &c));

	struct xroce_sge_local sge = { (uintptr_t)from, sizeof(from), mr_from.lkey };
	struct xroce_wr wr = {
		.wr_id = 1, .opcode = XROCE_WR_RDMA_WRITE, .flags = XROCE_SEND_SIGNALED,
		.rkey = mr_to.rkey, .addr = (uintptr_t)to, .num_sge = 1, .sge = &sge,
	};

	must("post", xroce_post_send(send, &wr, 1));
	must("wait", xroce_cq_wait(cq, &cqe, 1, 5000) == 1 ? 0 : -ETIMEDOUT);
	printf("status %u: %s\n", cqe.status, to);
	xroce_send_close(send);
	must("client", xroce_qp_del(x, client.qpn));
	must("completion queue", xroce_cq_del(cq));
	xroce_close(x);
	return cqe.status ? 1 : 0;
}
