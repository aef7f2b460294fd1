/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* One client of xroce serve: its queue pairs and their regions, while it stays. */
#ifndef _XROCE_CLIENT_H
#define _XROCE_CLIENT_H

#include <stdbool.h>

#include "libxroce.h"

#define CLIENT_QPS_MAX	1024

/**
 * struct server - what all clients are given
 * @x: the handle
 * @netdev: the device it works on
 * @pd: protection domain of all queue pairs and regions
 * @size: bytes of each queue pair's region, a multiple of the page size
 * @file: file that the regions lie over, one after the other; -1: fresh memory
 * @max_qps: queue pairs that a client may have, up to CLIENT_QPS_MAX
 * @mtu: largest path MTU, enum xroce_mtu
 * @step_ms: a client has this long for each step of the handshake
 * @idle_ms: a client may send nothing for this long
 * @have_gid: @gid is given
 * @gid: own address; else it is chosen by the client's
 * @verbose: tell of each queue pair on stderr
 */
struct server {
	struct xroce *x;
	const char *netdev;
	__u32 pd;
	__u64 size;
	int file;
	unsigned int max_qps;
	__u32 mtu;
	int step_ms;
	int idle_ms;
	bool have_gid;
	__u8 gid[16];
	bool verbose;
};

/**
 * struct client_report - how it went with a client
 * @qps: number of queue pairs
 * @qpn: number of the first
 * @mtu: bytes of the path MTU; 0: it did not come to that
 * @packets: requests taken in order, of all queue pairs
 * @bytes: payload written
 * @duplicates: requests seen again
 * @naks: negative acknowledgements sent
 * @cause: enum xroce_cause that ended the first queue pair which was ended
 * @result: "done", or what went wrong
 */
struct client_report {
	unsigned int qps;
	__u32 qpn;
	__u32 mtu;
	__u64 packets;
	__u64 bytes;
	__u64 duplicates;
	__u64 naks;
	__u32 cause;
	char result[128];
};

/**
 * client_serve() - play the passive side of perftest's handshake
 * @server: what the client is given
 * @fd: its connection; stays the caller's
 * @report: out
 *
 * All that the client was given is taken back before this returns.
 *
 * Return: 0 whatever the client did; -EINTR: a signal said stop.
 */
int client_serve(const struct server *server, int fd,
		 struct client_report *report);

#endif /* _XROCE_CLIENT_H */
