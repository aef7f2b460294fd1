/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * netem on both ways between rxe and xroce, set up by shadow.sh: c0 sends
 * through one, what it receives goes through i0 and another.
 */
#ifndef XROCE_IMPAIR_H
#define XROCE_IMPAIR_H

#include <stdbool.h>

/**
 * impair() - begin
 * @how: arguments of netem
 * @streams: to READ responses of several packets and to acknowledgements, too, on
 *	their way to the client; else they pass by
 *
 * Return: whether it worked; a failure fails the test.
 */
bool impair(const char *how, bool streams);

/* End. */
void impair_no_more(void);

#endif /* XROCE_IMPAIR_H */
