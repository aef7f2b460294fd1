/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TCP's CUBIC (RFC 9438) as what other traffic does, behind the interface of the module's
 * algorithms. With HyStart's delay; without pacing. Loss recovery is that of the requester, which
 * repairs what is missing, as SACK does.
 */
#ifndef XROCE_SIM_CUBIC_H
#define XROCE_SIM_CUBIC_H

struct xroce_cc_ops;

extern const struct xroce_cc_ops cubic;

#endif /* XROCE_SIM_CUBIC_H */
