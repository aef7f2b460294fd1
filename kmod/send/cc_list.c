// SPDX-License-Identifier: GPL-2.0-only
/* The algorithms of congestion control, and which one new connections have. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "xroce_cc.h"

#include "cc_list.h"

static const struct xroce_cc_ops *const xr_cc_all[] = { &xr_cc_none, &xr_cc_delay, &xr_cc_dcqcn };
static const struct xroce_cc_ops *xr_cc_new = &xr_cc_none;

/* Return: the algorithm of connections that begin. */
const struct xroce_cc_ops *xr_cc_default(void)
{
	return READ_ONCE(xr_cc_new);
}

static int xr_cc_set(const char *val, const struct kernel_param *kp)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(xr_cc_all); i++) {
		if (!sysfs_streq(val, xr_cc_all[i]->name))
			continue;
		WRITE_ONCE(xr_cc_new, xr_cc_all[i]);
		return 0;
	}
	return -ENOENT;
}

static int xr_cc_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", xr_cc_default()->name);
}

static const struct kernel_param_ops xr_cc_param = {
	.set = xr_cc_set,
	.get = xr_cc_get,
};

module_param_cb(cc, &xr_cc_param, NULL, 0644);
MODULE_PARM_DESC(cc, "Congestion control of new connections: none, delay, dcqcn");
