/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A session of xroce serve: one client, and its objects while it is connected. sessions.h has
 * all clients.
 */
#ifndef _XROCE_SESSION_H
#define _XROCE_SESSION_H

#include "serve/cm.h"
#include "serve/end.h"
#include "serve/handshake.h"
#include "serve/server.h"

#define SESSION_RD_ATOMIC	16	/* READs and atomics in progress */

/**
 * struct session_qp - a queue pair for the client
 * @peer: the client's end
 * @own: the server's end
 * @buf: perftest: memory of this queue pair; MAP_FAILED: none
 * @mr: handle of the region over @buf
 * @have_mr: @mr and @rkey are valid
 * @rkey: R_Key of that region
 * @out_reads: maximum number of READs and atomics in progress
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
 * @server: parameters for all clients
 * @report: the report about it
 * @fd: its TCP connection; -1: none
 * @cm: its connection by rdma_cm; NULL: none
 * @pd: protection domain of all its objects
 * @have_pd: @pd is valid
 * @mtu: path MTU, enum xroce_mtu
 * @packets: packets that it had sent when it was last looked at
 * @idle_ms: time without a packet since, milliseconds
 * @nqps: number of queue pairs
 * @nmrs: number of elements in @mrs
 * @mrs: handles of its regions over the memory of the named regions
 * @qps: the queue pairs
 */
struct session {
	struct server *server;
	struct session_report *report;
	int fd;
	struct cm_client *cm;
	__u32 pd;
	bool have_pd;
	__u32 mtu;
	__u64 packets;
	int idle_ms;
	unsigned int nqps;
	unsigned int nmrs;
	__u32 mrs[REGIONS_MAX];
	struct session_qp qps[SESSION_QPS_MAX];
};

/**
 * session_serve() - serve a client from the handshake to its end
 * @server: parameters for all clients
 * @fd: its TCP connection, which continues to belong to the caller; -1: none
 * @cm: its request by rdma_cm, likewise; NULL: none
 * @report: out; its numbers may be read meanwhile under @server's lock
 *
 * Any number of threads may call this. All objects of the client are destroyed before it
 * returns.
 *
 * Return: 0 whatever the client did; -EINTR: a signal said stop.
 */
int session_serve(struct server *server, int fd, struct cm_client *cm,
		  struct session_report *report);

/* Write the result into the report. Return: @err. */
int session_problem(struct session *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Write into the report that the message @what was not received. @err: negative errno, or the
 * number of bytes received before the peer closed. Return: a negative errno.
 */
int session_bad_read(struct session *s, int err, const char *what);

/* Send a message to the client. Return: 0, or -errno with the reason in the report. */
int session_write(struct session *s, const void *buf, size_t size);

/* Allocate the client's protection domain unless it has one. Return: 0 or -errno. */
int session_add_pd(struct session *s);

/**
 * session_add_qp() - add a queue pair, in state RESET
 * @s: the session
 * @peer: the client's end
 * @own_gid: the server's address; NULL: choose one
 *
 * The end of the session destroys it, also if this function fails after creating it.
 *
 * Return: the queue pair, or NULL with the reason in the report.
 */
struct session_qp *session_add_qp(struct session *s, const struct session_end *peer,
				  const __u8 *own_gid);

/* Bring a queue pair from RESET to RTS. @access: rights, XROCE_ACCESS_*. Return: 0 or -errno. */
int session_connect_qp(struct session *s, struct session_qp *qp, __u32 access);

/**
 * session_add_regions() - register named regions for the client
 * @s: the session
 * @name: name of the requested region; empty: all regions
 * @offers: out: REGIONS_MAX elements, of which the first @s->nmrs are filled
 *
 * Return: 0, or -errno with the reason in the report; the client may see it.
 */
int session_add_regions(struct session *s, const char *name,
			struct handshake_region *offers);

/**
 * session_connect() - add and connect the queue pair for these regions
 * @s: the session; its @mtu is the path MTU of the connection
 * @peer: the client's end
 * @own_gid: the server's address; NULL: choose one
 * @offers: the regions, from session_add_regions()
 *
 * Return: 0, or -errno with the reason in the report.
 */
int session_connect(struct session *s, const struct session_end *peer,
		    const __u8 *own_gid, const struct handshake_region *offers);

/* Update the numbers in the report. */
void session_sum_up(struct session *s);

/**
 * session_second() - look at the client's packets, after a second in which it said nothing else
 * @s: the session; its @idle_ms is 0 at first
 * @limit_ms: time limit for a client that sends no packets, milliseconds; 0: none
 *
 * Updates the report, too.
 *
 * Return: 0; -ETIMEDOUT: the time is over, which is in the report.
 */
int session_second(struct session *s, int limit_ms);

/* Serve a client by one of the handshakes until it leaves. Return: 0 or -errno. */
int session_perftest(struct session *s);
int session_json(struct session *s);
int session_cm(struct session *s);

/* Send the result in the report to the client, as an error. */
void session_json_refuse(struct session *s);

#endif /* _XROCE_SESSION_H */
