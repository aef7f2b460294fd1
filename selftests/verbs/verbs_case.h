/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operations of libibverbs run once for each allocation that they make, with that allocation
 * failing. Either the operation fails with ENOMEM and has changed nothing, so that it works when it
 * is repeated, or it does without the memory.
 */
#ifndef XROCE_VERBS_CASE_H
#define XROCE_VERBS_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include <infiniband/verbs.h>

/**
 * struct verbs_case - an operation of libibverbs
 * @name: for messages
 * @before: prepares it; may be NULL
 * @run: the operation. Return: 0 or an errno
 * @after: undoes it after it has succeeded; may be NULL
 * @repeat: repeats it after it has failed; NULL: @run does
 * @any_error: the library puts an errno of its own in place of ENOMEM
 * @places: let only about so many of its allocations fail, chosen at random: it is slow, and
 *	    has thousands (only with @after, without @before). 0: each of them
 */
struct verbs_case {
	const char *name;
	void (*before)(void);
	int (*run)(void);
	void (*after)(void);
	int (*repeat)(void);
	bool any_error;
	unsigned int places;
};

/* What the operation makes, changes or destroys. */
extern union verbs_made {
	void *any;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;
	struct ibv_srq *srq;
	struct ibv_ah *ah;
	struct ibv_qp *qp;
} made;

/* It has made @object, or NULL. Return: for verbs_case::run. */
int result(void *object);

/* Memory far from all other mappings, so that page tables have to be allocated, too. */
#define FAR		((char *)0x100000000000)
#define FAR_PAGES	6u

/* Map and unmap it. */
void far_map(void);
void far_unmap(void);

/* A queue pair whose state an operation that fails leaves as it is; NULL: none. */
extern struct ibv_qp *verbs_case_qp;

/* For verbs_case_run(). Return: false and a failed check on error. */
bool verbs_cases_open(void);
void verbs_cases_close(void);

/* Run it once for each of its allocations. */
void verbs_case_run(const struct verbs_case *op);
void verbs_cases_run(const struct verbs_case *ops, size_t n);

#endif /* XROCE_VERBS_CASE_H */
