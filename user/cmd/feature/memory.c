// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Features of memory and of the CPU. All of them are optional. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/capability.h>

#include "feature/feature.h"
#include "libxroce.h"
#include "units.h"

#define HUGE	"/sys/kernel/mm/hugepages"

static void probe_memlock(void)
{
	char soft[UNITS_MAX], hard[UNITS_MAX];
	struct rlimit limit;

	if (feature_capable(CAP_IPC_LOCK) ||
	    getrlimit(RLIMIT_MEMLOCK, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY) {
		feature_add("memlock", FEATURE_YES, false,
			    "memory can be pinned without a limit");
		return;
	}
	feature_add("memlock", limit.rlim_cur ? FEATURE_YES : FEATURE_NO, false,
		    "RLIMIT_MEMLOCK allows %s to be pinned; its hard limit is %s",
		    units_exact(limit.rlim_cur, soft),
		    limit.rlim_max == RLIM_INFINITY ? "unlimited" :
		    units_exact(limit.rlim_max, hard));
}

/* Number of reserved huge pages of each size. */
static void probe_hugetlb(void)
{
	char text[200] = "", path[128], number[24], unit[UNITS_MAX];
	unsigned long long kib, sum = 0;
	struct dirent *entry;
	size_t len = 0;
	DIR *dir = opendir(HUGE);

	while (dir && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "hugepages-%llukB", &kib) != 1)
			continue;
		snprintf(path, sizeof(path), HUGE "/%.60s/nr_hugepages",
			 entry->d_name);
		if (!feature_read(path, number, sizeof(number)))
			continue;
		sum += strtoull(number, NULL, 10);
		if (len < sizeof(text))
			len += snprintf(text + len, sizeof(text) - len,
					"%s%s of %s", len ? ", " : "", number,
					units_exact(kib * 1024, unit));
	}
	if (dir)
		closedir(dir);
	feature_add("huge_pages", sum ? FEATURE_YES : FEATURE_NO, false, "%s%s",
		    *text ? text : "not supported by the kernel",
		    sum || !*text ? "" : "; 'sysctl vm.nr_hugepages=N' reserves some");
}

static void probe_thp(void)
{
	char text[64];

	if (!feature_read("/sys/kernel/mm/transparent_hugepage/enabled", text,
			  sizeof(text))) {
		feature_add("transparent_huge_pages", FEATURE_NO, false,
			    "not supported by the kernel");
		return;
	}
	feature_add("transparent_huge_pages",
		    strstr(text, "[never]") ? FEATURE_NO : FEATURE_YES, false,
		    "%s", text);
}

/* Support for on-demand memory, in the kernel and in the module. */
static void probe_on_demand(void)
{
	const bool faults = feature_symbol("hmm_range_fault");
	const bool notes = feature_symbol("mmu_interval_notifier_insert");
	bool module;

	feature_add("hmm", faults && notes ? FEATURE_YES : FEATURE_NO, false,
		    "%s", faults && notes ?
		    "hmm_range_fault, mmu_interval_notifier_insert" : faults ?
		    "no mmu_interval_notifier_insert: a kernel with CONFIG_MMU_NOTIFIER is needed" :
		    "no hmm_range_fault: a kernel with CONFIG_HMM_MIRROR is needed");
	/* A module without on-demand memory lacks this function. */
	module = feature_symbol("xr_odp_miss\t[xroce]");
	feature_add("on_demand", module ? FEATURE_YES : FEATURE_NO, false, "%s",
		    module ? "the module supports on-demand memory" :
		    access("/sys/module/xroce", F_OK) ? xroce_strerror(-ENXIO) :
		    "the module was built without on-demand memory");
}

void feature_probe_memory(void)
{
	probe_memlock();
	probe_hugetlb();
	probe_thp();
	probe_on_demand();
}

/* True if @flag is a word in the line of flags. */
static bool cpu_has(const char *flags, const char *flag)
{
	const size_t len = strlen(flag);
	const char *p = flags;

	while ((p = strstr(p, flag))) {
		if (p > flags && p[-1] == ' ' &&
		    (!p[len] || strchr(" \n", p[len])))
			return true;
		p += len;
	}
	return false;
}

/* The widest registers in which this CPU can multiply for the invariant CRC, from its flags. */
static void probe_crc(const char *flags)
{
	const bool clmul = cpu_has(flags, "pclmulqdq"), avx = cpu_has(flags, "avx");
	const bool wide = cpu_has(flags, "avx2") && cpu_has(flags, "vpclmulqdq");

	if (!clmul || !avx)
		feature_add("crc32", FEATURE_NO, false, "the CPU has no %s: a table is used",
			    clmul ? "avx" : "pclmulqdq");
	else
		feature_add("crc32", FEATURE_YES, false,
			    "the CPU has carry-less multiplication in %s",
			    !wide ? "128 bits (pclmulqdq, avx)" :
			    cpu_has(flags, "avx512f") ? "512 bits (vpclmulqdq, avx512f)" :
							"256 bits (vpclmulqdq, avx2)");
}

/* What the module uses, if it is loaded. Return: whether it says so. */
static bool probe_crc_module(void)
{
	char bits[16];

	if (!feature_read("/sys/module/xroce/parameters/crc_bits", bits, sizeof(bits)))
		return false;
	if (strcmp(bits, "0"))
		feature_add("crc32", FEATURE_YES, false,
			    "the module uses carry-less multiplication in %s bits", bits);
	else
		feature_add("crc32", FEATURE_NO, false, "the module uses a table");
	return true;
}

void feature_probe_cpu(void)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	if (probe_crc_module())
		return;
	f = fopen("/proc/cpuinfo", "re");
	while (f && getline(&line, &size, f) > 0)
		if (!strncmp(line, "flags", 5))
			break;
	/* Without a line of flags, the CPU has none of them. */
	probe_crc(line ? line : "");
	free(line);
	if (f)
		fclose(f);
}
