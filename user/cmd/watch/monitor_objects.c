// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce monitor: objects that are added, deleted or changed. */
#include <string.h>

#include "clock.h"
#include "names.h"
#include "print.h"
#include "watch/monitor.h"

static void print_id(const struct object *o)
{
	static const char *const names[] = {
		[OBJECT_LINK] = "link", [OBJECT_PD] = "pd", [OBJECT_MR] = "mr",
		[OBJECT_MW] = "mw", [OBJECT_QP] = "qpn",
	};

	switch (o->kind) {
	case OBJECT_LINK:
		print_num(names[o->kind], o->link);
		break;
	case OBJECT_PD:
		print_num(names[o->kind], o->id);
		break;
	default:
		print_hex(names[o->kind], o->kind == OBJECT_QP ? 6 : 1, o->id);
		print_num("pd", o->pd);
	}
}

static void print_state(const struct object *o)
{
	switch (o->kind) {
	case OBJECT_MR:
		if (*o->name)
			print_str("name", o->name);
		print_hex("lkey", 8, o->key);
		print_size("length", o->length);
		break;
	case OBJECT_MW:
		print_str("state", o->state ? "bound" : "unbound");
		print_hex("rkey", 8, o->key);
		print_size("length", o->length);
		break;
	case OBJECT_QP:
		print_colored("state", name_of_qp_state(o->state),
			      o->state == XROCE_QPS_ERR ? COLOR_BAD :
							  COLOR_NONE);
		if (o->cause)
			print_colored("cause", xroce_cause_str(o->cause),
				      COLOR_BAD);
		if (o->short_of) {
			print_num("mtu", o->mtu);
			print_num("netdev_mtu", o->short_of);
		}
		break;
	default:
		break;
	}
}

/* True if a queue pair sends to another Ethernet address than before. */
static bool moved(const struct object *o, const struct object *p)
{
	static const __u8 none[sizeof(o->dmac)];

	return memcmp(o->dmac, p->dmac, sizeof(none)) && memcmp(o->dmac, none, sizeof(none)) &&
	       memcmp(p->dmac, none, sizeof(none));
}

/* @before: what the object was, if it has changed; or NULL. */
static bool tell(const char *event, const struct object *o, const struct object *before)
{
	monitor_begin(event, now_ns());
	print_dev(o->dev);
	print_id(o);
	if (strcmp(event, "del"))
		print_state(o);
	if (before && moved(before, o)) {
		print_mac("dmac", o->dmac);
		print_mac("dmac_before", before->dmac);
	}
	return monitor_end();
}

/*
 * True if it is another object with the same kind and number. Only links are told apart, by @key.
 */
static bool another(const struct object *o, const struct object *p)
{
	return o->kind == OBJECT_LINK && o->key != p->key;
}

static bool changed(const struct object *o, const struct object *p)
{
	return o->state != p->state || o->cause != p->cause ||
	       o->key != p->key || o->length != p->length ||
	       (o->pd != p->pd && o->kind != OBJECT_PD) || moved(o, p) ||
	       o->short_of != p->short_of ||
	       strcmp(o->name, p->name) || strcmp(o->dev, p->dev);
}

void monitor_compare(const struct objects *before, const struct objects *now)
{
	size_t b = 0, n = 0;
	int order;

	while (b < before->count || n < now->count) {
		const struct object *o = &before->objects[b];
		const struct object *p = &now->objects[n];

		order = b == before->count ? 1 : n == now->count ? -1 :
			object_compare(o, p);
		if (order < 0) {
			if (!tell("del", o, NULL))
				return;
		} else if (order > 0) {
			if (!tell("add", p, NULL))
				return;
		} else if (another(o, p)) {
			if (!tell("del", o, NULL) || !tell("add", p, NULL))
				return;
		} else if (changed(o, p) && !tell("change", p, o)) {
			return;
		}
		b += order <= 0;
		n += order >= 0;
	}
}
