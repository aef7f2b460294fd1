// SPDX-License-Identifier: GPL-2.0-only
/*
 * Congestion control by AIMD, as TCP Reno has it: the window doubles in a round-trip time until
 * something is lost, then it grows by a packet in each, and each loss halves it.
 *
 *	clang -target bpf -mcpu=v3 -g -O2 -I/usr/include/xroce \
 *		-idirafter /usr/include/$(uname -m)-linux-gnu -c cc_aimd.bpf.c
 *	xroce cc add cc_aimd.bpf.o
 *	xroce link set dev eth0 cc aimd
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "xroce_cc.h"

#define FIRST	(16 * XROCE_CC_PACKET)
#define MOST	(XROCE_CC_WINDOW_MAX * XROCE_CC_PACKET)

/* What is in xroce_cc::priv: the window that ends the doubling, and when it was last halved. */
enum { END, HALVED };

SEC("struct_ops/init")
void BPF_PROG(aimd_init, struct xroce_cc *cc)
{
	cc->cwnd = FIRST;
	cc->priv[END] = MOST;
}

/* Once in a round-trip time: what was sent before the first loss may be lost as well. */
static void halve(struct xroce_cc *cc, __u64 now)
{
	__u32 half = cc->cwnd / 2;

	if (now - cc->priv[HALVED] < cc->srtt)
		return;
	cc->priv[HALVED] = now;
	cc->cwnd = half > XROCE_CC_PACKET ? half : XROCE_CC_PACKET;
	cc->priv[END] = cc->cwnd;
}

SEC("struct_ops/ack")
void BPF_PROG(aimd_ack, struct xroce_cc *cc, const struct xroce_cc_ack *ack)
{
	__u64 more = (__u64)ack->acked * XROCE_CC_PACKET;

	if (!ack->limited)
		return;
	if (cc->cwnd >= cc->priv[END])
		more = more * XROCE_CC_PACKET / cc->cwnd;
	cc->cwnd = more < MOST - cc->cwnd ? cc->cwnd + more : MOST;
}

SEC("struct_ops/loss")
void BPF_PROG(aimd_loss, struct xroce_cc *cc, __u32 how, __u64 now)
{
	if (how != XROCE_CC_LOSS_RNR)
		halve(cc, now);
}

SEC("struct_ops/cnp")
void BPF_PROG(aimd_cnp, struct xroce_cc *cc, __u64 now)
{
	halve(cc, now);
}

SEC(".struct_ops.link")
struct xroce_cc_ops aimd = {
	.init = (void *)aimd_init,
	.ack = (void *)aimd_ack,
	.loss = (void *)aimd_loss,
	.cnp = (void *)aimd_cnp,
	.flags = XROCE_CC_ECN,
	.name = "aimd",
};

char _license[] SEC("license") = "GPL";
