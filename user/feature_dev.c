// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Features of a network device. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>

#include <bpf/libbpf.h>

#include "feature.h"
#include "libxroce.h"
#include "netaddr.h"
#include "xdpfeature.h"

/* Name the driver. Return: @driver, or "unknown". */
static const char *driver_of(const char *netdev, char driver[32])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq req = { .ifr_data = (void *)&info };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", netdev);
	snprintf(driver, 32, "%s", fd < 0 || ioctl(fd, SIOCETHTOOL, &req) ?
		 "unknown" : info.driver);
	if (fd >= 0)
		close(fd);
	return driver;
}

static void probe_xdp(const char *netdev, __u32 ifindex)
{
	const char *driver;
	char text[32];
	__u64 has;
	int err = xdpfeature_get(ifindex, &has);

	driver = driver_of(netdev, text);
	if (err) {
		feature_add("xdp_native", FEATURE_UNKNOWN, false,
			    "driver %s: %s", driver, strerror(-err));
		return;
	}
	if (has & XDPFEATURE_BASIC)
		feature_add("xdp_native", FEATURE_YES, false, "driver %s",
			    driver);
	else
		feature_add("xdp_native", FEATURE_NO, false,
			    "driver %s has none now: generic XDP is used, and is slower",
			    driver);
	feature_add("xdp_buffers", has & XDPFEATURE_RX_SG ? FEATURE_YES :
		    FEATURE_NO, false, "%s", has & XDPFEATURE_RX_SG ?
		    "frames of several buffers" :
		    "a frame must fit into a buffer of the driver's, or XDP is generic");
	feature_add("xdp_offload", has & XDPFEATURE_HW_OFFLOAD ? FEATURE_YES :
		    FEATURE_NO, false, "%s", has & XDPFEATURE_HW_OFFLOAD ?
		    "of no use here: the module's functions cannot be called there" :
		    "not needed");
}

/* Only one program can be attached. */
static void probe_free(const char *netdev, __u32 ifindex)
{
	struct xroce_link_query link;
	__u32 prog = 0;

	if (!xroce_link_find(netdev, &link)) {
		feature_add("xdp_free", FEATURE_YES, true, "it has link %u",
			    link.link);
		return;
	}
	if (bpf_xdp_query_id(ifindex, 0, &prog))
		feature_add("xdp_free", FEATURE_UNKNOWN, true, "%s",
			    strerror(errno));
	else
		feature_add("xdp_free", prog ? FEATURE_NO : FEATURE_YES, true,
			    prog ? "program %u is attached" :
				   "no program is attached", prog);
}

void feature_probe_dev(const char *netdev)
{
	__u32 ifindex = if_nametoindex(netdev);
	int mtu;

	if (!ifindex) {
		feature_add("dev", FEATURE_NO, true, "%.15s: %s", netdev,
			    strerror(errno));
		return;
	}
	feature_add("dev", FEATURE_YES, true, "%.15s ifindex %u", netdev,
		    ifindex);
	probe_xdp(netdev, ifindex);
	probe_free(netdev, ifindex);
	mtu = netaddr_mtu(netdev);
	if (mtu < 0)
		feature_add("path_mtu", FEATURE_NO, true, "%s", strerror(-mtu));
	else
		feature_add("path_mtu", FEATURE_YES, true, "%u", 128 << mtu);
}
