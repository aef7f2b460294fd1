// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The caller's capabilities. */
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "priv.h"

bool xroce_capable(__u32 capabilities)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, has))
		return true;
	return (has[0].effective & capabilities) == capabilities;
}
