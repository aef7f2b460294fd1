/* SPDX-License-Identifier: GPL-2.0-only */
/* What QP_QUERY says of queue pairs. */
#ifndef _XR_QP_QUERY_H
#define _XR_QP_QUERY_H

struct xr_link;
struct xr_owner;
struct xroce_qp_query;

int xr_qp_query(struct xr_link *link, struct xr_owner *caller, struct xroce_qp_query *q);

#endif
