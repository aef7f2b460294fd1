/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Verbs devices: RDMA devices that the module xroce_ib makes on links. */
#ifndef _XROCE_VERBS_H
#define _XROCE_VERBS_H

#include "arg.h"
#include "provider.h"

#define VERBS_NAME_MAX	64	/* bytes of a name, with the NUL */

extern const struct arg_type verbs_arg_name;	/* char[VERBS_NAME_MAX] */

/**
 * verbs_add() - make a verbs device on a link, as "rdma link add" does
 * @dev: name of the link's network device
 * @name: name of the new RDMA device
 * @provider: the provider that programs need for it
 *
 * The kernel loads the module xroce_ib if modprobe(8) finds it. Needs CAP_NET_ADMIN.
 *
 * Return: an exit status; an error has been printed.
 */
int verbs_add(const char *dev, const char *name, enum xroce_provider provider);

#endif /* _XROCE_VERBS_H */
