// SPDX-License-Identifier: GPL-2.0-only
/* A harmful algorithm: a byte a second. */
#include "cc_test.bpf.h"

SEC("struct_ops/init")
void BPF_PROG(test_init, struct xroce_cc *cc)
{
	cc->cwnd = 64 * XROCE_CC_PACKET;
	cc->rate = 1;
}

SEC("struct_ops/ack")
void BPF_PROG(test_ack, struct xroce_cc *cc, const struct xroce_cc_ack *ack)
{
	cc->rate = 1;
}

SEC(".struct_ops.link")
struct xroce_cc_ops test = {
	.init = (void *)test_init,
	.ack = (void *)test_ack,
	.name = "rate",
};
