// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the switches of mutant.h are set by, and what they note: a module of its own, because tests
 * load and unload the modules under test.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "mutant.h"

int xr_mutant;
EXPORT_SYMBOL_GPL(xr_mutant);

u8 xr_mutant_hit[XR_MUTANTS];
EXPORT_SYMBOL_GPL(xr_mutant_hit);

/* What was noted with another number is forgotten. */
static int xr_mutant_set(const char *text, const struct kernel_param *kp)
{
	int ret = param_set_int(text, kp);

	if (!ret)
		memset(xr_mutant_hit, 0, sizeof(xr_mutant_hit));
	return ret;
}

static const struct kernel_param_ops xr_mutant_ops = {
	.set = xr_mutant_set,
	.get = param_get_int,
};
module_param_cb(mutant, &xr_mutant_ops, &xr_mutant, 0644);
MODULE_PARM_DESC(mutant, "number of the check that is left out; 0: none");

static struct debugfs_blob_wrapper xr_mutant_blob = {
	.data = xr_mutant_hit,
	.size = sizeof(xr_mutant_hit),
};
static struct dentry *xr_mutant_file;

static int __init xr_mutant_init(void)
{
	xr_mutant_file = debugfs_create_blob("xr_mutant_hit", 0400, NULL, &xr_mutant_blob);
	return PTR_ERR_OR_ZERO(xr_mutant_file);
}
module_init(xr_mutant_init);

static void __exit xr_mutant_exit(void)
{
	debugfs_remove(xr_mutant_file);
}
module_exit(xr_mutant_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("switches in the checks of xroce, for tests");
