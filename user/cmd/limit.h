/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Which limit stands in the way of a new object. */
#ifndef _XROCE_LIMIT_H
#define _XROCE_LIMIT_H

#include <stdbool.h>

#include "libxroce.h"
#include "message.h"

/**
 * struct wanted - an object that could not be made
 * @what: what it is
 * @persistent: it would count for the link alone, not for a user
 * @bytes: that it would pin; 0: none
 * @pid: whose memory that is; 0: ours
 */
struct wanted {
	enum xroce_counted what;
	bool persistent;
	__u64 bytes;
	__u32 pid;
};

/**
 * limit_reason() - reason(), that knows limits
 * @x: the handle
 * @err: what making the object returned
 * @table: texts of other errors
 * @wanted: the object
 *
 * For -EDQUOT: which limit, whose, how much, how much of it is used, and how it is
 * raised; for -ENOMEM the same of RLIMIT_MEMLOCK, where that is the reason.
 *
 * Return: a text, until this thread calls the function again.
 */
const char *limit_reason(struct xroce *x, int err, const struct reason *table,
			 const struct wanted *wanted);

#endif /* _XROCE_LIMIT_H */
