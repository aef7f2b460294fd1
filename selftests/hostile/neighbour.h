/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory full of a secret, which nobody may read or write: of this process, or in a
 * region of another process, whose key no peer has been told.
 */
#ifndef XROCE_NEIGHBOUR_H
#define XROCE_NEIGHBOUR_H

#include <stdbool.h>
#include <stddef.h>

/* Byte @i of the secret, which goes on for ever. */
unsigned char secret(size_t i);

void secret_fill(unsigned char *mem, size_t len);

/* Some of it is among these bytes. */
bool secret_in(const unsigned char *bytes, size_t len);

/* Start the process, with a region that is full of it; and end it. */
bool neighbour_begin(void);
void neighbour_end(void);

/* Its region is as it was; a failed check if not. */
bool neighbour_is_well(void);

#endif /* XROCE_NEIGHBOUR_H */
