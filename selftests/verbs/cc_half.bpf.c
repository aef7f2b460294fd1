// SPDX-License-Identifier: GPL-2.0-only
/* Refused: it hears of nothing. */
#include "cc_test.bpf.h"

SEC("struct_ops/init")
void BPF_PROG(test_init, struct xroce_cc *cc)
{
	cc->cwnd = XROCE_CC_PACKET;
}

SEC(".struct_ops.link")
struct xroce_cc_ops test = {
	.init = (void *)test_init,
	.name = "half",
};
