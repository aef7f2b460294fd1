/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* All clients of xroce serve. session.h has one client. */
#ifndef _XROCE_SESSIONS_H
#define _XROCE_SESSIONS_H

#include "serve/cm.h"
#include "serve/listener.h"
#include "serve/server.h"

#define SESSIONS_MAX	1024	/* maximum number of clients at a time */

/**
 * struct sessions_opts - limits and callback
 * @max: maximum number of clients at a time, 1 to SESSIONS_MAX
 * @count: return after so many clients; 0: never
 * @report: called in the caller's thread for each client that has left or was refused, with
 *	its address and the report
 */
struct sessions_opts {
	unsigned int max;
	__u32 count;
	void (*report)(const char *name, const struct session_report *report);
};

/**
 * sessions_serve() - serve clients, each in its own thread
 * @server: parameters for all clients
 * @listener: listening sockets; closed after @opts->count clients, and at the end
 * @cm: listens for rdma_cm, or does not; likewise
 * @opts: see struct sessions_opts
 *
 * Clients beyond @opts->max are refused with an error, and are not counted.
 *
 * Return: 0: @opts->count clients have been served, or a signal said stop; or a negative
 * errno. All clients have left then.
 */
int sessions_serve(struct server *server, struct listener *listener,
		   struct cm_listener *cm, const struct sessions_opts *opts);

#endif /* _XROCE_SESSIONS_H */
