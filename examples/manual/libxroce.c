// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: libxroce NETDEV OWN-IPV4 PEER-IPV4 PEER-QPN */
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

int main(int argc, char **argv)
{
	struct xroce_mr_reg mr = {
		.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE,
		.addr = (uintptr_t)memory,
		.length = sizeof(memory),
		.iova = (uintptr_t)memory,
	};
	/* An IPv4 address as ::ffff:a.b.c.d */
	struct xroce_connect c = {
		.size = sizeof(c),
		.access = XROCE_ACCESS_REMOTE_WRITE,
		.sgid = { [10] = 0xff, 0xff },
		.dgid = { [10] = 0xff, 0xff },
	};
	struct xroce *x;

	if (argc != 5 || inet_pton(AF_INET, argv[2], c.sgid + 12) != 1 ||
	    inet_pton(AF_INET, argv[3], c.dgid + 12) != 1) {
		fprintf(stderr, "usage: %s NETDEV OWN-IPV4 PEER-IPV4 PEER-QPN\n", argv[0]);
		return 2;
	}
	c.dest_qpn = strtoul(argv[4], NULL, 0);
	x = xroce_open(argv[1]);
	must(argv[1], x ? 0 : -errno);
	must("protection domain", xroce_pd_add(x, 0, &mr.pd));
	must("region", xroce_mr_reg(x, &mr));
	must("queue pair", xroce_qp_create_responder(x, 0, mr.pd, &c.qpn));
	must("connection", xroce_qp_connect(x, &c));
	printf("qpn 0x%x psn 0 rkey 0x%08x addr 0x%llx length %zu\n", c.qpn, mr.rkey,
	       (unsigned long long)mr.iova, sizeof(memory));
	fflush(stdout);
	getchar();
	xroce_close(x);		/* destroys the queue pair, then the region */
	printf("first byte 0x%02x\n", memory[0] & 0xff);
	return 0;
}
