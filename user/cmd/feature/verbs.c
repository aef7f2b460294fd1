// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a verbs device on a link needs. All of it is optional. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "feature/feature.h"

/* True if the module is loaded, or a part of the kernel. */
static bool is_there(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", name);
	return !access(path, F_OK) || feature_module(name, "modules.builtin");
}

static void probe_module(const char *feature, const char *name, const char *cure)
{
	struct utsname kernel;

	if (uname(&kernel))
		*kernel.release = 0;
	if (is_there(name))
		feature_add(feature, FEATURE_YES, false, "module %s is loaded", name);
	else if (feature_module(name, "modules.dep"))
		feature_add(feature, FEATURE_YES, false,
			    "module %s is installed; the kernel loads it when it is needed", name);
	else
		feature_add(feature, FEATURE_NO, false,
			    "module %s is not loaded, and not installed for Linux %s%s", name,
			    kernel.release, cure);
}

/*
 * A provider is a library in one of the directories of the distributions. @feature: its name here;
 * @library: its name there; @cure: what to do if there is none.
 */
static void probe_provider(const char *feature, const char *library, const char *cure)
{
	glob_t found = {};
	char path[64];

	snprintf(path, sizeof(path), "/usr/lib/*/libibverbs/%s-rdmav*.so", library);
	glob(path, 0, NULL, &found);
	snprintf(path, sizeof(path), "/usr/lib*/libibverbs/%s-rdmav*.so", library);
	glob(path, GLOB_APPEND, NULL, &found);
	if (found.gl_pathc)
		feature_add(feature, FEATURE_YES, false, "%.150s", found.gl_pathv[0]);
	else
		feature_add(feature, FEATURE_NO, false, "%s", cure);
	globfree(&found);
}

void feature_probe_verbs(void)
{
	probe_module("uverbs", "ib_uverbs",
		     ": a kernel with CONFIG_INFINIBAND_USER_ACCESS is needed");
	probe_module("verbs", "xroce_ib", ": it is built with the module xroce if the kernel has uverbs");
	probe_provider("verbs_provider", "librxe",
		       "no provider librxe of rdma-core (Debian: package ibverbs-providers)");
	probe_provider("verbs_provider_xroce", "libxroce",
		       "only for devices with \"provider xroce\": make install-provider");
}
