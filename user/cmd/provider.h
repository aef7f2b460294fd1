/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Providers: the part of libibverbs that programs need for a verbs device. */
#ifndef _XROCE_PROVIDER_H
#define _XROCE_PROVIDER_H

#include "libxroce.h"

#include "arg.h"

/* The word for "provider": rxe or xroce. */
struct provider {
	bool given;
	enum xroce_provider which;
};

extern const struct arg_type provider_arg;	/* struct provider */

/* Return: the word for one; "?" for one that this command does not know. */
const char *provider_name(__u32 which);

/* Type of the device for "rdma link add". */
const char *provider_link_type(enum xroce_provider which);

/* Warn if libibverbs on this machine does not know the provider that @verbs, a device, needs. */
void provider_check(const char *verbs, enum xroce_provider which);

#endif /* _XROCE_PROVIDER_H */
