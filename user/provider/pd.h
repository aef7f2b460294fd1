/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Protection domains and parent domains. td.h has thread domains. */
#ifndef XP_PD_H
#define XP_PD_H

#include <stdbool.h>

#include <infiniband/driver.h>

struct xp_td;

/**
 * struct xp_pd - a protection domain, or a parent domain
 * @pd: that of libibverbs
 * @of: parent domain: its protection domain; NULL: this is one
 * @td: parent domain: its thread domain; NULL: none
 * @alloc: parent domain: the program's allocator; NULL: that of libc
 * @free: likewise
 * @arg: for these
 * @refs: parent domains of it, and queues in memory of @alloc; atomic
 */
struct xp_pd {
	struct ibv_pd pd;
	struct xp_pd *of;
	struct xp_td *td;
	void *(*alloc)(struct ibv_pd *pd, void *arg, size_t size, size_t alignment, uint64_t what);
	void (*free)(struct ibv_pd *pd, void *arg, void *memory, uint64_t what);
	void *arg;
	uint32_t refs;
};

static inline struct xp_pd *to_xp_pd(struct ibv_pd *ibpd)
{
	return container_of(ibpd, struct xp_pd, pd);
}

/* True if queues that are made with @ibpd need no lock. */
static inline bool xp_pd_single(struct ibv_pd *ibpd)
{
	return to_xp_pd(ibpd)->td;
}

/* pd.c */
struct ibv_pd *xp_alloc_pd(struct ibv_context *ibctx);
struct ibv_pd *xp_alloc_parent_domain(struct ibv_context *ibctx,
				      struct ibv_parent_domain_init_attr *attr);
int xp_dealloc_pd(struct ibv_pd *ibpd);

/* import.c */
struct ibv_pd *xp_import_pd(struct ibv_context *ibctx, uint32_t handle);
void xp_unimport_pd(struct ibv_pd *ibpd);

/* Kinds of what custom allocators of a parent domain are asked for: see doc/operations.md. */
enum xp_resource {
	XP_RESOURCE_QP = 1,
	XP_RESOURCE_SRQ,
	XP_RESOURCE_CQ,
};

/*
 * Memory for the provider's part of a queue, all zero. @ibpd: its domain; NULL: it has none.
 * Return: NULL, with errno: there is none.
 */
void *xp_pd_alloc(struct ibv_pd *ibpd, size_t size, enum xp_resource what);
void xp_pd_free(struct ibv_pd *ibpd, void *memory, enum xp_resource what);

#endif
