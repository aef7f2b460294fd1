// SPDX-License-Identifier: GPL-2.0-only
/* Access to on-demand memory: whether it is resident, and what is missing. See access.h. */
#include "access.h"

/* Find out whether a range of an on-demand region is resident. Return: as xr_odp_ready(). */
int xr_mr_ready(const struct xr_mr *mr, u64 off, u32 len, bool write)
{
	const struct xr_umem *umem = mr->umem;

	if (umem->null) {
		xr_null_ready(write);
		return 0;
	}
	return xr_odp_ready(xr_odp_behind(umem), umem->offset + off, len, write);
}

/**
 * xr_mr_miss() - describe what an access to on-demand memory has missed
 * @mr: region, held by the caller
 * @va: as @len and @write: the arguments of xr_mr_range(), which has returned -EAGAIN
 * @len: bytes
 * @ahead: bytes of the message after this access
 * @write: the access writes
 * @miss: out: for xr_odp_ask(), after xr_mr_release()
 */
void xr_mr_miss(const struct xr_mr *mr, u64 va, u32 len, u32 ahead, bool write,
		struct xr_odp_miss *miss)
{
	const struct xr_umem *umem = mr->umem;

	xr_odp_miss(xr_odp_behind(umem), umem->offset + va - mr->iova, len, ahead, write, miss);
}
