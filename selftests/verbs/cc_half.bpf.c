// SPDX-License-Identifier: GPL-2.0-only
/* Refused: it hears of nothing. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = XROCE_CC_PACKET)

SEC(".struct_ops.link")
struct xroce_cc_ops test = {
	.init = (void *)test_init,
	.name = "half",
};
