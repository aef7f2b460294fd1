// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libxroce.h>

#include "counters.h"
#include "harness.h"
#include "verbs_netem.h"

/* A new discipline: a netem that is changed keeps what it is not told anew. */
bool netem_set(const char *netdev, const char *how)
{
	return check_sh("tc qdisc replace dev %s root pfifo && "
			"tc qdisc replace dev %s root netem limit 20000 %s", netdev, netdev, how);
}

uint64_t netem_dropped(const char *netdev)
{
	unsigned long long dropped;
	char command[128], line[256];
	bool found = false;
	FILE *tc;

	snprintf(command, sizeof(command), "tc -s qdisc show dev %s root", netdev);
	tc = popen(command, "r");
	while (tc && !found && fgets(line, sizeof(line), tc))
		found = sscanf(line, " Sent %*u bytes %*u pkt (dropped %llu", &dropped) == 1;
	if (tc)
		pclose(tc);
	return check(found, "%s", command) ? dropped : 0;
}

bool netdev_counters(const char *netdev, struct xroce_stat *stat)
{
	int fd = xroce_pin_open(netdev, "stat");

	if (!check(fd >= 0, "counters of %s: %s", netdev, strerror(-fd)))
		return false;
	counters_read(fd, stat);
	close(fd);
	return true;
}
