/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Progress of long operations, on a line of stderr that is erased at the end. Nothing is
 * printed if stderr is not a terminal.
 */
#ifndef _XROCE_PROGRESS_H
#define _XROCE_PROGRESS_H

#include <linux/types.h>

/**
 * progress_begin() - begin an operation that pins memory and may take long
 * @what: description of the operation
 * @bytes: bytes to be pinned; 0: unknown
 *
 * After half a second, a thread begins to print the progress. It is estimated from the pages
 * that the kernel has pinned since then, for all processes.
 */
void progress_begin(const char *what, __u64 bytes);

/* End the operation's progress and erase its line. Also called before a message is printed. */
void progress_end(void);

/* Print a line of progress, which replaces the previous one. */
void progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Erase the line. */
void progress_clear(void);

#endif /* _XROCE_PROGRESS_H */
