/* SPDX-License-Identifier: GPL-2.0-only */
/* What the module prepares for the responses of a queue pair. */
#ifndef XROCE_TEMPLATE_H
#define XROCE_TEMPLATE_H

#include <stdint.h>

#include "xroce_map.h"

/* From the rest of its entry, as packet.c makes packets. */
void template_fill(struct xroce_qp *qp);

/* The constant xroce_crc. */
void template_crc(uint32_t crc[XROCE_CRC_BEHIND][256]);

#endif /* XROCE_TEMPLATE_H */
