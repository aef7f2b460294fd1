/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the files of "xroce link" share. */
#ifndef _XROCE_LINK_H
#define _XROCE_LINK_H

#include "libxroce.h"

/* The verb show, link_show.c. */
int link_show(int argc, char **argv);

/* The verb limit, link_limit.c. */
int link_limit(int argc, char **argv);

/*
 * Print what the control groups of the kernel call a link; and, an inner object, its
 * limits and what is used of them.
 */
void link_limit_print_group(__u32 link);
void link_limit_print(__u32 link);

/* How the program of a device of this namespace is attached, for people. */
const char *link_mode(int ifindex);

/*
 * Print what the kernel knows of the pinned program and maps, link_bpf.c; nothing
 * where the pins are of another device of this name. Those that make a line, and
 * then the inner objects.
 */
void link_bpf_print(const char *dev, __u32 ifindex);
void link_bpf_print_maps(const char *dev, __u32 ifindex);

#endif /* _XROCE_LINK_H */
