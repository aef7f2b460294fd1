// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: mw NETDEV OWN-IPV4 PEER-IPV4 PEER-QPN */
#include <errno.h>
#include <libxroce.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <arpa/inet.h>

static char memory[1 << 20];

static void must(const char *what, int err)
{
	if (err) {
		fprintf(stderr, "%s: %s\n", what, xroce_strerror(err));
		exit(1);	/* closes the handle */
	}
}

/* Posted work is executed before the next packet; the wait has it executed if none comes. */
static void done(struct xroce_cq *cq, const char *what)
{
	struct xroce_cqe cqe;
	int n = xroce_cq_wait(cq, &cqe, 1, 1000);

	must(what, n < 0 ? n : n && !cqe.status ? 0 : -EIO);
	printf("%s\n", what);
}

int main(int argc, char **argv)
{
	struct xroce_mr_reg mr = {
		.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND,
		.addr = (uintptr_t)memory, .length = sizeof(memory), .iova = (uintptr_t)memory,
	};
	struct xroce_connect c = {
		.size = sizeof(c), .access = XROCE_ACCESS_REMOTE_WRITE,
		.sgid = { [10] = 0xff, 0xff }, .dgid = { [10] = 0xff, 0xff },
	};
	struct xroce_wr inval = { .opcode = XROCE_WR_LOCAL_INV, .flags = XROCE_SEND_SIGNALED };
	struct xroce_wr bind = {
		.opcode = XROCE_WR_BIND_MW, .flags = XROCE_SEND_SIGNALED,
		.addr = (uintptr_t)memory, .length = 4096,
		.access = XROCE_ACCESS_REMOTE_WRITE,
	};
	struct xroce_qp_add qp = { .type = XROCE_QPT_RC, .send_entries = 16 };
	struct xroce_mw_add mw = { .type = XROCE_MW_TYPE_2B };
	struct xroce_cq *cq;
	struct xroce_send *send;
	struct xroce *x;

	if (argc != 5 || inet_pton(AF_INET, argv[2], c.sgid + 12) != 1 ||
	    inet_pton(AF_INET, argv[3], c.dgid + 12) != 1)
		return 2;
	c.dest_qpn = strtoul(argv[4], NULL, 0);
	x = xroce_open(argv[1]);
	must(argv[1], x ? 0 : -errno);
	cq = xroce_cq_add(x, 16);
	must("completion queue", cq ? 0 : -errno);
	must("protection domain", xroce_pd_add(x, 0, &mr.pd));
	must("region", xroce_mr_reg(x, &mr));
	qp.pd = mw.pd = mr.pd;
	qp.send_cq = xroce_cq_id(cq);
	must("window", xroce_mw_add(x, &mw));
	must("queue pair", xroce_qp_create(x, &qp, NULL));
	send = xroce_send_open(x, &qp);
	must("send queue", send ? 0 : -errno);
	c.qpn = qp.qpn;
	must("connection", xroce_qp_connect(x, &c));
	bind.imm_or_key = inval.imm_or_key = xroce_inc_rkey(mw.rkey);
	bind.rkey = mr.lkey;
	must("bind", xroce_post_send(send, &bind, 1));
	done(cq, "granted");
	must("invalidation", xroce_post_send(send, &inval, 1));
	done(cq, "taken back");		/* nothing is written from here on */
	xroce_close(x);
	xroce_send_close(send);		/* what the library has of them */
	xroce_cq_del(cq);
	return 0;
}
