// SPDX-License-Identifier: GPL-2.0-only
/*
 * Responders for comparison: "drop" shows the cost of the generator and of the path to the
 * responder, "bounce" the minimum cost of a response.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <bpf/bpf_helpers.h>

struct headers {
	struct ethhdr eth;
	struct iphdr ip;
} __attribute__((packed));

SEC("xdp.frags")
int drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64);
} drops SEC(".maps");

/* Count the frames, for networks where a sent frame arrives later. */
SEC("xdp.frags")
int drop_count(struct xdp_md *ctx)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(&drops, &zero);

	if (n)
		++*n;
	return XDP_DROP;
}

/* For the measurement of unrelated traffic. */
SEC("xdp.frags")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp.frags")
int bounce(struct xdp_md *ctx)
{
	struct headers *h = (void *)(long)ctx->data;
	__u8 mac[ETH_ALEN];
	__be32 addr;

	if ((void *)(h + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	__builtin_memcpy(mac, h->eth.h_dest, ETH_ALEN);
	__builtin_memcpy(h->eth.h_dest, h->eth.h_source, ETH_ALEN);
	__builtin_memcpy(h->eth.h_source, mac, ETH_ALEN);
	addr = h->ip.saddr;
	h->ip.saddr = h->ip.daddr;
	h->ip.daddr = addr;
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
