/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The protection domain that a verb makes an object in. */
#ifndef _XROCE_PD_H
#define _XROCE_PD_H

#include "arg.h"
#include "libxroce.h"

/* __u32: a number, or "last": that of the last "pd add" of this batch. */
extern const struct arg_type arg_pd;

/*
 * Explain why nothing persistent can be made in a protection domain, if -EPERM has this reason:
 * it belongs to the kernel or to a program. @what: "mr" and the like. Return: true if this is the
 * reason, and it has been printed.
 */
bool pd_foreign(struct xroce *x, const char *what, __u32 pd, int err);

#endif /* _XROCE_PD_H */
