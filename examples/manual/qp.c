// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: qp NETDEV OWN-IPV4 PEER-IPV4 PEER-QPN */
#include <errno.h>
#include <libxroce.h>
#include <stdio.h>
#include <stdlib.h>

#include <arpa/inet.h>

int main(int argc, char **argv)
{
	struct xroce_connect c = {
		.size = sizeof(c),
		.access = XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_REMOTE_WRITE,
		.sgid = { [10] = 0xff, 0xff },
		.dgid = { [10] = 0xff, 0xff },
	};
	/* Without XROCE_QP_STATE the state stays. */
	struct xroce_qp_modify modify = {
		.mask = XROCE_QP_ACCESS,
		.access = XROCE_ACCESS_REMOTE_READ,
	};
	struct xroce_qp_query query = { 0 };
	struct xroce *x;
	__u32 pd;
	int err;

	if (argc != 5 || inet_pton(AF_INET, argv[2], c.sgid + 12) != 1 ||
	    inet_pton(AF_INET, argv[3], c.dgid + 12) != 1)
		return 2;
	c.dest_qpn = strtoul(argv[4], NULL, 0);
	x = xroce_open(argv[1]);
	if (!x) {
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(-errno));
		return 1;
	}
	err = xroce_pd_add(x, 0, &pd);
	if (!err)
		err = xroce_qp_create_responder(x, 0, pd, &c.qpn);
	if (!err)
		err = xroce_qp_connect(x, &c);
	modify.qpn = query.qpn = c.qpn;
	if (!err)
		err = xroce_qp_modify(x, &modify);
	if (!err)
		err = xroce_qp_query(x, &query);
	if (!err)
		printf("state %u (RTS %u), access 0x%x, %u bytes of path MTU, cause %s\n",
		       query.state, XROCE_QPS_RTS, query.access, 128 << query.path_mtu,
		       xroce_cause_str(query.cause));
	if (!err)
		err = xroce_qp_del(x, c.qpn);
	if (err)
		fprintf(stderr, "queue pair: %s\n", xroce_strerror(err));
	xroce_close(x);
	return err ? 1 : 0;
}
