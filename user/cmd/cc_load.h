/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Loading an algorithm of congestion control into the kernel. */
#ifndef _XROCE_CC_LOAD_H
#define _XROCE_CC_LOAD_H

/**
 * cc_load() - load an algorithm from a BPF object, and pin it
 * @path: the file
 *
 * Return: an exit status; an error has been printed.
 */
int cc_load(const char *path);

/* The same in the place of the one of its name, for all links and connections that use it. */
int cc_replace(const char *path);

#endif /* _XROCE_CC_LOAD_H */
