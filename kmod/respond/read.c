// SPDX-License-Identifier: GPL-2.0-only
/* The general way for what read.h is not made for. */
#include "read.h"

/**
 * xr_read_any() - write payload, pad and invariant CRC for any length and place
 * @mr: region, held by the caller
 * @at: offset of the payload in the region, where it is resident
 * @xdp: the frame, as for struct xr_payload; the parts of that one by one, so that it stays in
 *	registers of the caller
 * @l3: offset of the IP header
 * @off: offset of the payload
 * @len: its bytes, not 0
 *
 * For payloads in several blocks or with a pad, and where the vector registers are not available.
 */
void xr_read_any(const struct xr_mr *mr, u64 at, struct xdp_buff *xdp, u32 l3, u32 off, u32 len)
{
	xr_mr_move_any(mr, at, xdp, off, len, false);
	xr_icrc_put(xdp, l3, off + round_up(len, 4));
}
