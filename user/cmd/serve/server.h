/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Parameters of xroce serve for all clients, and the report about a client. */
#ifndef _XROCE_SERVER_H
#define _XROCE_SERVER_H

#include <pthread.h>
#include <stdbool.h>

#include "libxroce.h"
#include "serve/regions.h"

#define SESSION_QPS_MAX	1024

/**
 * struct server - parameters for all clients
 * @x: the handle
 * @netdev: name of the link's device
 * @regions: the named regions
 * @size: perftest: bytes of the region of each queue pair, a multiple of the page size;
 *	0: perftest is not served
 * @file: perftest: file that contains these regions, one after the other; -1: anonymous memory
 * @max_qps: maximum number of queue pairs of a client, up to SESSION_QPS_MAX
 * @mtu: largest path MTU, enum xroce_mtu
 * @step_ms: time limit for each step of the handshake, milliseconds
 * @idle_ms: perftest: time limit for a client that sends nothing, milliseconds
 * @cm_idle_ms: rdma_cm: likewise; 0: none
 * @have_gid: @gid is given
 * @gid: own address; if not given, it is chosen by the client's address
 * @verbose: print each queue pair on stderr
 * @lock: protects the length of @file, and the reports of clients that are being served
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
	int cm_idle_ms;
	bool have_gid;
	__u8 gid[16];
	bool verbose;
	pthread_mutex_t lock;
};

/**
 * struct session_report - report about a client; counters are sums over its queue pairs
 * @region: name of the region that it requested; empty: none in particular
 * @qps: number of queue pairs
 * @qpn: queue pair number of the first one
 * @mtu: path MTU in bytes; 0: the handshake failed before it was known
 * @packets: requests accepted in order
 * @bytes: payload bytes written
 * @tx: responses sent
 * @tx_bytes: bytes of these responses, with all headers
 * @duplicates: duplicate requests
 * @naks: negative acknowledgements sent
 * @cause: enum xroce_cause of the first queue pair that a refusal has ended; 0: none
 * @result: "done", or an error text
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
