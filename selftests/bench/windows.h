/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binding, revoking and registering, with xroce and with rxe, over the same memory.
 * Functions with an argument repeat their work that many times. An error prints a message
 * and ends the measurement.
 */
#ifndef XROCE_BENCH_WINDOWS_H
#define XROCE_BENCH_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "libxroce.h"

#define MW_LENGTH	(1u << 20)	/* bytes of memory, and of a window */
#define MW_BATCH	64u		/* work requests that are applied together */
#define MW_RIGHTS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ)
#define MW_REGION	(XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND | \
			 MW_RIGHTS)

extern void *mw_memory;

/* Print an error, if there is one; @err: 0, or an errno of either sign. */
bool mw_done(int err, const char *what);

bool own_open(void);
void own_close(void);

/* A batch, posted and applied together; type 2: pairs of bind and invalidate. */
void own_one_posted(uint32_t n);
void own_two_posted(uint32_t n);

/* Each applied separately, with its completion polled. */
void own_one_alone(uint32_t n);
void own_two_alone(uint32_t n);

void own_register(uint32_t n);		/* and deregister */
void own_reregister(uint32_t n);
void own_rights(uint32_t n);		/* re-register with other rights only */

bool rxe_open(void);
void rxe_one(uint32_t n);
void rxe_two(uint32_t n);
void rxe_register(uint32_t n);

#endif /* XROCE_BENCH_WINDOWS_H */
