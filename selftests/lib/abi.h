/* SPDX-License-Identifier: GPL-2.0-only */
/* All ioctl commands, each with what makes it succeed. For abi_test. */
#ifndef XROCE_ABI_TEST_H
#define XROCE_ABI_TEST_H

#include "live.h"

#define PAGE	4096u

union arg {
	struct {
		__u32 size;
		__u32 flags;
	};
	struct xroce_link_add link_add;
	struct xroce_link_maps link_maps;
	struct xroce_link_del link_del;
	struct xroce_limit_set limit_set;
	struct xroce_limit_query limit_query;
	struct xroce_link_query link_query;
	struct xroce_link_use link_use;
	struct xroce_link_prog link_prog;
	struct xroce_pd_add pd_add;
	struct xroce_pd_del pd_del;
	struct xroce_pd_query pd_query;
	struct xroce_mr_reg mr_reg;
	struct xroce_mr_dereg mr_dereg;
	struct xroce_mr_query mr_query;
	struct xroce_mr_reg_phys mr_reg_phys;
	struct xroce_mr_reg_shared mr_reg_shared;
	struct xroce_mr_rereg mr_rereg;
	struct xroce_mr_advise mr_advise;
	struct xroce_mtt_query mtt_query;
	struct xroce_mtt_read mtt_read;
	struct xroce_qp_add qp_add;
	struct xroce_cq_add cq_add;
	struct xroce_cq_del cq_del;
	struct xroce_srq_add srq_add;
	struct xroce_srq_modify srq_modify;
	struct xroce_srq_del srq_del;
	struct xroce_srq_query srq_query;
	struct xroce_mw_add mw_add;
	struct xroce_mw_bind mw_bind;
	struct xroce_mw_inval mw_inval;
	struct xroce_sq_add sq_add;
	struct xroce_qp_modify qp_modify;
	struct xroce_qp_del qp_del;
	struct xroce_qp_query qp_query;
	__u8 bytes[2 * PAGE];
};

/**
 * struct command - an ioctl command
 * @name: for people
 * @nr: XROCE_CMD_*
 * @size: of its structure in the first release, by the interface
 * @flags: XROCE_F_* it takes
 * @reserved: offsets of its reserved words that are given, not returned
 * @bare: it works on a descriptor without a link
 * @fill: make the structure such that the command succeeds
 */
struct command {
	const char *name;
	unsigned long nr;
	__u32 size;
	__u32 flags;
	__u32 reserved[2];
	bool bare;
	void (*fill)(int fd, union arg *a);
};

extern const struct command commands[];
extern const size_t commands_count;

/* A command that has to work for another to be tried. */
void must(int fd, unsigned long nr, void *arg);

/* What the structure of LINK_MAPS has opened. */
void close_maps(union arg *a);

#endif /* XROCE_ABI_TEST_H */
