/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* All objects there are, to be compared with those there were. */
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
 * struct object - one of them
 * @kind: what it is
 * @link: number of the link
 * @id: its number there; 0: the link itself
 * @dev: name of the link's device
 * @state: of a queue pair: enum xroce_qp_state; of a window: whether it is bound
 * @cause: of a queue pair: enum xroce_cause
 * @key: of a region: L_Key; of a window: R_Key; of a link: id of its ring of events
 * @length: of a region or a bound window
 * @pd: protection domain
 * @name: of a region
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
	char name[XROCE_NAME_MAX + 1];
};

/**
 * struct objects - all of this network namespace
 * @objects: by link, kind and number
 * @count: how many
 */
struct objects {
	struct object *objects;
	size_t count;
};

/**
 * objects_take() - look at all
 * @netdev: only at this device's link, which need not be there; NULL: at all
 * @o: out: for objects_free()
 *
 * Return: an exit status; what is wrong has been said, and @o is empty.
 */
int objects_take(const char *netdev, struct objects *o);

void objects_free(struct objects *o);

/* Order of objects_take(). */
int object_compare(const void *a, const void *b);

#endif /* _XROCE_SNAPSHOT_H */
