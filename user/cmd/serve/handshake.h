/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The handshake in JSON: a line from the client, a line for it. The manual page
 * xroce-serve(8) describes both. Nothing of a line is believed before it has been
 * checked.
 */
#ifndef _XROCE_HANDSHAKE_H
#define _XROCE_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "libxroce.h"

#define HANDSHAKE_LINE_MAX	4096	/* bytes of the client's, with the newline */
#define HANDSHAKE_ERROR_MAX	256
#define HANDSHAKE_BEGINS	'{'	/* the first byte; perftest's is a digit */

/**
 * struct handshake - what the client says
 * @qpn: number of its queue pair
 * @psn: packet sequence number that it sends first
 * @gid: its address
 * @mtu: largest path MTU, enum xroce_mtu; 0: any
 * @region: name of the one that it wants; empty: all
 */
struct handshake {
	__u32 qpn;
	__u32 psn;
	__u8  gid[16];
	__u32 mtu;
	char region[XROCE_NAME_MAX];
};

/**
 * struct handshake_region - what a client is told of a region
 * @name: its name
 * @iova: address by which the client names the first byte
 * @length: bytes
 * @rkey: the client's key
 * @access: XROCE_ACCESS_REMOTE_* and XROCE_ACCESS_FLUSH_GLOBAL
 */
struct handshake_region {
	const char *name;
	__u64 iova;
	__u64 length;
	__u32 rkey;
	__u32 access;
};

/**
 * struct handshake_response - what the client is told
 * @qpn: number of the server's queue pair
 * @psn: packet sequence number that it would send first
 * @gid: its address
 * @mtu: path MTU of the connection, enum xroce_mtu
 * @max_rd_atomic: READs and atomics that it answers at once
 * @regions: the regions
 * @n: how many
 */
struct handshake_response {
	__u32 qpn;
	__u32 psn;
	__u8  gid[16];
	__u32 mtu;
	__u32 max_rd_atomic;
	const struct handshake_region *regions;
	size_t n;
};

/**
 * handshake_parse() - read a client's line
 * @line: the line, which need not end with NUL
 * @len: its bytes
 * @h: out
 * @error: HANDSHAKE_ERROR_MAX bytes: out: what is wrong with it
 *
 * Return: whether it is one.
 */
bool handshake_parse(const char *line, size_t len, struct handshake *h,
		     char *error);

/* The line for a client that is served, for free(3); NULL: no memory. */
char *handshake_accept(const struct handshake_response *answer);

/* The line for one that is not. */
char *handshake_refuse(const char *error);

#endif /* _XROCE_HANDSHAKE_H */
