// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: event NETDEV */
#include <errno.h>
#include <libxroce.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct xroce_monitor *m;
	struct xroce_event e;
	int err;

	if (argc != 2)
		return 2;
	m = xroce_monitor_open(argv[1], XROCE_MONITOR_REFUSED | XROCE_MONITOR_DROPPED);
	if (!m) {
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(-errno));
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		err = xroce_monitor_next(m, &e, 10000);
		if (err)
			break;
		printf("%s: %s, qpn 0x%x, psn %u",
		       e.cause < XROCE_DROP_LENGTH ? "refused" : "dropped",
		       xroce_cause_str(e.cause), e.qpn, e.psn);
		if (e.known & XROCE_EVENT_KEY)
			printf(", key 0x%08x", e.key);
		if (e.missed)
			printf(", %u others not reported", e.missed);
		printf("\n");
		fflush(stdout);
	}
	xroce_monitor_close(m);
	if (err == -EAGAIN)
		return 0;
	fprintf(stderr, "monitor: %s\n", xroce_strerror(err));
	return 1;
}
