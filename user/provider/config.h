/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the private headers of rdma-core expect of its build system. */
#ifndef XP_CONFIG_H
#define XP_CONFIG_H

/* Of rdma-core before 57; headers.sh compares it with the installed libibverbs. */
#define IBVERBS_PABI_VERSION 34

#define HAVE_STATEMENT_EXPR 1
#define HAVE_BUILTIN_TYPES_COMPATIBLE_P 1
#define HAVE_TYPEOF 1
#define HAVE_ISBLANK 1

#endif
