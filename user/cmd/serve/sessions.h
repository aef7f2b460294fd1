/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The clients of xroce serve, several at a time. */
#ifndef _XROCE_SESSIONS_H
#define _XROCE_SESSIONS_H

#include "serve/listener.h"
#include "serve/server.h"

#define SESSIONS_MAX	1024	/* at a time */

/**
 * struct sessions_opts - how many, and who wants to know
 * @max: at a time, 1 to SESSIONS_MAX
 * @count: leave when so many have been served; 0: never
 * @report: called, by the caller's thread, for each one that has left, with its
 *	address and how it went
 */
struct sessions_opts {
	unsigned int max;
	__u32 count;
	void (*report)(const char *name, const struct session_report *report);
};

/**
 * sessions_serve() - serve clients, each in a thread of its own
 * @server: what they are given
 * @listener: where they come from; closed when enough have come
 * @opts: see struct sessions_opts
 *
 * Those beyond @opts->max are told so, and are not counted.
 *
 * Return: 0, when enough have been served or a signal said stop; or a negative
 * errno. All have left then.
 */
int sessions_serve(struct server *server, struct listener *listener,
		   const struct sessions_opts *opts);

#endif /* _XROCE_SESSIONS_H */
