// SPDX-License-Identifier: GPL-2.0-only
/* A list of algorithms without others: see list.h. */
#include "../../kmod/send/cc_list.h"

#include "flow.h"
#include "list.h"

/**
 * struct xr_cc_alg - an algorithm
 * @ops: its functions
 */
struct xr_cc_alg {
	const struct xroce_cc_ops *ops;
};

void list_start(struct xr_cc *cc, const struct flow_kind *kind)
{
	struct xr_cc_alg alg = { .ops = kind->ops };
	struct xr_cc_choice choice = { .alg = &alg };

	xr_cc_start(cc, &choice, kind->mtu, 0);
}

const struct xroce_cc_ops *xr_cc_join(struct xr_cc_user *user, const struct xr_cc_choice *choice)
{
	(void)user;
	return choice->alg->ops;
}

/* A flow keeps its algorithm. */
const struct xroce_cc_ops *xr_cc_rejoin(struct xr_cc_user *user, const char *name)
{
	(void)user;
	(void)name;
	return NULL;
}

void xr_cc_leave(struct xr_cc_user *user)
{
	(void)user;
}
