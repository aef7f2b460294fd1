// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Error texts that apply to every command, and the caller's capabilities. */
#include <errno.h>
#include <string.h>
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

const char *xroce_strerror(int err)
{
	switch (err) {
	case -ENXIO:
		return "the module is not loaded: 'modprobe xroce' loads it";
	case -EACCES:
		return "not permitted: " XROCE_DEV_PATH " is for root and the group xroce";
	case -EPERM:
		return xroce_capable(1u << CAP_NET_ADMIN) ?
		       "not permitted: the object belongs to another program" :
		       "not permitted: CAP_NET_ADMIN is needed";
	}
	return strerror(-err);
}
