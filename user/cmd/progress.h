/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Progress of long work, on a line of stderr that is taken back at the end.
 * Nothing is printed where stderr is no terminal.
 */
#ifndef _XROCE_PROGRESS_H
#define _XROCE_PROGRESS_H

#include <linux/types.h>

/**
 * progress_begin() - the kernel is going to pin memory, which may take long
 * @what: what is done
 * @bytes: how much; 0: nobody knows
 *
 * After half a second a thread tells how far it is, by what the kernel says has
 * been pinned since, for whomever.
 */
void progress_begin(const char *what, __u64 bytes);

/* It is done, or a message is going to be printed. */
void progress_end(void);

/* Tell of work that goes on; each call replaces the line of the one before. */
void progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Take that line back. */
void progress_clear(void);

#endif /* _XROCE_PROGRESS_H */
