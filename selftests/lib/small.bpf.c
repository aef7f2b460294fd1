// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that is verified quickly, with everything that the loader needs: maps,
 * constants, and a kfunc, which makes it hold the module. For tests that judge no packets.
 * Packets of RoCE get no answer, and a line in the trace buffer, for which run.sh fails the
 * test.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/in.h>
#include <bpf/bpf_helpers.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "../../bpf/maps.bpf.h"

#define SMALL_ETH	14
#define SMALL_TAG	4
#define SMALL_IPV4	20
#define SMALL_IPV6	40
#define SMALL_UDP	8

/* Whether it is a UDP packet to port 4791, with or without a VLAN tag. */
static bool is_roce(const struct xdp_md *ctx)
{
	const __u8 *p = (const void *)(long)ctx->data, *end = (const void *)(long)ctx->data_end;

	/* The shortest packet of RoCE has 12 more bytes. */
	if (p + SMALL_TAG + SMALL_ETH + SMALL_IPV4 + SMALL_UDP > end)
		return false;
	if (p[12] == 0x81 && !p[13])
		p += SMALL_TAG;
	if (p[12] == 0x08 && !p[13])
		return p[23] == IPPROTO_UDP && p[36] == XROCE_UDP_PORT >> 8 &&
		       p[37] == (XROCE_UDP_PORT & 0xff);
	if (p[12] != 0x86 || p[13] != 0xdd || p + SMALL_ETH + SMALL_IPV6 + SMALL_UDP > end)
		return false;
	return p[20] == IPPROTO_UDP && p[56] == XROCE_UDP_PORT >> 8 &&
	       p[57] == (XROCE_UDP_PORT & 0xff);
}

static int judge(struct xdp_md *ctx)
{
	__u32 none = xroce_qp_mask;

	if (is_roce(ctx))
		bpf_printk("small.bpf.c: a packet of RoCE is not judged");
	if (xroce_kfuncs && bpf_map_lookup_elem(&qp, &none) && !xroce_keep_frags)
		xroce_fail(xroce_link, xroce_crc[0][ctx->rx_queue_index & 0xff]);
	return XDP_PASS;
}

SEC("xdp.frags")
int xroce(struct xdp_md *ctx)
{
	return judge(ctx);
}

/* The program for VLANs, by name only. */
SEC("?xdp.frags")
int xroce_vlan(struct xdp_md *ctx)
{
	return judge(ctx);
}

char _license[] SEC("license") = "GPL";
