/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* One end of a connection of xroce serve. */
#ifndef _XROCE_END_H
#define _XROCE_END_H

#include <linux/types.h>

/**
 * struct session_end - one end of a connection
 * @qpn: queue pair number
 * @psn: packet sequence number of its first request
 * @gid: its address
 */
struct session_end {
	__u32 qpn;
	__u32 psn;
	__u8  gid[16];
};

#endif /* _XROCE_END_H */
