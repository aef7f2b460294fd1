/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Declarations shared by the files of "xroce mr". */
#ifndef _XROCE_MR_H
#define _XROCE_MR_H

#include "libxroce.h"

/* Query the first region with handle @mr or above. Return: 0 or -errno; -ENOENT: none. */
int mr_next(struct xroce *x, __u32 mr, struct xroce_mr_query *q);

/*
 * Find a region by handle or name. By name: the persistent region, else the only region of a
 * program with this name. Return: 0 and the region in @q, or -errno; -ENOENT: none; -ENOTUNIQ:
 * several.
 */
int mr_find(struct xroce *x, const char *word, struct xroce_mr_query *q);

/* Print why mr_find() or a command on a region failed. Return: EXIT_ERROR. */
int mr_not_found(const char *word, int err);

/*
 * Say which windows are bound to a region, and that the caller must unbind them. Return:
 * EXIT_ERROR; or EXIT_OK, and nothing printed, if the caller sees none.
 */
int mr_windows(struct xroce *x, const char *word, __u32 mr);

/* Print number and keys of a region that has been registered. */
void mr_show_keys(__u32 mr, __u32 lkey, __u32 rkey, __u64 iova, __u64 length);

int mr_add(int argc, char **argv);
int mr_change(int argc, char **argv);
int mr_advise(int argc, char **argv);

#endif /* _XROCE_MR_H */
