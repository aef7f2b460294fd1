/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * netem in both directions between rxe and xroce, set up by shadow.sh: c0 sends through one
 * netem; what it receives goes through i0 and another.
 */
#ifndef XROCE_IMPAIR_H
#define XROCE_IMPAIR_H

#include <stdbool.h>

/**
 * impair() - begin
 * @how: arguments of netem
 * @streams: also impair READ responses of several packets, and acknowledgements, on their
 *           way to the client
 *
 * Return: whether it worked; a failure fails the test.
 */
bool impair(const char *how, bool streams);

/* End. */
void impair_no_more(void);

#endif /* XROCE_IMPAIR_H */
