/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The size of a link's table of queue pairs if the caller does not choose one. */
#ifndef _XROCE_QP_TABLE_H
#define _XROCE_QP_TABLE_H

#include <linux/types.h>

#include "libxroce.h"
#include "xroce_map.h"

/* An entry takes some 4.4 KiB. All of them are allocated with the link. */
#define XROCE_QP_ENTRY	(sizeof(struct xroce_qp) + sizeof(struct xroce_rd_ring))

/*
 * The largest power of two whose entries take at most a 512th of the machine's memory, but at least
 * XROCE_QP_ENTRIES and at most XROCE_QP_ENTRIES_AUTO.
 */
static inline __u32 xroce_qp_entries(__u64 memory)
{
	__u32 entries = XROCE_QP_ENTRIES;

	while (entries < XROCE_QP_ENTRIES_AUTO &&
	       2 * entries * XROCE_QP_ENTRY <= memory / 512)
		entries *= 2;
	return entries;
}

#endif /* _XROCE_QP_TABLE_H */
