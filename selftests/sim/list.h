/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of algorithms of the module's congestion control, of which a flow has its own here. */
#ifndef XROCE_SIM_LIST_H
#define XROCE_SIM_LIST_H

struct flow_kind;
struct xr_cc;

/* Congestion control of a flow begins, with the algorithm of its kind. */
void list_start(struct xr_cc *cc, const struct flow_kind *kind);

#endif /* XROCE_SIM_LIST_H */
