// SPDX-License-Identifier: GPL-2.0-only
/* Verbs: protection domains. */
#include "obj/pd.h"

#include "verbs.h"

int xr_ib_alloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	return xr_pd_create(xr_ib_link(ib->device), xr_ib_owner(ib->device, udata),
			    &to_xr_ibpd(ib)->id);
}

int xr_ib_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata)
{
	return xr_pd_delete(xr_ib_link(ib->device), xr_ib_owner(ib->device, udata),
			    to_xr_ibpd(ib)->id);
}
