// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A client of the handshake in JSON: named regions, for as long as it stays. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limit.h"
#include "serve/handshake.h"
#include "serve/peer.h"
#include "serve/session.h"

/* The region once more, for this client alone. */
static int add_region(struct client *c, const struct region *region,
		      struct handshake_region *offer)
{
	struct xroce_mr_reg_shared reg = {
		.from = region->mr,
		.pd = c->pd,
		.access = region->access,
		.iova = region->iova,
	};
	int err;

	strcpy(reg.name, region->name);
	err = xroce_mr_reg_shared(c->server->x, &reg);
	if (err)
		return client_problem(c, err, "region %s: %s", region->name,
				      limit_reason(c->server->x, err, NULL,
						   &(struct wanted){ XROCE_COUNT_MR }));
	c->mrs[c->nmrs++] = reg.mr;
	*offer = (struct handshake_region){
		.name = region->name,
		.iova = reg.iova,
		.length = reg.length,
		.rkey = reg.rkey,
		.access = region->access & REGION_REMOTE,
	};
	return 0;
}

/* Say which there are, as far as there is room. */
static int no_region(struct client *c, const char *name)
{
	const struct regions *all = &c->server->regions;
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
	return client_problem(c, -ENOENT, "region: no region \"%s\"; there are: %s",
			      name, list);
}

/* The one that it asks for, or all. */
static int add_regions(struct client *c, const struct handshake *h,
		       struct handshake_region *offers)
{
	const struct regions *all = &c->server->regions;
	const struct region *one = NULL;
	size_t i;
	int err;

	if (!all->n)
		return client_problem(c, -ENOENT, "there are no regions with a name");
	if (*h->region) {
		one = regions_find(all, h->region);
		if (!one)
			return no_region(c, h->region);
		strcpy(c->report->region, one->name);
	}
	err = client_add_pd(c);
	for (i = 0; i < all->n && !err; i++)
		if (!one || one == &all->all[i])
			err = add_region(c, &all->all[i], &offers[c->nmrs]);
	return err;
}

static int connect_qp(struct client *c, const struct handshake *h,
		      const struct handshake_region *offers)
{
	struct client_end peer = { .qpn = h->qpn, .psn = h->psn };
	struct client_qp *qp;
	__u32 access = 0;
	unsigned int i;

	for (i = 0; i < c->nmrs; i++)
		access |= offers[i].access;
	c->mtu = c->server->mtu;
	if (h->mtu && h->mtu < c->mtu)
		c->mtu = h->mtu;
	memcpy(peer.gid, h->gid, sizeof(peer.gid));
	qp = client_add_qp(c, &peer);
	if (!qp)
		return -EIO;
	if (client_connect_qp(c, qp, access))
		return -EIO;
	c->report->mtu = 128 << c->mtu;
	if (c->server->verbose)
		fprintf(stderr, "xroce: qp 0x%06x peer 0x%06x psn 0x%06x regions %u\n",
			qp->own.qpn, peer.qpn, peer.psn, c->nmrs);
	return 0;
}

static int answer(struct client *c, const struct handshake_region *offers)
{
	struct handshake_answer a = {
		.qpn = c->qps[0].own.qpn,
		.psn = c->qps[0].own.psn,
		.mtu = c->mtu,
		.max_rd_atomic = CLIENT_RD_ATOMIC,
		.regions = offers,
		.n = c->nmrs,
	};
	char *line;
	int err;

	memcpy(a.gid, c->qps[0].own.gid, sizeof(a.gid));
	line = handshake_accept(&a);
	if (!line)
		return client_problem(c, -ENOMEM, "no memory");
	err = client_write(c, line, strlen(line));
	free(line);
	return err;
}

static int read_line(struct client *c, struct handshake *h)
{
	char line[HANDSHAKE_LINE_MAX], error[HANDSHAKE_ERROR_MAX];
	int n = peer_read_line(c->fd, line, sizeof(line), c->server->step_ms);

	if (n == -EMSGSIZE)
		return client_problem(c, n, "a line of more than %d bytes",
				      HANDSHAKE_LINE_MAX);
	if (n == -EBADMSG)
		return client_problem(c, n, "more than a line");
	if (n <= 0 || line[n - 1] != '\n')
		return client_bad_read(c, n < 0 ? n : 0, "line's end");
	if (!handshake_parse(line, n, h, error))
		return client_problem(c, -EPROTO, "%s", error);
	return 0;
}

/* It works without a word, until it closes. */
static int let_work(struct client *c)
{
	char text;
	int n;

	/* For who looks at the report. */
	while ((n = peer_wait(c->fd, 1000)) == -ETIMEDOUT)
		client_sum_up(c);
	if (!n)
		n = peer_read(c->fd, &text, 1, 0);
	if (!n || n == -ECONNRESET)
		return client_problem(c, 0, "done");
	if (n > 0)
		return client_problem(c, -EPROTO, "more than a line");
	if (n == -ETIMEDOUT)
		return client_problem(c, n, "it is no more");
	return client_bad_read(c, n, "end");
}

int client_json(struct client *c)
{
	struct handshake_region offers[REGIONS_MAX] = {};
	struct handshake h = {};
	int err = read_line(c, &h);

	if (!err)
		err = add_regions(c, &h, offers);
	if (!err)
		err = connect_qp(c, &h, offers);
	if (!err)
		err = answer(c, offers);
	if (!err)
		err = let_work(c);
	return err;
}

void client_json_refuse(struct client *c)
{
	char *line = handshake_refuse(c->report->result);

	if (line && !peer_write(c->fd, line, strlen(line), c->server->step_ms))
		peer_part(c->fd, c->server->step_ms);
	free(line);
}
