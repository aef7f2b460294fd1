/* SPDX-License-Identifier: GPL-2.0-only */
/* Causes for which no service sends a response, whatever the opcode (IBTA 9.6). */
#ifndef XROCE_SILENCE_H
#define XROCE_SILENCE_H

#include "table.h"

/* Run these rows for some opcodes, on a queue pair of this type. */
void silence_run(enum xroce_qp_type type, uint32_t ops);

#endif /* XROCE_SILENCE_H */
