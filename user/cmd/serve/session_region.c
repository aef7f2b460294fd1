// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A client of named regions, of either handshake: finds the requested region, registers it for
 * the client, and connects a queue pair.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "limit_reason.h"
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
	static const char more[] = ", ...";
	char list[128] = "";
	size_t i;

	for (i = 0; i < all->n; i++) {
		/* Behind ", " and the name there is room for the end of the list, too. */
		if (strlen(list) + 2 + strlen(all->all[i].name) + sizeof(more) > sizeof(list)) {
			strcat(list, more);
			break;
		}
		strcat(list, *list ? ", " : "");
		strcat(list, all->all[i].name);
	}
	return session_problem(s, -ENOENT, "region: no region \"%s\"; the regions are: %s",
			       name, list);
}

int session_add_regions(struct session *s, const char *name,
			struct handshake_region *offers)
{
	const struct regions *all = &s->server->regions;
	const struct region *one = NULL;
	size_t i;
	int err;

	if (!all->n)
		return session_problem(s, -ENOENT, "the server has no named regions");
	if (*name) {
		one = regions_find(all, name);
		if (!one)
			return no_region(s, name);
		strcpy(s->report->region, one->name);
	}
	err = session_add_pd(s);
	for (i = 0; i < all->n && !err; i++)
		if (!one || one == &all->all[i])
			err = add_region(s, &all->all[i], &offers[s->nmrs]);
	return err;
}

int session_connect(struct session *s, const struct session_end *peer,
		    const __u8 *own_gid, const struct handshake_region *offers)
{
	struct session_qp *qp;
	__u32 access = 0;
	unsigned int i;

	for (i = 0; i < s->nmrs; i++)
		access |= offers[i].access;
	qp = session_add_qp(s, peer, own_gid);
	if (!qp)
		return -EIO;
	if (session_connect_qp(s, qp, access))
		return -EIO;
	s->report->mtu = 128 << s->mtu;
	if (s->server->verbose)
		fprintf(stderr, "xroce: qp 0x%06x peer 0x%06x psn 0x%06x regions %u\n",
			qp->own.qpn, peer->qpn, peer->psn, s->nmrs);
	return 0;
}
