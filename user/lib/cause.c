// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Names of causes of refusals and drops, which are also those of counters. */
#include "libxroce.h"

/* Each name is also that of the counter in struct xroce_stat. */
static const char *const names[] = {
	[XROCE_CAUSE_NONE] = "none",
	[XROCE_CAUSE_INV_OPCODE] = "inv_opcode",
	[XROCE_CAUSE_INV_ORDER] = "inv_order",
	[XROCE_CAUSE_INV_QP_ACCESS] = "inv_qp_access",
	[XROCE_CAUSE_INV_LENGTH] = "inv_length",
	[XROCE_CAUSE_INV_RESOURCES] = "inv_resources",
	[XROCE_CAUSE_INV_ALIGN] = "inv_align",
	[XROCE_CAUSE_ACC_KEY] = "acc_key",
	[XROCE_CAUSE_ACC_PD] = "acc_pd",
	[XROCE_CAUSE_ACC_QP] = "acc_qp",
	[XROCE_CAUSE_ACC_RIGHT] = "acc_right",
	[XROCE_CAUSE_ACC_BOUNDS] = "acc_bounds",
	[XROCE_CAUSE_ACC_MODULE] = "acc_module",
	[XROCE_CAUSE_OP_WQE] = "op_wqe",
	[XROCE_CAUSE_OP_PROT] = "op_prot",
	[XROCE_CAUSE_OP_CQ] = "op_cq",
	[XROCE_CAUSE_OP_MEMORY] = "op_memory",
	[XROCE_DROP_LENGTH] = "drop_length",
	[XROCE_DROP_CHECKSUM] = "drop_checksum",
	[XROCE_DROP_TVER] = "drop_tver",
	[XROCE_DROP_QPN] = "drop_qpn",
	[XROCE_DROP_PEER] = "drop_peer",
	[XROCE_DROP_QKEY] = "drop_qkey",
	[XROCE_DROP_RECV] = "drop_recv",
	[XROCE_DROP_PSN] = "drop_psn",
	[XROCE_DROP_RESPONSE] = "drop_response",
	[XROCE_DROP_OPCODE] = "drop_opcode",
	[XROCE_DROP_STATE] = "drop_state",
	[XROCE_DROP_ERROR] = "drop_error",
	[XROCE_DROP_ADDR] = "drop_addr",
	[XROCE_DROP_PKEY] = "drop_pkey",
	[XROCE_DROP_ICRC] = "drop_icrc",
	[XROCE_DROP_DEFER] = "drop_defer",
	[XROCE_DROP_BUSY] = "drop_busy",
	[XROCE_DROP_TX] = "drop_tx",
};

const char *xroce_cause_str(__u32 cause)
{
	return cause < sizeof(names) / sizeof(names[0]) && names[cause] ?
	       names[cause] : "unknown";
}
