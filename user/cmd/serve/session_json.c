// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A client of the handshake in JSON: it has access to named regions until it disconnects. Finds
 * the requested region, registers it for the client, and connects a queue pair. handshake.c
 * parses the client's line and writes the reply.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "serve/handshake.h"
#include "serve/peer.h"
#include "serve/session.h"

/* Register the memory of a named region again, for this client only. */
static int add_region(struct session *s, const struct region *region,
		      struct handshake_region *offer)
{
	struct xroce_mr_reg_shared reg = {
		.from = region->mr,
		.pd = s->pd,
		.access = region->access,
		.iova = region->iova,
	};
	int err;

	strcpy(reg.name, region->name);
	err = xroce_mr_reg_shared(s->server->x, &reg);
	if (err)
		return session_problem(s, err, "region %s: %s", region->name,
				       limit_reason(s->server->x, err, NULL,
						    &(struct wanted){ XROCE_COUNT_MR }));
	s->mrs[s->nmrs++] = reg.mr;
	*offer = (struct handshake_region){
		.name = region->name,
		.iova = reg.iova,
		.length = reg.length,
		.rkey = reg.rkey,
		.access = region->access & REGION_REMOTE,
	};
	return 0;
}

/* Report that the requested region does not exist, with a list of regions as far as it fits. */
static int no_region(struct session *s, const char *name)
{
	const struct regions *all = &s->server->regions;
	char list[128] = "";
	size_t i;

	for (i = 0; i < all->n; i++) {
		if (strlen(list) + strlen(all->all[i].name) + 6 > sizeof(list)) {
			strcat(list, ", ...");
			break;
		}
		strcat(list, *list ? ", " : "");
		strcat(list, all->all[i].name);
	}
	return session_problem(s, -ENOENT, "region: no region \"%s\"; the regions are: %s",
			       name, list);
}

/* Register the requested region, or all regions. */
static int add_regions(struct session *s, const struct handshake *h,
		       struct handshake_region *offers)
{
	const struct regions *all = &s->server->regions;
	const struct region *one = NULL;
	size_t i;
	int err;

	if (!all->n)
		return session_problem(s, -ENOENT, "the server has no named regions");
	if (*h->region) {
		one = regions_find(all, h->region);
		if (!one)
			return no_region(s, h->region);
		strcpy(s->report->region, one->name);
	}
	err = session_add_pd(s);
	for (i = 0; i < all->n && !err; i++)
		if (!one || one == &all->all[i])
			err = add_region(s, &all->all[i], &offers[s->nmrs]);
	return err;
}

static int connect_qp(struct session *s, const struct handshake *h,
		      const struct handshake_region *offers)
{
	struct session_end peer = { .qpn = h->qpn, .psn = h->psn };
	struct session_qp *qp;
	__u32 access = 0;
	unsigned int i;

	for (i = 0; i < s->nmrs; i++)
		access |= offers[i].access;
	s->mtu = s->server->mtu;
	if (h->mtu && h->mtu < s->mtu)
		s->mtu = h->mtu;
	memcpy(peer.gid, h->gid, sizeof(peer.gid));
	qp = session_add_qp(s, &peer);
	if (!qp)
		return -EIO;
	if (session_connect_qp(s, qp, access))
		return -EIO;
	s->report->mtu = 128 << s->mtu;
	if (s->server->verbose)
		fprintf(stderr, "xroce: qp 0x%06x peer 0x%06x psn 0x%06x regions %u\n",
			qp->own.qpn, peer.qpn, peer.psn, s->nmrs);
	return 0;
}

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
	struct handshake_region offers[REGIONS_MAX] = {};
	struct handshake h = {};
	int err = read_line(s, &h);

	if (!err)
		err = add_regions(s, &h, offers);
	if (!err)
		err = connect_qp(s, &h, offers);
	if (!err)
		err = answer(s, offers);
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
