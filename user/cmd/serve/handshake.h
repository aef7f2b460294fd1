/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The handshake in JSON as text: a line from the client, and a line in reply. The manual page
 * xroce-serve(8) describes both. The client's line is untrusted and completely checked. What is
 * done for the client is in session_json.c.
 */
#ifndef _XROCE_HANDSHAKE_H
#define _XROCE_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "libxroce.h"

#define HANDSHAKE_LINE_MAX	4096	/* bytes of the client's line, with the newline */
#define HANDSHAKE_ERROR_MAX	256
#define HANDSHAKE_BEGINS	'{'	/* first byte of the line; that of perftest is a digit */

/**
 * struct handshake - the client's line
 * @qpn: number of its queue pair
 * @psn: packet sequence number of its first request
 * @gid: its address
 * @mtu: largest path MTU, enum xroce_mtu; 0: any
 * @region: name of the requested region; empty: all regions
 */
struct handshake {
	__u32 qpn;
	__u32 psn;
	__u8  gid[16];
	__u32 mtu;
	char region[XROCE_NAME_MAX];
};

/**
 * struct handshake_region - a region in the reply
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
 * struct handshake_response - the reply
 * @qpn: number of the server's queue pair
 * @psn: packet sequence number of the server's first request, if it sent any
 * @gid: the server's address
 * @mtu: path MTU of the connection, enum xroce_mtu
 * @max_rd_atomic: maximum number of READs and atomics in progress
 * @regions: the regions
 * @n: number of regions
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
 * handshake_parse() - parse and check a client's line
 * @line: the line, which need not end with NUL
 * @len: bytes of the line
 * @h: out
 * @error: out: HANDSHAKE_ERROR_MAX bytes: error text
 *
 * Return: whether the line is valid.
 */
bool handshake_parse(const char *line, size_t len, struct handshake *h,
		     char *error);

/* The reply to a client that is served, to be freed by free(3). NULL: no memory. */
char *handshake_accept(const struct handshake_response *response);

/* The reply to a client that is not served, likewise. */
char *handshake_refuse(const char *error);

#endif /* _XROCE_HANDSHAKE_H */
