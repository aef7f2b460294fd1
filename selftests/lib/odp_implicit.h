/* SPDX-License-Identifier: GPL-2.0-only */
/* On-demand regions that are all of an address space, and made-up peers of them. */
#ifndef XROCE_ODP_IMPLICIT_H
#define XROCE_ODP_IMPLICIT_H

#include <stdint.h>

#include <sys/types.h>

#include "odp.h"

#define IMPLICIT_CHILD	(64 * 4096ull)	/* bytes that a part of one covers */

/*
 * As odp_open_opts(), with the address space for a region; @o->mem is a part of it
 * of which nothing is there.
 */
bool implicit_open(struct odp *o, size_t pages, const struct wire_opts *opts);

/* Another queue pair and region, as odp_again(). */
bool implicit_again(struct odp *o);

/* Register the address space of @pid, 0: one's own, in @o's protection domain. */
bool implicit_register(struct odp *o, pid_t pid, struct xroce_mr_reg *mr);

/* For odp_write() and odp_read(): where an address is. */
static inline size_t implicit_at(const void *addr)
{
	return (uintptr_t)addr - ODP_IOVA;
}

/* It has @parts of them before patience ends. */
void implicit_expect_children(struct odp *o, uint64_t parts);

/* Bytes of kernel memory that a region has when nothing is there. */
uint64_t implicit_empty_bytes(struct odp *o);

#endif /* XROCE_ODP_IMPLICIT_H */
