/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Addresses and MTU of a network device. */
#ifndef _XROCE_NETADDR_H
#define _XROCE_NETADDR_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* True if the GID is an IPv4 address. */
bool netaddr_is_ipv4(const __u8 gid[16]);

/**
 * netaddr_gid_error() - check that an address can be that of a single host
 * @gid: the address; IPv4 as ::ffff:a.b.c.d
 *
 * Return: NULL, or a description of what it is instead, such as "a multicast address".
 */
const char *netaddr_gid_error(const __u8 gid[16]);

/**
 * netaddr_has() - check that a device has an address
 * @netdev: name of the device; addresses of VLAN devices on it count, too, and of the bridge, bond
 *	or other device of which it is a port
 * @gid: the address
 * @error: out: if it has not: error text with the addresses that it has, and the cure
 * @size: bytes of @error
 *
 * Return: false if the device does not have the address; true if it has, or if the addresses
 * cannot be read.
 */
bool netaddr_has(const char *netdev, const __u8 gid[16], char *error, size_t size);

/**
 * netaddr_gid() - choose the address of a device for a connection with a peer
 * @netdev: name of the device
 * @peer: the peer's GID
 * @own: out: an address of the same family and, in IPv6, of the same scope; if possible in
 *	the peer's network
 *
 * Return: 0; -EADDRNOTAVAIL: the device has none; or another negative errno.
 */
int netaddr_gid(const char *netdev, const __u8 peer[16], __u8 own[16]);

/*
 * Maximum bytes of RoCEv2 before and behind a payload: IPv6, UDP, BTH, ICRC, and the largest
 * extended headers of a packet with a full payload, those of WRITE_ONLY with immediate data. With
 * IPv4 there are NETADDR_IPV4_LESS less.
 */
#define NETADDR_OVERHEAD	(40 + 8 + 12 + 4 + 16 + 4)
#define NETADDR_IPV4_LESS	20

/* Return: the MTU of a device in bytes, or -errno. */
int netaddr_bytes(const char *netdev);

/**
 * netaddr_mtu() - largest path MTU that a device carries
 * @netdev: name of the device
 *
 * Return: enum xroce_mtu; -EMSGSIZE: not even the smallest path MTU; or another negative errno.
 */
int netaddr_mtu(const char *netdev);

#endif /* _XROCE_NETADDR_H */
