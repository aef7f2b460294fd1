/* SPDX-License-Identifier: GPL-2.0-only */
/* Creating and destroying queue pairs. */
#ifndef _XR_QP_CREATE_H
#define _XR_QP_CREATE_H

#include <linux/types.h>

#include "obj/ring.h"

struct xr_link;
struct xr_owner;
struct xr_qp;
struct xroce_qp_add;

/**
 * struct xr_qp_init - what a front end says about a queue pair that it creates
 * @owner: its owner
 * @context: see struct xr_qp
 * @format: layout of its queues
 * @gsi: it is the general services interface, of type UD
 */
struct xr_qp_init {
	struct xr_owner *owner;
	void *context;
	enum xr_format format;
	bool gsi;
};

int xr_qps_init(void);
void xr_qps_exit(void);
struct xr_qp *xr_qp_create(struct xr_link *link, struct xr_owner *caller,
			   const struct xr_qp_init *init, struct xroce_qp_add *a);
int xr_qp_delete(struct xr_link *link, struct xr_owner *caller, u32 qpn);
void xr_qp_destroy(struct xr_link *link, struct xr_qp *qp);

#endif
