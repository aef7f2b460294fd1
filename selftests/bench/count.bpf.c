// SPDX-License-Identifier: GPL-2.0-only
/*
 * On the generator's interface: judge and count responses, drop everything.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "xroce_wire.h"

#include "count.h"

struct response {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct xroce_bth bth;
	__be32 aeth;		/* if there is one; at least the ICRC follows */
} __attribute__((packed));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct count);
} count SEC(".maps");

SEC("xdp.frags")
int count_responses(struct xdp_md *ctx)
{
	struct response *r = (void *)(long)ctx->data;
	__u32 syndrome, psn, zero = 0;
	struct count *c;
	__u8 kind;

	if ((void *)(r + 1) > (void *)(long)ctx->data_end ||
	    r->eth.h_proto != bpf_htons(ETH_P_IP) ||
	    r->ip.protocol != IPPROTO_UDP ||
	    r->udp.dest != bpf_htons(XROCE_UDP_PORT))
		return XDP_DROP;
	c = bpf_map_lookup_elem(&count, &zero);
	if (!c)
		return XDP_DROP;
	kind = c->kind[r->bth.opcode];
	psn = bpf_ntohl(r->bth.apsn) & XROCE_PSN_MASK;
	syndrome = bpf_ntohl(r->aeth) >> 24;
	if (!kind || psn != c->psn || (kind & COUNT_AETH && syndrome >> 5) ||
	    (bpf_ntohl(r->bth.dqpn) & XROCE_QPN_MASK) != c->qpn) {
		if (!c->bad++) {
			c->bad_opcode = r->bth.opcode;
			c->bad_syndrome = syndrome;
			c->bad_psn = psn;
		}
		return XDP_DROP;
	}
	c->psn = (psn + c->step) & XROCE_PSN_MASK;
	c->bytes += bpf_ntohs(r->ip.tot_len);
	c->done += kind & COUNT_DONE;
	return XDP_DROP;
}

/* The baseline for the cost of count_responses, which is subtracted. */
SEC("xdp.frags")
int count_nothing(struct xdp_md *ctx)
{
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
