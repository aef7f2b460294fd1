/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two links under checked traffic; tests change the netdev of the first one, and read the
 * output of xroce(8) about it.
 */
#ifndef XROCE_SIBLINGS_H
#define XROCE_SIBLINGS_H

#include <stdbool.h>

#include "checked.h"
#include "live.h"

/* The traffic on LIVE_DEV, and on LIVE_SPARE, which must not be affected. */
extern struct checked sibling_changed, sibling_quiet;

/* Attach a link to LIVE_SPARE and start both. Return: whether both are answered. */
bool siblings_start(void);

/* Check that both are still answered, end them, and detach the link on LIVE_SPARE. */
void siblings_stop(void);

/* Check that requests on LIVE_DEV are not answered, while those on LIVE_SPARE are. */
void siblings_silence(void);

/*
 * Run xroce(8). Return: whether its output, including errors, contains @want, and it
 * succeeds or fails as @success says.
 */
__attribute__((format(printf, 3, 4)))
bool siblings_says(const char *want, bool success, const char *format, ...);

#endif /* XROCE_SIBLINGS_H */
