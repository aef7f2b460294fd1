// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: recv NETDEV OWN-IPV4 */
#include <errno.h>
#include <libxroce.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <arpa/inet.h>

#define ENTRIES	16
#define GRH	40	/* bytes of IP header before the payload */

static char memory[ENTRIES][GRH + 4096];

static void must(const char *what, int err)
{
	if (err) {
		fprintf(stderr, "%s: %s\n", what, xroce_strerror(err));
		exit(1);	/* closes the handle */
	}
}

static void post(struct xroce_rq *rq, __u64 i, __u32 lkey)
{
	struct xroce_sge_local sge = { (uintptr_t)memory[i], sizeof(memory[i]), lkey };

	must("receive", xroce_post_recv(rq, i, &sge, 1));
}

int main(int argc, char **argv)
{
	struct xroce_mr_reg mr = {
		.access = XROCE_ACCESS_LOCAL_WRITE, .addr = (uintptr_t)memory,
		.length = sizeof(memory), .iova = (uintptr_t)memory,
	};
	struct xroce_qp_add qp = {
		.type = XROCE_QPT_UD, .rq_entries = ENTRIES, .rq_max_sge = 1,
	};
	struct xroce_connect c = {
		.size = sizeof(c), .qkey = 0x11111111, .sgid = { [10] = 0xff, 0xff },
	};
	struct xroce_qp_modify stop = { .mask = XROCE_QP_STATE, .state = XROCE_QPS_ERR };
	struct xroce_cqe cqe;
	int i, n, flushed = 0;
	struct xroce_rq *rq;
	struct xroce_cq *cq;
	struct xroce *x;

	if (argc != 3 || inet_pton(AF_INET, argv[2], c.sgid + 12) != 1)
		return 2;
	x = xroce_open(argv[1]);
	must(argv[1], x ? 0 : -errno);
	cq = xroce_cq_add(x, 2 * ENTRIES);
	must("completion queue", cq ? 0 : -errno);
	must("protection domain", xroce_pd_add(x, 0, &mr.pd));
	must("region", xroce_mr_reg(x, &mr));
	qp.pd = mr.pd;
	qp.recv_cq = xroce_cq_id(cq);
	must("queue pair", xroce_qp_create(x, &qp, &rq));
	for (i = 0; i < ENTRIES; i++)
		post(rq, i, mr.lkey);
	stop.qpn = c.qpn = qp.qpn;
	must("address", xroce_qp_connect(x, &c));
	printf("qpn 0x%x qkey 0x%x\n", qp.qpn, c.qkey);
	fflush(stdout);
	while ((n = xroce_cq_wait(cq, &cqe, 1, 5000)) > 0 && !cqe.status) {
		printf("%u bytes from 0x%x: %.*s\n", cqe.byte_len - GRH, cqe.src_qpn,
		       (int)cqe.byte_len - GRH, memory[cqe.wr_id] + GRH);
		post(rq, cqe.wr_id, mr.lkey);
	}
	must("wait", n < 0 ? n : 0);
	must("stop", xroce_qp_modify(x, &stop));
	while (xroce_cq_poll(cq, &cqe, 1) > 0)
		flushed += cqe.status == XROCE_WC_WR_FLUSH_ERR;
	printf("%d work requests flushed\n", flushed);
	must("receive queue", xroce_qp_destroy(rq));	/* with its queue pair */
	must("completion queue", xroce_cq_del(cq));
	xroce_close(x);
	return 0;
}
