/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of IPv4 and IPv6 as GIDs. */
#ifndef XROCE_GID_H
#define XROCE_GID_H

#include <stdint.h>

struct ibv_context;

/* The GID of an address; an IPv4 address is mapped into IPv6. A failed check: it is none. */
void gid_parse(const char *address, uint8_t gid[16]);

/* The index of a GID of RoCEv2 at a device's port. Return: -1: it is not there. */
int gid_index(struct ibv_context *ctx, const uint8_t gid[16]);

#endif /* XROCE_GID_H */
