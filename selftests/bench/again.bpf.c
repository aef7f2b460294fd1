// SPDX-License-Identifier: GPL-2.0-only
/*
 * For BPF_PROG_TEST_RUN, which passes the frame of one repetition on to the next: write the
 * next request into the frame, then call the program to be measured.
 */
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "again.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct again);
} request SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} next SEC(".maps");

SEC("xdp.frags")
int again(struct xdp_md *ctx)
{
	__u32 zero = 0, len, now;
	struct again *a = bpf_map_lookup_elem(&request, &zero);

	if (!a)
		return XDP_ABORTED;
	len = a->len;
	if (len < 14 || len > AGAIN_MAX)
		return XDP_ABORTED;
	now = bpf_xdp_get_buff_len(ctx);
	if (bpf_xdp_adjust_tail(ctx, (int)(len - now)))
		return XDP_ABORTED;
	if (a->psn_at <= AGAIN_MAX - 4)
		*(__be32 *)(a->bytes + a->psn_at) = bpf_htonl(a->psn);
	a->psn = (a->psn & 0xff000000) | ((a->psn + 1) & 0xffffff);
	if (bpf_xdp_store_bytes(ctx, 0, a->bytes, len))
		return XDP_ABORTED;
	bpf_tail_call(ctx, &next, 0);
	return XDP_ABORTED;
}

/* The baseline. */
SEC("xdp.frags")
int empty(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
