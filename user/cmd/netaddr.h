/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Addresses and MTU of a network device. */
#ifndef _XROCE_NETADDR_H
#define _XROCE_NETADDR_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Is the GID an IPv4 address? */
bool netaddr_is_ipv4(const __u8 gid[16]);

/**
 * netaddr_gid_error() - can a single host have this address?
 * @gid: IPv4 as ::ffff:a.b.c.d
 *
 * Return: NULL, or what it is instead, for people: "a multicast address".
 */
const char *netaddr_gid_error(const __u8 gid[16]);

/**
 * netaddr_has() - does a device have an address?
 * @netdev: name of the device; those of VLANs on it count, too
 * @gid: the address
 * @error: out: the address, that it does not, which it has, and what can be done
 * @size: bytes there
 *
 * Return: whether it does, or nobody can say.
 */
bool netaddr_has(const char *netdev, const __u8 gid[16], char *error, size_t size);

/**
 * netaddr_gid() - the address of a device that a peer would talk to
 * @netdev: name of the device
 * @peer: the peer's GID
 * @own: out: an address of the same family and, in IPv6, of the same scope;
 *	one of the peer's own network if there is one
 *
 * Return: 0; -EADDRNOTAVAIL: the device has none; or another negative errno.
 */
int netaddr_gid(const char *netdev, const __u8 peer[16], __u8 own[16]);

/**
 * netaddr_mtu() - largest path MTU that a device carries
 * @netdev: name of the device
 *
 * Return: enum xroce_mtu; -EMSGSIZE: not even the least one; or another
 * negative errno.
 */
int netaddr_mtu(const char *netdev);

#endif /* _XROCE_NETADDR_H */
