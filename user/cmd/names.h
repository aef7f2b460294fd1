/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Names of the values of the interface's enumerations, for output. */
#ifndef _XROCE_NAMES_H
#define _XROCE_NAMES_H

#include <stddef.h>

#include <linux/types.h>

/* Each returns "unknown" for a value that it does not know. */
const char *name_of_qp_state(__u32 state);
const char *name_of_qp_type(__u32 type);
const char *name_of_mpt_state(__u32 state);
const char *name_of_mpt_type(__u32 type);
const char *name_of_mw_type(__u32 type);
const char *name_of_opcode(__u8 opcode);

/* Text of a GID; an IPv4 address if it is IPv4-mapped. @text has INET6_ADDRSTRLEN bytes. */
const char *name_of_gid(const __u8 gid[16], char *text);

#endif /* _XROCE_NAMES_H */
