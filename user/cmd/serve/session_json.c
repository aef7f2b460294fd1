// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A client of the handshake in JSON: it has access to named regions until it disconnects.
 * handshake.c parses the client's line and writes the reply.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/handshake.h"
#include "serve/peer.h"
#include "serve/session.h"

static int answer(struct session *s, const struct handshake_region *offers)
{
	struct handshake_response a = {
		.qpn = s->qps[0].own.qpn,
		.psn = s->qps[0].own.psn,
		.mtu = s->mtu,
		.max_rd_atomic = SESSION_RD_ATOMIC,
		.regions = offers,
		.n = s->nmrs,
	};
	char *line;
	int err;

	memcpy(a.gid, s->qps[0].own.gid, sizeof(a.gid));
	line = handshake_accept(&a);
	if (!line)
		return session_problem(s, -ENOMEM, "no memory");
	err = session_write(s, line, strlen(line));
	free(line);
	return err;
}

/* Find or choose what the connection needs, and connect. */
static int serve(struct session *s, const struct handshake *h)
{
	struct handshake_region offers[REGIONS_MAX] = {};
	struct session_end peer = { .qpn = h->qpn, .psn = h->psn };
	int err;

	memcpy(peer.gid, h->gid, sizeof(peer.gid));
	s->mtu = s->server->mtu;
	if (h->mtu && h->mtu < s->mtu)
		s->mtu = h->mtu;
	err = session_add_regions(s, h->region, offers);
	if (!err)
		err = session_connect(s, &peer, NULL, offers);
	return err ? err : answer(s, offers);
}

static int read_line(struct session *s, struct handshake *h)
{
	char line[HANDSHAKE_LINE_MAX], error[HANDSHAKE_ERROR_MAX];
	int n = peer_read_line(s->fd, line, sizeof(line), s->server->step_ms);

	if (n == -EMSGSIZE)
		return session_problem(s, n, "a line of more than %d bytes",
				       HANDSHAKE_LINE_MAX);
	if (n == -EBADMSG)
		return session_problem(s, n, "data after the line");
	if (n <= 0 || line[n - 1] != '\n')
		return session_bad_read(s, n < 0 ? n : 0, "newline");
	if (!handshake_parse(line, n, h, error))
		return session_problem(s, -EPROTO, "%s", error);
	return 0;
}

/* Wait until the client closes the connection. Until then it must not send anything. */
static int let_work(struct session *s)
{
	char text;
	int n;

	/* Keep the report up to date for the display of progress. */
	while ((n = peer_wait(s->fd, 1000)) == -ETIMEDOUT)
		session_sum_up(s);
	if (!n)
		n = peer_read(s->fd, &text, 1, 0);
	if (!n || n == -ECONNRESET)
		return session_problem(s, 0, "done");
	if (n > 0)
		return session_problem(s, -EPROTO, "data after the line");
	if (n == -ETIMEDOUT)
		return session_problem(s, n, "connection timed out");
	return session_bad_read(s, n, "connection");
}

int session_json(struct session *s)
{
	struct handshake h = {};
	int err = read_line(s, &h);

	if (!err)
		err = serve(s, &h);
	if (!err)
		err = let_work(s);
	return err;
}

void session_json_refuse(struct session *s)
{
	char *line = handshake_refuse(s->report->result);

	if (line && !peer_write(s->fd, line, strlen(line), s->server->step_ms))
		peer_part(s->fd, s->server->step_ms);
	free(line);
}
