/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* A list of all objects, to be compared with an earlier one. */
#ifndef _XROCE_SNAPSHOT_H
#define _XROCE_SNAPSHOT_H

#include <net/if.h>

#include "libxroce.h"

enum object_kind {
	OBJECT_LINK,
	OBJECT_PD,
	OBJECT_MR,
	OBJECT_MW,
	OBJECT_QP,
};

/**
 * struct object - an object
 * @kind: its kind
 * @link: number of the link
 * @id: number of the object on the link; 0 for the link itself
 * @dev: name of the link's device
 * @state: queue pair: enum xroce_qp_state; window: whether it is bound
 * @cause: queue pair: enum xroce_cause
 * @key: region: L_Key; window: R_Key; link: number of its map "events"
 * @length: region or bound window: length in bytes
 * @pd: protection domain
 * @dmac: queue pair: Ethernet address that it sends to; 0: none
 * @mtu: queue pair: bytes of its path MTU
 * @short_of: queue pair that is connected: the MTU of the network device, if packets of @mtu may
 *	exceed it; or 0
 * @name: region: its name
 */
struct object {
	enum object_kind kind;
	__u32 link;
	__u32 id;
	char dev[IF_NAMESIZE];
	__u32 state;
	__u32 cause;
	__u32 key;
	__u64 length;
	__u32 pd;
	__u8 dmac[6];
	__u32 mtu;
	__u32 short_of;
	char name[XROCE_NAME_MAX + 1];
};

/**
 * struct objects - all objects of this network namespace
 * @objects: the objects, sorted by link, kind and number
 * @count: number of objects
 */
struct objects {
	struct object *objects;
	size_t count;
};

/**
 * objects_take() - query all objects
 * @netdev: name of the device whose link is queried, which need not exist; NULL: all links
 * @o: out: to be freed by objects_free()
 *
 * Return: an exit status; after an error has been printed, @o is empty.
 */
int objects_take(const char *netdev, struct objects *o);

void objects_free(struct objects *o);

/* Order of objects_take(). */
int object_compare(const void *a, const void *b);

#endif /* _XROCE_SNAPSHOT_H */
