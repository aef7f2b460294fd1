/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two links under checked traffic, something that happens to the first one's netdev,
 * and what xroce(8) says about it.
 */
#ifndef XROCE_LIFE_H
#define XROCE_LIFE_H

#include <stdbool.h>

#include "checked.h"
#include "live.h"

/* On LIVE_DEV, and on LIVE_SPARE, which should notice nothing. */
extern struct checked life_served, life_beside;

/* Begin, with a link on LIVE_SPARE, too. Return: whether both are answered. */
bool life_start(void);

/* Both are answered still; end them. Of the links that on LIVE_DEV remains. */
void life_stop(void);

/* Nobody is answered meanwhile, but for the others. */
void life_silence(void);

/* A command that has to succeed. Return: whether it has. */
__attribute__((format(printf, 1, 2)))
bool life_sh(const char *format, ...);

/*
 * Ask xroce(8). Return: whether @want is in what it prints, errors included, and
 * its exit status is as @success says.
 */
__attribute__((format(printf, 3, 4)))
bool life_says(const char *want, bool success, const char *format, ...);

#endif /* XROCE_LIFE_H */
