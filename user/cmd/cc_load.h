/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Loading an algorithm of congestion control into the kernel. */
#ifndef _XROCE_CC_LOAD_H
#define _XROCE_CC_LOAD_H

#include <stdbool.h>

/**
 * cc_load() - load an algorithm from a BPF object, and pin it
 * @path: the file
 * @replace: take the place of the one of the same name, for all links and connections that use it
 *
 * Return: an exit status; an error has been printed.
 */
int cc_load(const char *path, bool replace);

#endif /* _XROCE_CC_LOAD_H */
