/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory full of a secret, which nobody may read or write: in this process, or in a region
 * of another process whose key no peer knows.
 */
#ifndef XROCE_NEIGHBOUR_H
#define XROCE_NEIGHBOUR_H

#include <stdbool.h>
#include <stddef.h>

/* Return: byte @i of the secret, an endless sequence. */
unsigned char secret(size_t i);

void secret_fill(unsigned char *mem, size_t len);

/* Return: whether these bytes contain a part of it. */
bool secret_in(const unsigned char *bytes, size_t len);

/* Start the other process, with a region full of the secret; and end it. */
bool neighbour_begin(void);
void neighbour_end(void);

/* Check that its region is unchanged. */
bool neighbour_is_well(void);

#endif /* XROCE_NEIGHBOUR_H */
