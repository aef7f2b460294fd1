// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: pd NETDEV */
#include <errno.h>
#include <libxroce.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct xroce_pd_query query = { 0 };
	struct xroce *x;
	__u32 pd, qpn;
	int err;

	if (argc != 2)
		return 2;
	x = xroce_open(argv[1]);
	if (!x) {
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(-errno));
		return 1;
	}
	err = xroce_pd_add(x, 0, &pd);
	if (!err)
		err = xroce_qp_create_responder(x, 0, pd, &qpn);
	query.pd = pd;
	if (!err)
		err = xroce_pd_query(x, &query);
	if (!err)
		printf("pd %u: %u regions, %u queue pairs\n", query.pd, query.mrs, query.qps);
	if (!err && xroce_pd_del(x, pd) == -EBUSY)
		printf("busy\n");
	if (!err)
		err = xroce_qp_del(x, qpn);
	if (!err)
		err = xroce_pd_del(x, pd);
	if (!err)
		printf("deallocated\n");
	else
		fprintf(stderr, "pd: %s\n", xroce_strerror(err));
	xroce_close(x);		/* after an error also with what is left */
	return err ? 1 : 0;
}
