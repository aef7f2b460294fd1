/* SPDX-License-Identifier: GPL-2.0-only */
/* Implicit on-demand regions, which cover an address space, and simulated peers of them. */
#ifndef XROCE_ODP_IMPLICIT_H
#define XROCE_ODP_IMPLICIT_H

#include <stdint.h>

#include <sys/types.h>

#include "odp.h"

#define IMPLICIT_CHILD	(64 * 4096ull)	/* bytes that a child of a region covers */

/*
 * As odp_open_opts(), but the region is the address space. No page of @o->mem, which is a
 * part of it, is resident.
 */
bool implicit_open(struct odp *o, size_t pages, const struct wire_opts *opts);

/* A test between implicit_open() and odp_close(), whose parameter is o. */
#define IMPLICIT_TEST(name, ids, about, pages, opts...) \
	ODP_TEST_BY(implicit_open(&o, pages, opts), name, ids, about)

/* Replace queue pair and region, as odp_again(). */
bool implicit_again(struct odp *o);

/* Register the address space of @pid, 0: of this process, in @o's protection domain. */
bool implicit_register(struct odp *o, pid_t pid, struct xroce_mr_reg *mr);

/* The offset of an address, for odp_write() and odp_read(). */
static inline size_t implicit_at(const void *addr)
{
	return (uintptr_t)addr - ODP_IOVA;
}

/* Wait until the region has @parts children. The test fails if it never has. */
void implicit_expect_children(struct odp *o, uint64_t parts);

/* Bytes of kernel memory that a region without children takes. */
uint64_t implicit_empty_bytes(struct odp *o);

#endif /* XROCE_ODP_IMPLICIT_H */
