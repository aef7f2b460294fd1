/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A session of xroce serve: what a client was given, while it stays. */
#ifndef _XROCE_SESSION_H
#define _XROCE_SESSION_H

#include "serve/server.h"

#define SESSION_RD_ATOMIC	16	/* answered at once */

/**
 * struct session_end - one end of a connection
 * @qpn: queue pair number
 * @psn: packet sequence number that it sends first
 * @gid: its address
 */
struct session_end {
	__u32 qpn;
	__u32 psn;
	__u8  gid[16];
};

/**
 * struct session_qp - a queue pair of the client's
 * @peer: the client's end
 * @own: the server's
 * @buf: memory for it alone; MAP_FAILED: none
 * @mr: region over @buf
 * @have_mr: there is one
 * @rkey: its key
 * @out_reads: READs and atomics that are answered at once
 */
struct session_qp {
	struct session_end peer;
	struct session_end own;
	void *buf;
	__u32 mr;
	bool have_mr;
	__u32 rkey;
	__u32 out_reads;
};

/**
 * struct session - a client while it is served
 * @server: what all are given
 * @report: how it goes
 * @fd: its connection
 * @pd: protection domain of all that it has
 * @have_pd: there is one
 * @mtu: path MTU, enum xroce_mtu
 * @nqps: number of queue pairs
 * @nmrs: number of named regions
 * @mrs: handles of its own regions over these
 * @qps: the queue pairs
 */
struct session {
	struct server *server;
	struct session_report *report;
	int fd;
	__u32 pd;
	bool have_pd;
	__u32 mtu;
	unsigned int nqps;
	unsigned int nmrs;
	__u32 mrs[REGIONS_MAX];
	struct session_qp qps[SESSION_QPS_MAX];
};

/**
 * session_serve() - play the passive side of the handshake that the client begins
 * @server: what the client is given
 * @fd: its connection; stays the caller's
 * @report: out; with @server's lock the numbers may be read meanwhile
 *
 * Any number of threads may do so. All that the client was given is taken back
 * before this returns.
 *
 * Return: 0 whatever the client did; -EINTR: a signal said stop.
 */
int session_serve(struct server *server, int fd, struct session_report *report);

/* Leave what went wrong for the report. Return: @err. */
int session_problem(struct session *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What did not come, or came in part. Return: a negative errno. */
int session_bad_read(struct session *s, int err, const char *what);

int session_write(struct session *s, const void *buf, size_t size);

/* Make sure that it has a protection domain. Return: 0 or -errno. */
int session_add_pd(struct session *s);

/**
 * session_add_qp() - add a queue pair, in the state RESET
 * @s: the session
 * @peer: its end
 *
 * It is counted, and so taken back, whatever happens to it from here on.
 *
 * Return: it, or NULL after leaving why.
 */
struct session_qp *session_add_qp(struct session *s, const struct session_end *peer);

/* Take it to RTS, with these rights, XROCE_ACCESS_*. Return: 0 or -errno. */
int session_connect_qp(struct session *s, struct session_qp *qp, __u32 access);

/* Bring the report's numbers up to date. */
void session_sum_up(struct session *s);

/* The handshakes, up to the end of the client. Return: 0 or -errno. */
int session_perftest(struct session *s);
int session_json(struct session *s);

/* Send what is in the report to a client that has not been told it yet. */
void session_json_refuse(struct session *s);

#endif /* _XROCE_SESSION_H */
