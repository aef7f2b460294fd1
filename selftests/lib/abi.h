/* SPDX-License-Identifier: GPL-2.0-only */
/* All ioctl commands, each with a function that prepares a call that succeeds. For abi_test. */
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
 * @name: name in messages
 * @nr: XROCE_CMD_*
 * @size: bytes of its structure in the first release of the interface
 * @flags: XROCE_F_* that it accepts
 * @reserved: offsets of the reserved words that are input
 * @bare: it works on a descriptor without a link
 * @fill: fills in the structure so that the command succeeds
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

/* Run a command that other commands depend on. The test fails if the command does. */
void must(int fd, unsigned long nr, void *arg);

/* Close the map descriptors in an argument of LINK_MAPS. */
void close_maps(union arg *a);

#endif /* XROCE_ABI_TEST_H */
