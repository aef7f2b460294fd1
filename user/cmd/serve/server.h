/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What all clients of xroce serve are given, and how it went with each. */
#ifndef _XROCE_SERVER_H
#define _XROCE_SERVER_H

#include <pthread.h>
#include <stdbool.h>

#include "libxroce.h"
#include "serve/regions.h"

#define SESSION_QPS_MAX	1024

/**
 * struct server - what all clients are given
 * @x: the handle
 * @netdev: the device it works on
 * @regions: those with a name
 * @size: bytes of the region of each queue pair of perftest's, a multiple of the
 *	page size; 0: perftest is not served
 * @file: file that these lie over, one after the other; -1: fresh memory
 * @max_qps: queue pairs that a client may have, up to SESSION_QPS_MAX
 * @mtu: largest path MTU, enum xroce_mtu
 * @step_ms: a client has this long for each step of the handshake
 * @idle_ms: a client of perftest's may send nothing for this long
 * @have_gid: @gid is given
 * @gid: own address; else it is chosen by the client's
 * @verbose: tell of each queue pair on stderr
 * @lock: of the length of @file, and of the reports of clients that are served
 */
struct server {
	struct xroce *x;
	const char *netdev;
	struct regions regions;
	__u64 size;
	int file;
	unsigned int max_qps;
	__u32 mtu;
	int step_ms;
	int idle_ms;
	bool have_gid;
	__u8 gid[16];
	bool verbose;
	pthread_mutex_t lock;
};

/**
 * struct session_report - how it went with a client
 * @region: the named one that it asked for; empty: none in particular
 * @qps: number of queue pairs
 * @qpn: number of the first
 * @mtu: bytes of the path MTU; 0: it did not come to that
 * @packets: requests taken in order, of all queue pairs
 * @bytes: payload written
 * @tx: responses sent
 * @tx_bytes: their bytes, with all headers
 * @duplicates: requests seen again
 * @naks: negative acknowledgements sent
 * @cause: enum xroce_cause that ended the first queue pair which was ended
 * @result: "done", or what went wrong
 */
struct session_report {
	char region[XROCE_NAME_MAX];
	unsigned int qps;
	__u32 qpn;
	__u32 mtu;
	__u64 packets;
	__u64 bytes;
	__u64 tx;
	__u64 tx_bytes;
	__u64 duplicates;
	__u64 naks;
	__u32 cause;
	char result[256];
};

#endif /* _XROCE_SERVER_H */
