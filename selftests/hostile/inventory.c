// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include "inventory.h"

static void add(struct inventory *v, const void *bytes, size_t n)
{
	if (!check(v->bytes + n <= sizeof(v->byte), "too much"))
		return;
	memcpy(v->byte + v->bytes, bytes, n);
	v->bytes += n;
}

static void add_entry(struct inventory *v, const char *map, __u32 key, size_t size)
{
	char value[1024];

	if (check(size <= sizeof(value), "%s: %zu bytes", map, size) &&
	    live_map_get(LIVE_DEV, map, key, value))
		add(v, value, size);
}

/*
 * Add all objects of a kind. @q is a zeroed structure for a query, with the number at
 * offset @at. A descriptor without a link has no objects.
 */
static void add_all(struct inventory *v, int fd, unsigned long nr, void *q,
		    size_t size, size_t at)
{
	__u32 *head = q, *number = (void *)((char *)q + at);

	for (; ; ++*number) {
		head[0] = size;
		head[1] = XROCE_F_NEXT;
		if (live_ioctl(fd, nr, q))
			break;
		add(v, q, size);
		v->objects++;
		if (nr == XROCE_CMD_MW_QUERY)
			add_entry(v, "mpt", *number, sizeof(struct xroce_mpt));
	}
}

static void add_regions(struct inventory *v, int fd)
{
	const size_t events = offsetof(struct xroce_mr_query, odp_resident);
	struct xroce_mr_query q = {};

	for (; ; q.mr++) {
		q.size = sizeof(q);
		q.flags = XROCE_F_NEXT;
		if (live_ioctl(fd, XROCE_CMD_MR_QUERY, &q))
			break;
		add(v, &q, events);
		v->objects++;
		add_entry(v, "mpt", q.mr, sizeof(struct xroce_mpt));
	}
}

/* Queue pairs are listed in the order of their slots. */
static void add_qps(struct inventory *v, int fd)
{
	struct xroce_qp_query q = {};
	__u32 place;

	for (place = 0; place < LIVE_QP_ENTRIES; place++) {
		q.size = sizeof(q);
		q.flags = XROCE_F_NEXT;
		q.qpn = place;
		if (live_ioctl(fd, XROCE_CMD_QP_QUERY, &q))
			break;
		add(v, &q, sizeof(q));
		v->objects++;
		place = q.qpn % LIVE_QP_ENTRIES;
		add_entry(v, "qp", place, sizeof(struct xroce_qp));
	}
}

void inventory_take(int fd, struct inventory *v)
{
	struct xroce_mtt_query pool = { .size = sizeof(pool) };
	struct xroce_link_query link = {};
	struct xroce_pd_query pd = {};
	struct xroce_mw_query mw = {};
	long pages[2] = { live_pinned(), live_vmpin() };

	v->bytes = 0;
	v->objects = 0;
	add(v, pages, sizeof(pages));
	check(!live_ioctl(fd, XROCE_CMD_MTT_QUERY, &pool), "MTT_QUERY");
	add(v, &pool, sizeof(pool));
	add_all(v, fd, XROCE_CMD_LINK_QUERY, &link, sizeof(link),
		offsetof(struct xroce_link_query, link));
	add_all(v, fd, XROCE_CMD_PD_QUERY, &pd, sizeof(pd),
		offsetof(struct xroce_pd_query, pd));
	add_all(v, fd, XROCE_CMD_MW_QUERY, &mw, sizeof(mw),
		offsetof(struct xroce_mw_query, mw));
	add_regions(v, fd);
	add_qps(v, fd);
}

bool inventory_same(const struct inventory *was, const struct inventory *is,
		    const char *when)
{
	size_t i;

	for (i = 0; i < was->bytes && i < is->bytes; i++)
		if (was->byte[i] != is->byte[i])
			break;
	return check(was->bytes == is->bytes && i == was->bytes,
		     "%s: %u objects were there, %u are; byte %zu differs: %ld pages pinned, were %ld",
		     when, was->objects, is->objects, i, *(long *)is->byte,
		     *(long *)was->byte);
}
