/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Messages of perftest over TCP, from the view of the passive side. The client sends each
 * message first; the reply has the same size. Messages are untrusted and completely checked.
 * session_perftest.c serves the client.
 */
#ifndef _XROCE_PERFTEST_H
#define _XROCE_PERFTEST_H

#include <stdbool.h>

#include <linux/types.h>

#define PERFTEST_PORT		18515
#define PERFTEST_VERSION_SIZE	16
#define PERFTEST_MTU_SIZE	2
#define PERFTEST_KEY_SIZE	108	/* with the NUL */
#define PERFTEST_REPORT_SIZE	8

/**
 * struct perftest_key - a side's description of one of its queue pairs
 * @lid: local identifier; 0 on Ethernet
 * @out_reads: READs and atomics in progress that the side accepts
 * @qpn: queue pair number
 * @psn: packet sequence number of its first request
 * @rkey: R_Key of its region
 * @va: address in its region
 * @gid: its address
 * @srqn: shared receive queue number, or 0
 */
struct perftest_key {
	__u32 lid;
	__u32 out_reads;
	__u32 qpn;
	__u32 psn;
	__u32 rkey;
	__u64 va;
	__u8  gid[16];
	__u32 srqn;
};

/* True if this side supports the version. */
bool perftest_version_ok(const char text[PERFTEST_VERSION_SIZE]);

/* The version to reply with: one that does not negotiate parameters. */
extern const char perftest_version[PERFTEST_VERSION_SIZE];

/* Return: enum xroce_mtu, or 0 if the message is not valid. */
__u32 perftest_mtu_parse(const char text[PERFTEST_MTU_SIZE]);
void perftest_mtu_format(__u32 mtu, char text[PERFTEST_MTU_SIZE]);

/* Return: false if the message is not valid. */
bool perftest_key_parse(const char text[PERFTEST_KEY_SIZE],
			struct perftest_key *key);
void perftest_key_format(const struct perftest_key *key,
			 char text[PERFTEST_KEY_SIZE]);

/* True if a message that begins with these bytes can be a key message. */
bool perftest_key_begins(const char text[PERFTEST_REPORT_SIZE]);

#endif /* _XROCE_PERFTEST_H */
