/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two links under checked traffic, something that happens to the first one's netdev,
 * and what xroce(8) says about it.
 */
#ifndef XROCE_SIBLINGS_H
#define XROCE_SIBLINGS_H

#include <stdbool.h>

#include "checked.h"
#include "live.h"

/* On LIVE_DEV, and on LIVE_SPARE, which should notice nothing. */
extern struct checked sibling_changed, sibling_quiet;

/* Begin, with a link on LIVE_SPARE, too. Return: whether both are answered. */
bool siblings_start(void);

/* Both are answered still; end them. Of the links that on LIVE_DEV remains. */
void siblings_stop(void);

/* Nobody is answered meanwhile, but for the others. */
void siblings_silence(void);

/* A command that has to succeed. Return: whether it has. */
__attribute__((format(printf, 1, 2)))
bool siblings_sh(const char *format, ...);

/*
 * Ask xroce(8). Return: whether @want is in what it prints, errors included, and
 * its exit status is as @success says.
 */
__attribute__((format(printf, 3, 4)))
bool siblings_says(const char *want, bool success, const char *format, ...);

#endif /* XROCE_SIBLINGS_H */
