// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Features of the kernel, and capabilities of the process. */
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/magic.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "feature/feature.h"

#define NEEDED_MAJOR	6
#define NEEDED_MINOR	12

static void probe_release(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;
	bool new;

	if (uname(&name) ||
	    sscanf(name.release, "%u.%u", &major, &minor) != 2) {
		feature_add("kernel", FEATURE_UNKNOWN, true,
			    "the kernel's release cannot be read");
		return;
	}
	new = major > NEEDED_MAJOR ||
	      (major == NEEDED_MAJOR && minor >= NEEDED_MINOR);
	feature_add("kernel", new ? FEATURE_YES : FEATURE_NO, true,
		    "%s %s%s", name.release, name.machine,
		    new ? "" : ": Linux 6.12 or newer is needed");
}

static void probe_rights(void)
{
	static const struct {
		int number;
		const char *name;
		const char *without;
	} capabilities[] = {
		{ CAP_NET_ADMIN, "cap_net_admin",
		  "not held; needed to make links and persistent objects" },
		/* CAP_BPF is not enough: reading the BTF of modules needs CAP_SYS_ADMIN. */
		{ CAP_SYS_ADMIN, "cap_sys_admin",
		  "not held; needed to make links" },
	};
	size_t i;
	bool has;

	for (i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		has = feature_capable(capabilities[i].number);
		feature_add(capabilities[i].name, has ? FEATURE_YES : FEATURE_NO,
			    true, "%s", has ? "held" : capabilities[i].without);
	}
}

void feature_probe_kernel(void)
{
	bool btf = !access("/sys/kernel/btf/vmlinux", R_OK);

	probe_release();
	feature_add("btf", btf ? FEATURE_YES : FEATURE_NO, true, "%s", btf ?
		    "/sys/kernel/btf/vmlinux" :
		    "no /sys/kernel/btf/vmlinux: a kernel with CONFIG_DEBUG_INFO_BTF is needed");
	probe_rights();
}

static void probe_types(void)
{
	static const struct {
		enum bpf_map_type type;
		const char *name;
	} maps[] = {
		{ BPF_MAP_TYPE_ARRAY, "bpf_array" },
		{ BPF_MAP_TYPE_PERCPU_ARRAY, "bpf_percpu_array" },
		{ BPF_MAP_TYPE_RINGBUF, "bpf_ringbuf" },
	};
	const bool may = feature_capable(CAP_SYS_ADMIN) ||
			 (feature_capable(CAP_BPF) &&
			  feature_capable(CAP_NET_ADMIN));
	size_t i;
	bool has;

	/* Without these capabilities a refusal does not mean that the feature is missing. */
	if (!may) {
		feature_add("bpf_xdp", FEATURE_UNKNOWN, true,
			    "cannot be probed without CAP_BPF and CAP_NET_ADMIN");
		return;
	}
	has = libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_XDP, NULL) == 1;
	feature_add("bpf_xdp", has ? FEATURE_YES : FEATURE_NO, true, "%s", has ?
		    "programs of type xdp" :
		    "the kernel refuses programs of type xdp");
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		has = libbpf_probe_bpf_map_type(maps[i].type, NULL) == 1;
		feature_add(maps[i].name, has ? FEATURE_YES : FEATURE_NO, true,
			    "%s", has ? "maps of this type" :
			    "the kernel refuses maps of this type");
	}
}

/* Load a trivial program. Return: 1: it is JIT-compiled; 0: it is not; or -errno. */
static int load_and_look(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd, err;

	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, NULL, "GPL", insns,
			   sizeof(insns) / sizeof(insns[0]), NULL);
	if (fd < 0)
		return -errno;
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	return err ? -errno : info.jited_prog_len > 0;
}

/* The JIT compiler, which calls of the module's kfuncs need. */
static void probe_jit(void)
{
	static const char off[] =
		"off, but calls of the module need it; 'sysctl net.core.bpf_jit_enable=1' enables it";
	int jited = load_and_look();
	char text[16];

	/* The sysctl exists only in the initial network namespace. */
	if (jited >= 0)
		feature_add("bpf_jit", jited ? FEATURE_YES : FEATURE_NO, true,
			    "%s", jited ? "programs are JIT-compiled" : off);
	else if (feature_read("/proc/sys/net/core/bpf_jit_enable", text,
			      sizeof(text)))
		feature_add("bpf_jit", *text == '0' ? FEATURE_NO : FEATURE_YES,
			    true, "%s", *text == '0' ? off :
			    "net.core.bpf_jit_enable is set");
	else
		feature_add("bpf_jit", FEATURE_UNKNOWN, true,
			    "cannot be probed without CAP_BPF and CAP_NET_ADMIN");
}

static void probe_bpffs(void)
{
	struct statfs fs;

	if (!statfs("/sys/fs/bpf", &fs) && fs.f_type == BPF_FS_MAGIC)
		feature_add("bpffs", FEATURE_YES, true, "/sys/fs/bpf");
	else
		feature_add("bpffs", FEATURE_NO, true,
			    "not mounted on /sys/fs/bpf; 'mount -t bpf bpf /sys/fs/bpf' mounts it");
}

void feature_probe_bpf(void)
{
	libbpf_print_fn_t before = libbpf_set_print(NULL);

	probe_types();
	probe_jit();
	probe_bpffs();
	libbpf_set_print(before);
}
