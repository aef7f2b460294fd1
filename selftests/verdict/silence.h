/* SPDX-License-Identifier: GPL-2.0-only */
/* What no service answers, whatever the opcode (IBTA 9.6). */
#ifndef XROCE_SILENCE_H
#define XROCE_SILENCE_H

#include "table.h"

/* Run its rows for some opcodes, on a queue pair of a type. */
void silence_run(enum xroce_qp_type type, uint32_t ops);

#endif /* XROCE_SILENCE_H */
