/* SPDX-License-Identifier: GPL-2.0-only */
/* The algorithms of congestion control: see xroce_cc.h. */
#ifndef _XR_SEND_CC_LIST_H
#define _XR_SEND_CC_LIST_H

struct xroce_cc_ops;

extern const struct xroce_cc_ops xr_cc_none;
extern const struct xroce_cc_ops xr_cc_delay;
extern const struct xroce_cc_ops xr_cc_dcqcn;

const struct xroce_cc_ops *xr_cc_default(void);

#endif
