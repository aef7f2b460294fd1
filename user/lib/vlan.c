// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* How a driver treats VLAN tags, as reported by ethtool and by the kernel. */
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "vlan.h"
#include "xdp_feature.h"

/* SIOCETHTOOL. Return: whether it succeeded. */
static bool ask(const char *netdev, void *command)
{
	struct ifreq req = { .ifr_data = command };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool answered;

	if (fd < 0)
		return false;
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", netdev);
	answered = !ioctl(fd, SIOCETHTOOL, &req);
	close(fd);
	return answered;
}

const char *xroce_driver(const char *netdev, char driver[32])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	snprintf(driver, 32, "%s", ask(netdev, &info) ? info.driver : "unknown");
	return driver;
}

bool xroce_vlan_stripped(const char *netdev)
{
	struct ethtool_value flags = { .cmd = ETHTOOL_GFLAGS };
	char driver[32];

	return !strcmp(xroce_driver(netdev, driver), "veth") ||
	       (ask(netdev, &flags) && flags.data & ETH_FLAG_RXVLAN);
}

bool xroce_vlan_told(__u32 ifindex)
{
	struct xroce_xdpfeatures has;

	return !xroce_xdpfeature(ifindex, &has) &&
	       has.hints & XROCE_XDPHINT_VLAN_TAG;
}
