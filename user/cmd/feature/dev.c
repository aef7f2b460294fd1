// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Features of a network device. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <linux/if_link.h>

#include <bpf/libbpf.h>

#include "feature/feature.h"
#include "netaddr.h"
#include "../../lib/vlan.h"
#include "../../lib/xdp_feature.h"

/*
 * Find out whether the XDP program itself sends responses. veth loses the frames of XDP_TX if the
 * other end of the pair does not poll.
 */
static void probe_tx(const char *driver, __u64 has)
{
	if (strcmp(driver, "veth"))
		return;
	if (has & XROCE_XDP_NDO_XMIT)
		feature_add("xdp_tx", FEATURE_YES, false,
			    "the other end of the pair has an XDP program, or GRO");
	else
		feature_add("xdp_tx", FEATURE_NO, false,
			    "the other end of the pair has no XDP program, so the module sends the responses, which is slower: 'xroce link add dev PEER' there gives it one");
}

static void probe_xdp(const char *netdev, __u32 ifindex)
{
	const char *driver;
	char text[32];
	struct xroce_xdpfeatures xdp;
	int err = xroce_xdpfeature(ifindex, &xdp);
	__u64 has = err ? 0 : xdp.features;

	driver = xroce_driver(netdev, text);
	if (err) {
		feature_add("xdp_native", FEATURE_UNKNOWN, false,
			    "driver %s: %s", driver, strerror(-err));
		return;
	}
	if (has & XROCE_XDP_BASIC)
		feature_add("xdp_native", FEATURE_YES, false, "driver %s",
			    driver);
	else
		feature_add("xdp_native", FEATURE_NO, false,
			    "driver %s has no native XDP at present: generic XDP is used, which is slower",
			    driver);
	feature_add("xdp_buffers", has & XROCE_XDP_RX_SG ? FEATURE_YES :
		    FEATURE_NO, false, "%s", has & XROCE_XDP_RX_SG ?
		    "frames may have several buffers" :
		    "a frame must fit into one buffer of the driver, otherwise XDP is generic");
	feature_add("xdp_offload", has & XROCE_XDP_HW_OFFLOAD ? FEATURE_YES :
		    FEATURE_NO, false, "%s", has & XROCE_XDP_HW_OFFLOAD ?
		    "not usable: an offloaded program cannot call the module" :
		    "not needed");
	probe_tx(driver, has);
}

/* Find out whether the device is free for xroce's program. Only one program can be attached. */
static void probe_free(const char *netdev, __u32 ifindex)
{
	struct xroce_link_query link;
	__u32 prog = 0;

	if (!xroce_link_find(netdev, &link) && link.ifindex == ifindex &&
	    !(link.flags & XROCE_F_DEAD)) {
		feature_add("xdp_free", FEATURE_YES, true, "the device has link %u",
			    link.link);
		return;
	}
	if (bpf_xdp_query_id(ifindex, 0, &prog))
		feature_add("xdp_free", FEATURE_UNKNOWN, true, "%s",
			    strerror(errno));
	else
		feature_add("xdp_free", prog ? FEATURE_NO : FEATURE_YES, true,
			    prog ? "another program (%u) is attached" :
				   "no program is attached", prog);
}

/*
 * Find out whether responses carry the VLAN tag of the request. Not if the driver removes tags
 * from frames and the program cannot ask for them.
 */
static void probe_vlan(const char *netdev, __u32 ifindex)
{
	char driver[32];

	xroce_driver(netdev, driver);
	if (!xroce_vlan_stripped(netdev))
		feature_add("vlan", FEATURE_YES, false, "VLAN tags stay in the frame");
	else if (xroce_vlan_told(ifindex))
		feature_add("vlan", FEATURE_YES, false,
			    "driver %s reports VLAN tags in mode native; run 'xroce link reload dev %s' after adding a VLAN device",
			    driver, netdev);
	else
		feature_add("vlan", FEATURE_NO, false,
			    "driver %s removes VLAN tags from frames, so responses have none; 'ethtool -K %s rxvlan off' keeps them",
			    driver, netdev);
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
	probe_vlan(netdev, ifindex);
	mtu = netaddr_mtu(netdev);
	if (mtu < 0)
		feature_add("path_mtu", FEATURE_NO, true, "%s", strerror(-mtu));
	else
		feature_add("path_mtu", FEATURE_YES, true, "%u", 128 << mtu);
}
