// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that is verified quickly, with everything that the loader needs: maps,
 * constants, and a kfunc, which makes it hold the module. For tests that make many links
 * and send no packets.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "uapi/xroce.h"
#include "xroce_kfunc.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#include "../../bpf/maps.bpf.h"

SEC("xdp.frags")
int xroce(struct xdp_md *ctx)
{
	__u32 none = xroce_qp_mask;

	if (xroce_kfuncs && bpf_map_lookup_elem(&qp, &none) && !xroce_keep_frags)
		xroce_fail(xroce_link, xroce_crc[0][ctx->rx_queue_index & 0xff]);
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
