/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of a queue pair that the module computes for its responses. */
#ifndef XROCE_TEMPLATE_H
#define XROCE_TEMPLATE_H

#include <stdint.h>

#include "xroce_map.h"

/* Compute them from the other fields, by means of packet.c. */
void template_fill(struct xroce_qp *qp);

/* Compute the constant xroce_crc. */
void template_crc(uint32_t crc[XROCE_CRC_BEHIND][256]);

#endif /* XROCE_TEMPLATE_H */
