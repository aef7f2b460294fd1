/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion notifications of the peer of a wire, and of others that forge them. */
#ifndef XROCE_WIRE_CNP_H
#define XROCE_WIRE_CNP_H

#include "wire.h"

/* Send @n notifications. @w->req is as before. */
void wire_cnp_send(struct wire *w, int n);

/* The same, until the queue pair has counted them. */
void wire_cnp_heard(struct wire *w, int n);

/*
 * Send @n of each that is wrong in one thing: source, destination, number, invariant CRC,
 * partition, version of IP.
 */
void wire_cnp_forge(struct wire *w, int n);

#endif /* XROCE_WIRE_CNP_H */
