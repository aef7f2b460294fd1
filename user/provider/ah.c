// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Address handles: the module keeps the address, and resolves it. */
#include <errno.h>
#include <stdlib.h>

#include "ah.h"
#include "resp.h"

struct ibv_ah *xp_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr)
{
	struct xp_create_ah_resp resp = {};
	struct xp_ah *ah = calloc(1, sizeof(*ah));
	int err;

	if (!ah)
		return NULL;
	err = ibv_cmd_create_ah(ibpd, &ah->ah, attr, &resp.ibv, sizeof(resp));
	if (err) {
		free(ah);
		errno = err;
		return NULL;
	}
	ah->num = resp.xroce.ah;
	return &ah->ah;
}

int xp_destroy_ah(struct ibv_ah *ibah)
{
	int err = ibv_cmd_destroy_ah(ibah);

	if (!err)
		free(to_xp_ah(ibah));
	return err;
}
