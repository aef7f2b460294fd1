// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: mr NETDEV */
#include <errno.h>
#include <libxroce.h>
#include <stdint.h>
#include <stdio.h>

static char memory[1 << 20];

int main(int argc, char **argv)
{
	struct xroce_mr_reg reg = {
		.access = XROCE_ACCESS_REMOTE_READ,
		.addr = (uintptr_t)memory,
		.length = sizeof(memory),
		.iova = 0,	/* peers count from 0 */
		.name = "example",
	};
	struct xroce_mr_rereg rereg = {
		.mask = XROCE_REREG_ACCESS,
		.access = XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_LOCAL_WRITE |
			  XROCE_ACCESS_REMOTE_WRITE,
	};
	struct xroce_mr_query query = { 0 };
	struct xroce *x;
	int err;

	if (argc != 2)
		return 2;
	x = xroce_open(argv[1]);
	if (!x) {
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(-errno));
		return 1;
	}
	err = xroce_pd_add(x, 0, &reg.pd);
	if (!err)
		err = xroce_mr_reg(x, &reg);
	query.mr = rereg.mr = reg.mr;
	if (!err)
		err = xroce_mr_rereg(x, &rereg);
	if (!err)
		err = xroce_mr_query(x, &query);
	if (!err)
		printf("region %s: %llu bytes, access 0x%x, %s\n", query.name,
		       (unsigned long long)query.length, query.access,
		       rereg.rkey != reg.rkey ? "another key" : "the same key");
	if (!err)
		err = xroce_mr_dereg(x, reg.mr);	/* before the memory is freed */
	if (!err)
		printf("deregistered\n");
	else
		fprintf(stderr, "region: %s\n", xroce_strerror(err));
	xroce_close(x);
	return err ? 1 : 0;
}
