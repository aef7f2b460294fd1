// SPDX-License-Identifier: GPL-2.0-only
/* Links as devices of the control group controller "rdma", if the kernel has it. */
#ifdef CONFIG_CGROUP_RDMA
#include <linux/module.h>

#include "limit.h"

/*
 * rdmacg_css_offline() leaves idle limits behind, at least in Linux 6.12: if a device of any
 * driver is unregistered after a control group that limited it has been removed, the kernel
 * uses freed memory. So this is off unless an administrator turns it on. A link keeps the
 * value with which it was made.
 */
static bool rdma_cgroup;
module_param(rdma_cgroup, bool, 0644);
MODULE_PARM_DESC(rdma_cgroup,
		 "links made from now on are devices of the control group controller rdma (N)");

void xr_group_register(struct xr_limits *limits)
{
	if (!READ_ONCE(rdma_cgroup)) {
		limits->name[0] = 0;
		return;
	}
	limits->device.name = limits->name;
	rdmacg_register_device(&limits->device);
}

void xr_group_unregister(struct xr_limits *limits)
{
	rdmacg_unregister_device(&limits->device);
}

/* Return: 0; -EAGAIN: limit of the control group; -ENOMEM. */
int xr_group_charge(struct xr_limits *limits, struct rdma_cgroup **group,
		    enum rdmacg_resource_type type)
{
	if (!limits->name[0])
		return 0;
	return rdmacg_try_charge(group, &limits->device, type);
}
#endif
