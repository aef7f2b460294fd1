/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The argument of any command of /dev/xroce: for the module, and for tests that bypass libxroce. */
#ifndef _XROCE_CMD_H
#define _XROCE_CMD_H

#include "uapi/xroce.h"

/**
 * union xroce_cmd - the structures of all commands
 * @size: size of the structure in bytes, as given by the caller
 * @head: the first two words, which all commands have
 *
 * The other members are named after their commands.
 */
union xroce_cmd {
	__u32 size;
	struct {
		__u32 size;
		__u32 flags;
	} head;
	struct xroce_link_add link_add;
	struct xroce_link_maps link_maps;
	struct xroce_link_del link_del;
	struct xroce_link_query link_query;
	struct xroce_link_use link_use;
	struct xroce_link_prog link_prog;
	struct xroce_link_cc link_cc;
	struct xroce_link_moderate link_moderate;
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
	struct xroce_qp_add qp_add;
	struct xroce_qp_modify qp_modify;
	struct xroce_qp_del qp_del;
	struct xroce_qp_query qp_query;
	struct xroce_qp_send qp_send;
	struct xroce_qp_cc qp_cc;
	struct xroce_cq_add cq_add;
	struct xroce_cq_del cq_del;
	struct xroce_cq_moderate cq_moderate;
	struct xroce_srq_add srq_add;
	struct xroce_srq_modify srq_modify;
	struct xroce_srq_del srq_del;
	struct xroce_srq_query srq_query;
	struct xroce_mw_add mw_add;
	struct xroce_mw_del mw_del;
	struct xroce_mw_query mw_query;
	struct xroce_mw_bind mw_bind;
	struct xroce_mw_inval mw_inval;
	struct xroce_mtt_query mtt_query;
	struct xroce_mtt_read mtt_read;
	struct xroce_limit_set limit_set;
	struct xroce_limit_query limit_query;
	struct xroce_cc_query cc_query;
};

#endif
