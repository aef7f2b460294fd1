/* SPDX-License-Identifier: GPL-2.0-only */
/* Algorithms of congestion control that are BPF programs. */
#ifndef _XR_SEND_CC_BPF_H
#define _XR_SEND_CC_BPF_H

void xr_cc_bpf_init(void);

#endif
