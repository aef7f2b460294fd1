// SPDX-License-Identifier: GPL-2.0-only
/* For the peer of a veth device whose program returns XDP_TX: pass all packets. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp.frags")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
