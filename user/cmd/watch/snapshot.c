// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* A list of all objects, to be compared with an earlier one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "array.h"
#include "dev.h"
#include "message.h"
#include "mr.h"
#include "netaddr.h"
#include "priv.h"
#include "qp.h"
#include "watch/snapshot.h"

static int add_pds(struct xroce *x, struct objects *o, struct object one)
{
	struct xroce_pd_query q = {};
	int err;

	one.kind = OBJECT_PD;
	for (;;) {
		q = (struct xroce_pd_query){
			.flags = XROCE_F_NEXT, .pd = one.id
		};
		err = xroce_pd_query(x, &q);
		if (err)
			return err;
		one.id = q.pd;
		one.pd = q.pd;
		if (!ARRAY_ADD(o->objects, o->count, one))
			return -ENOMEM;
		one.id = q.pd + 1;
	}
}

static int add_mrs(struct xroce *x, struct objects *o, struct object one)
{
	struct xroce_mr_query q;
	__u32 mr;
	int err;

	one.kind = OBJECT_MR;
	for (mr = 0; !(err = mr_next(x, mr, &q)); mr = q.mr + 1) {
		one.id = q.mr;
		one.pd = q.pd;
		one.key = q.lkey;
		one.length = q.length;
		snprintf(one.name, sizeof(one.name), "%.*s",
			 (int)sizeof(q.name), q.name);
		if (!ARRAY_ADD(o->objects, o->count, one))
			return -ENOMEM;
	}
	return err;
}

static int add_mws(struct xroce *x, struct objects *o, struct object one)
{
	struct xroce_mw_query q = {};
	int err;

	one.kind = OBJECT_MW;
	for (;; q.mw++) {
		q = (struct xroce_mw_query){
			.flags = XROCE_F_NEXT, .mw = q.mw
		};
		err = xroce_mw_query(x, &q);
		if (err)
			return err;
		one.id = q.mw;
		one.pd = q.pd;
		one.key = q.rkey;
		one.state = q.bound;
		one.length = q.bound ? q.length : 0;
		if (!ARRAY_ADD(o->objects, o->count, one))
			return -ENOMEM;
	}
}

/* True if packets of a queue pair may exceed the MTU of its device; a negative one is not known. */
static bool exceeds(const struct xroce_qp_query *q, int mtu)
{
	int less = netaddr_is_ipv4(q->dgid) ? NETADDR_IPV4_LESS : 0;

	return q->type != XROCE_QPT_UD && q->path_mtu && q->state >= XROCE_QPS_RTR &&
	       mtu > 0 && (128 << q->path_mtu) + NETADDR_OVERHEAD - less > mtu;
}

static int add_qps(struct xroce *x, struct objects *o, struct object one,
		   __u32 entries)
{
	int mtu = netaddr_bytes(one.dev), err;
	struct xroce_qp_query q;
	__u32 place = 0;

	one.kind = OBJECT_QP;
	while (!(err = qp_next(x, entries, &place, &q))) {
		one.id = q.qpn;
		one.pd = q.pd;
		one.state = q.state;
		one.cause = q.cause;
		memcpy(one.dmac, q.dmac, sizeof(one.dmac));
		one.mtu = 128u << q.path_mtu;
		one.short_of = exceeds(&q, mtu) ? mtu : 0;
		if (!ARRAY_ADD(o->objects, o->count, one))
			return -ENOMEM;
	}
	return err;
}

/* Number of the map "events", which is another one each time that the link is made. */
static __u32 ring_id(const char *dev)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = xroce_pin_open(dev, "events");

	if (fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		info.id = 0;
	close(fd);
	return info.id;
}

/* Add a link and its objects, fewer if the link is deleted meanwhile. Return: 0 or -errno. */
static int add_link(const struct xroce_link_query *link, struct objects *o)
{
	struct object one = {
		.kind = OBJECT_LINK, .link = link->link
	};
	struct xroce *x;
	int err;

	dev_name(link, one.dev);
	x = xroce_open(one.dev);
	if (!x)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	one.key = ring_id(one.dev);
	err = ARRAY_ADD(o->objects, o->count, one) ? 0 : -ENOMEM;
	one.key = 0;
	if (!err)
		err = add_pds(x, o, one);
	if (err == -ENOENT)
		err = add_mrs(x, o, one);
	if (err == -ENOENT)
		err = add_mws(x, o, one);
	if (err == -ENOENT)
		err = add_qps(x, o, one, link->qp_entries);
	xroce_close(x);
	return err == -ENOENT || err == -ENODEV ? 0 : err;
}

int object_compare(const void *a, const void *b)
{
	const struct object *o = a, *p = b;

	if (o->link != p->link)
		return o->link > p->link ? 1 : -1;
	if (o->kind != p->kind)
		return o->kind > p->kind ? 1 : -1;
	return (o->id > p->id) - (o->id < p->id);
}

int objects_take(const char *netdev, struct objects *o)
{
	struct xroce_link_query q = {};
	__u32 ifindex = netdev ? if_nametoindex(netdev) : 0;
	int err;

	memset(o, 0, sizeof(*o));
	while (!(err = xroce_link_next(&q, false))) {
		if (!q.mpt_entries || (netdev && ifindex != q.ifindex))
			continue;
		err = add_link(&q, o);
		if (err)
			break;
	}
	if (err != -ENOENT) {
		objects_free(o);
		return fail("monitor: %s", reason(err, NULL));
	}
	if (o->count)
		qsort(o->objects, o->count, sizeof(*o->objects),
		      object_compare);
	return EXIT_OK;
}

void objects_free(struct objects *o)
{
	free(o->objects);
	memset(o, 0, sizeof(*o));
}
