// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Causes of refusals and drops, which have the names of their counters. */
#include "counter.h"

/* Fields that are not shown come behind those of causes. */
#define INDEX(field)	(offsetof(struct xroce_stat, field) / sizeof(__u64))
_Static_assert(INDEX(op_memory) - INDEX(inv_opcode) ==
	       XROCE_CAUSE_OP_MEMORY - XROCE_CAUSE_INV_OPCODE &&
	       INDEX(drop_tx) - INDEX(drop_length) == XROCE_DROP_TX - XROCE_DROP_LENGTH,
	       "each cause has a counter");

const char *xroce_cause_str(__u32 cause)
{
	if (cause == XROCE_CAUSE_NONE)
		return "none";
	if (cause <= XROCE_CAUSE_OP_MEMORY)
		return xroce_link_counters[INDEX(inv_opcode) + cause - 1].name;
	if (cause >= XROCE_DROP_LENGTH && cause <= XROCE_DROP_TX)
		return xroce_link_counters[INDEX(drop_length) + cause - XROCE_DROP_LENGTH].name;
	return "unknown";
}
