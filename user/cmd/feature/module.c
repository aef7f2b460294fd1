// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Features of the module, and of the BPF object, whose program calls the module. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "feature/feature.h"
#include "../../lib/priv.h"

/* All commands of the module that this program was built with. */
static const __u8 commands[] = {
	XROCE_NR_LINK_ADD, XROCE_NR_LINK_MAPS, XROCE_NR_LINK_DEL,
	XROCE_NR_LINK_QUERY, XROCE_NR_LINK_USE, XROCE_NR_LINK_PROG,
	XROCE_NR_LINK_CC, XROCE_NR_LINK_MODERATE,
	XROCE_NR_PD_ADD, XROCE_NR_PD_DEL, XROCE_NR_PD_QUERY, XROCE_NR_MR_REG,
	XROCE_NR_MR_DEREG, XROCE_NR_MR_QUERY, XROCE_NR_MR_REG_PHYS,
	XROCE_NR_MR_REG_SHARED, XROCE_NR_MR_REREG, XROCE_NR_MR_ADVISE,
	XROCE_NR_QP_ADD,
	XROCE_NR_QP_MODIFY, XROCE_NR_QP_DEL, XROCE_NR_QP_QUERY,
	XROCE_NR_QP_SEND, XROCE_NR_QP_CC,
	XROCE_NR_CQ_ADD, XROCE_NR_CQ_DEL, XROCE_NR_CQ_MODERATE, XROCE_NR_SRQ_ADD,
	XROCE_NR_SRQ_MODIFY, XROCE_NR_SRQ_DEL, XROCE_NR_SRQ_QUERY,
	XROCE_NR_MTT_QUERY, XROCE_NR_MTT_READ, XROCE_NR_MW_ADD,
	XROCE_NR_MW_DEL, XROCE_NR_MW_QUERY, XROCE_NR_MW_BIND,
	XROCE_NR_MW_INVAL, XROCE_NR_LIMIT_SET, XROCE_NR_LIMIT_QUERY,
	XROCE_NR_CC_QUERY,
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

/* Return: whether the module is loaded. */
static bool probe_loaded(void)
{
	struct utsname name;
	char version[64];

	if (feature_read("/sys/module/xroce/version", version, sizeof(version))) {
		feature_add("module", FEATURE_YES, true, "version %s", version);
		return true;
	}
	if (uname(&name))
		*name.release = 0;
	if (feature_module("xroce", "modules.dep"))
		feature_add("module", FEATURE_NO, true,
			    "%s", xroce_strerror(-ENXIO));
	else
		feature_add("module", FEATURE_NO, true,
			    "%s, once it is installed for Linux %s",
			    xroce_strerror(-ENXIO), name.release);
	return false;
}

/* A command with a NULL argument does nothing, and fails with ENOTTY only if it is unknown. */
static void probe_abi(void)
{
	unsigned int known = 0;
	size_t i;
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		feature_add("abi", FEATURE_UNKNOWN, true, "%s",
			    errno == EACCES ? xroce_strerror(-EACCES) :
			    strerror(errno));
		return;
	}
	for (i = 0; i < COMMANDS; i++)
		known += ioctl(fd, _IO(XROCE_IOC_TYPE, commands[i]), NULL) &&
			 errno != ENOTTY;
	close(fd);
	feature_add("abi", known == COMMANDS ? FEATURE_YES : FEATURE_NO, true,
		    "%u of %zu commands%s", known, COMMANDS,
		    known == COMMANDS ? "" : ": the module is older than this program");
}

/*
 * Look up each kfunc that the XDP program calls in the module's BTF. @first: out: name of a
 * missing kfunc, if any; @count: out: number of kfuncs. Return: number of missing kfuncs.
 */
static int missing_kfuncs(const struct btf *object, const struct btf *module,
			  const char **first, int *count)
{
	int id = btf__find_by_name_kind(object, ".ksyms", BTF_KIND_DATASEC);
	const struct btf_type *section, *t;
	const struct btf_var_secinfo *var;
	int i, missing = 0;
	const char *name;

	*count = 0;
	if (id < 0)
		return 0;
	section = btf__type_by_id(object, id);
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++, var++) {
		t = btf__type_by_id(object, var->type);
		name = btf__name_by_offset(object, t->name_off);
		if (!btf_is_func(t) || strncmp(name, "xroce_", 6))
			continue;
		++*count;
		if (btf__find_by_name_kind(module, name, BTF_KIND_FUNC) < 0) {
			*first = name;
			missing++;
		}
	}
	return missing;
}

static void compare_kfuncs(const struct btf *object)
{
	struct btf *base = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	const char *name = NULL;
	struct btf *module;
	int missing, count;

	module = base ? btf__parse_split("/sys/kernel/btf/xroce", base) : NULL;
	if (!module) {
		feature_add("kfuncs", FEATURE_NO, true,
			    "/sys/kernel/btf/xroce: %s: the module was built without BTF",
			    strerror(errno));
		btf__free(base);
		return;
	}
	missing = missing_kfuncs(object, module, &name, &count);
	if (missing)
		feature_add("kfuncs", FEATURE_NO, true,
			    "%d of %d functions are missing in the module, for example %s()",
			    missing, count, name);
	else
		feature_add("kfuncs", count ? FEATURE_YES : FEATURE_NO, true,
			    "%d functions of the module%s", count,
			    count ? "" : ": the BPF object is not an object of xroce");
	btf__free(module);
	btf__free(base);
}

static void probe_object(bool loaded)
{
	char path[PATH_MAX], text[XROCE_LIBBPF_ERROR_MAX];
	struct btf *object = NULL;
	const char *wrong = NULL;
	int err;

	err = xroce_object_path(NULL, path, sizeof(path));
	if (err) {
		wrong = strerror(-err);
	} else {
		object = btf__parse(path, NULL);
		/* The file is there, but has no BTF: ENOENT of libbpf 1.1, ENODATA of 1.5. */
		if (!object && (errno == ENOENT || errno == ENODATA))
			wrong = "not an object of xroce";
		else if (!object)
			wrong = xroce_libbpf_strerror(errno, text);
	}
	feature_add("bpf_object", wrong ? FEATURE_NO : FEATURE_YES, true,
		    "%.120s%s%s%s", path, wrong ? ": " : "", wrong ? : "",
		    wrong ? xroce_object_cure(NULL) : "");
	if (object && loaded)
		compare_kfuncs(object);
	btf__free(object);
}

void feature_probe_module(void)
{
	bool loaded = probe_loaded();
	libbpf_print_fn_t before;

	if (loaded)
		probe_abi();
	/* What libbpf says on stderr is the detail of the feature, too. */
	before = libbpf_set_print(NULL);
	probe_object(loaded);
	libbpf_set_print(before);
}
