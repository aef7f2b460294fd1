/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether frames of XDP_TX leave a link's network device. */
#ifndef _XR_FRAME_XDP_TX_H
#define _XR_FRAME_XDP_TX_H

struct xr_link;

int xr_xdp_tx_init(void);
void xr_xdp_tx_exit(void);
int xr_xdp_tx_update(struct xr_link *link, void *unused);

#endif
