// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Queue pairs: the ioctls. connect.c makes all transitions in one call. */
#include "priv.h"

int xroce_qp_create_responder(struct xroce *x, __u32 flags, __u32 pd, __u32 *qpn)
{
	struct xroce_qp_add add = {
		.size = sizeof(add),
		.flags = flags,
		.pd = pd,
		.type = XROCE_QPT_RC,
	};
	int err = xroce_command(x->fd, XROCE_CMD_QP_ADD, &add);

	if (!err)
		*qpn = add.qpn;
	return err;
}

int xroce_qp_modify_sized(struct xroce *x, struct xroce_qp_modify *modify, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_QP_MODIFY, modify, size);
}

int xroce_qp_del(struct xroce *x, __u32 qpn)
{
	struct xroce_qp_del del = { .size = sizeof(del), .qpn = qpn };

	return xroce_command(x->fd, XROCE_CMD_QP_DEL, &del);
}

int xroce_qp_query_sized(struct xroce *x, struct xroce_qp_query *query, size_t size)
{
	return xroce_command_sized(x->fd, XROCE_CMD_QP_QUERY, query, size);
}
