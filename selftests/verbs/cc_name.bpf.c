// SPDX-License-Identifier: GPL-2.0-only
/* Refused: its name has a blank. */
#include "cc_test.bpf.h"

SEC("struct_ops/init")
void BPF_PROG(test_init, struct xroce_cc *cc)
{
	cc->cwnd = XROCE_CC_PACKET;
}

SEC("struct_ops/ack")
void BPF_PROG(test_ack, struct xroce_cc *cc, const struct xroce_cc_ack *ack)
{
	cc->cwnd = XROCE_CC_PACKET;
}

SEC(".struct_ops.link")
struct xroce_cc_ops test = {
	.init = (void *)test_init,
	.ack = (void *)test_ack,
	.name = "a name",
};
