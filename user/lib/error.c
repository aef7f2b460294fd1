// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Error texts that apply to every command. */
#include <errno.h>
#include <string.h>

#include <linux/capability.h>

#include "priv.h"

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
