// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Addresses and MTU of a network device. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_vlan.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "names.h"
#include "netaddr.h"
#include "../lib/priv.h"
#include "uapi/xroce.h"

static const __u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

bool netaddr_is_ipv4(const __u8 gid[16])
{
	return !memcmp(gid, mapped, sizeof(mapped));
}

const char *netaddr_gid_error(const __u8 gid[16])
{
	static const __u8 zeros[16];
	const __u8 *v4 = gid + 12;

	if (netaddr_is_ipv4(gid)) {
		if (!v4[0])
			return "an unspecified address";
		if (v4[0] == 127)
			return "a loopback address";
		if (v4[0] >= 224 && v4[0] < 240)
			return "a multicast address";
		return !memcmp(v4, "\xff\xff\xff\xff", 4) ?
		       "the broadcast address" : NULL;
	}
	if (gid[0] == 0xff)
		return "a multicast address";
	if (memcmp(gid, zeros, 12))
		return NULL;
	if (!memcmp(gid, zeros, 16))
		return "an unspecified address";
	if (!memcmp(v4, "\0\0\0\1", 4))
		return "a loopback address";
	return "IPv4 without ::ffff: before it";
}

/* Replace an alternative name of a device by its name. Return: @netdev if there is none. */
static const char *main_name(const char *netdev, char name[IF_NAMESIZE])
{
	unsigned int ifindex = if_nametoindex(netdev);

	return ifindex && if_indextoname(ifindex, name) ? name : netdev;
}

/* True if @name, perhaps with the label of an address as in "eth0:1", is that of the device. */
static bool is_of(const char *name, const char *netdev)
{
	size_t n = strcspn(name, ":");

	return strlen(netdev) == n && !strncmp(name, netdev, n);
}

/* True if @name is the device itself, or a VLAN device on it. */
static bool stands_on(const char *name, const char *netdev, int fd)
{
	struct vlan_ioctl_args vlan = { .cmd = GET_VLAN_REALDEV_NAME_CMD };
	size_t n = strcspn(name, ":");

	if (is_of(name, netdev))
		return true;
	if (n >= sizeof(vlan.device1))
		return false;
	memcpy(vlan.device1, name, n);
	return !ioctl(fd, SIOCGIFVLAN, &vlan) && !strcmp(vlan.u.device2, netdev);
}

static bool link_local(const __u8 gid[16])
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

/*
 * Convert an address or netmask to 16 bytes, IPv4 addresses as ::ffff:a.b.c.d. The first 96 bits
 * of an IPv4 netmask become ones.
 */
static void to_gid(const struct sockaddr *sa, bool mask, __u8 gid[16])
{
	if (sa->sa_family == AF_INET6) {
		memcpy(gid, &((const struct sockaddr_in6 *)sa)->sin6_addr, 16);
		return;
	}
	if (mask)
		memset(gid, 0xff, 12);
	else
		memcpy(gid, mapped, 12);
	memcpy(gid + 12, &((const struct sockaddr_in *)sa)->sin_addr, 4);
}

static bool same_network(const __u8 a[16], const __u8 b[16],
			 const __u8 mask[16])
{
	int i;

	for (i = 0; i < 16; i++)
		if ((a[i] ^ b[i]) & mask[i])
			return false;
	return true;
}

bool netaddr_has(const char *netdev, const __u8 gid[16], char *error, size_t size)
{
	char name[INET6_ADDRSTRLEN], dev[IF_NAMESIZE], master[IF_NAMESIZE] = "", has[256] = "";
	struct ifaddrs *all, *one;
	bool found = false;
	__u8 other[16];
	int fd;

	netdev = main_name(netdev, dev);
	if_indextoname(xroce_master(netdev), master);
	if (getifaddrs(&all))
		return true;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (one = all; one && !found; one = one->ifa_next) {
		if (!one->ifa_addr || (one->ifa_addr->sa_family != AF_INET &&
				       one->ifa_addr->sa_family != AF_INET6) ||
		    !(stands_on(one->ifa_name, netdev, fd) ||
		      stands_on(one->ifa_name, master, fd)))
			continue;
		to_gid(one->ifa_addr, false, other);
		found = !memcmp(gid, other, sizeof(other));
		name_of_gid(other, name);
		if (strlen(has) + strlen(name) + 3 < sizeof(has)) {
			strcat(has, *has ? ", " : "");
			strcat(has, name);
		}
	}
	if (fd >= 0)
		close(fd);
	freeifaddrs(all);
	if (!found)
		snprintf(error, size, "%s: dev %s has %s%s; 'ip address add %s dev %s' adds it",
			 name_of_gid(gid, name), netdev, *has ? "only " : "no address",
			 has, name, netdev);
	return found;
}

int netaddr_gid(const char *netdev, const __u8 peer[16], __u8 own[16])
{
	int family = netaddr_is_ipv4(peer) ? AF_INET : AF_INET6;
	struct ifaddrs *all, *one;
	int err = -EADDRNOTAVAIL;
	__u8 gid[16], mask[16];
	char dev[IF_NAMESIZE];

	netdev = main_name(netdev, dev);
	if (getifaddrs(&all))
		return -errno;
	for (one = all; one; one = one->ifa_next) {
		if (!is_of(one->ifa_name, netdev) || !one->ifa_addr ||
		    !one->ifa_netmask || one->ifa_addr->sa_family != family)
			continue;
		to_gid(one->ifa_addr, false, gid);
		if (link_local(gid) != link_local(peer))
			continue;
		to_gid(one->ifa_netmask, true, mask);
		if (err)
			memcpy(own, gid, 16);
		err = 0;
		if (same_network(gid, peer, mask)) {
			memcpy(own, gid, 16);
			break;
		}
	}
	freeifaddrs(all);
	return err;
}

int netaddr_bytes(const char *netdev)
{
	struct ifreq request = {};
	char dev[IF_NAMESIZE];
	int fd, err = 0;

	netdev = main_name(netdev, dev);
	if (strlen(netdev) >= sizeof(request.ifr_name))
		return -ENODEV;
	strcpy(request.ifr_name, netdev);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCGIFMTU, &request))
		err = -errno;
	close(fd);
	return err ? : request.ifr_mtu;
}

int netaddr_mtu(const char *netdev)
{
	int bytes = netaddr_bytes(netdev), mtu;

	if (bytes < 0)
		return bytes;
	for (mtu = XROCE_MTU_4096; mtu >= XROCE_MTU_256; mtu--)
		if (bytes - NETADDR_OVERHEAD >= 128 << mtu)
			return mtu;
	return -EMSGSIZE;
}
