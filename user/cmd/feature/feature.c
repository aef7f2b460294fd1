// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce feature: features of kernel, module, device and CPU. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "feature/feature.h"
#include "print.h"

#define FEATURES_MAX	64

static struct feature {
	const char *name;
	enum feature_state state;
	bool needed;
	char text[256];
} features[FEATURES_MAX];

static int count;

void feature_add(const char *name, enum feature_state state, bool needed,
		 const char *fmt, ...)
{
	struct feature *f = &features[count];
	va_list args;

	if (count == FEATURES_MAX)
		return;
	count++;
	f->name = name;
	f->state = state;
	f->needed = needed;
	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
}

bool feature_read(const char *path, char *text, int size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	if (n < 0)
		return false;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return true;
}

bool feature_capable(int capability)
{
	unsigned long long effective = 0;
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	fclose(f);
	return effective >> capability & 1;
}

/* Reading the names needs no capability. Without one, the addresses are zeros. */
bool feature_symbol(const char *name)
{
	char line[512], *at;
	bool found = false;
	size_t len;
	FILE *f = fopen("/proc/kallsyms", "re");

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		len = strcspn(line, "\n");
		line[len] = 0;
		at = strchr(line, ' ');
		at = at ? strchr(at + 1, ' ') : NULL;
		found = at && !strcmp(at + 1, name);
	}
	fclose(f);
	return found;
}

bool feature_module(const char *name, const char *list)
{
	char path[128 + sizeof(((struct utsname *)0)->release)], file[64], line[512];
	struct utsname kernel;
	bool found = false;
	FILE *f;

	if (uname(&kernel))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/%s", kernel.release, list);
	snprintf(file, sizeof(file), "/%s.ko", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	/* A line is a path, in modules.dep followed by a colon and paths of other modules. */
	while (!found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, ":")] = 0;
		found = strstr(line, file) != NULL;
	}
	fclose(f);
	return found;
}

static void show_one(const struct feature *f)
{
	static const char *const states[] = {
		[FEATURE_NO] = "no", [FEATURE_YES] = "yes",
		[FEATURE_UNKNOWN] = "unknown",
	};

	print_begin();
	print_str("name", f->name);
	print_colored("state", states[f->state],
		      f->state == FEATURE_YES ? COLOR_GOOD :
		      f->state == FEATURE_NO && f->needed ? COLOR_BAD :
							    COLOR_NONE);
	print_flag("needed", f->needed);
	print_str("detail", f->text);
	print_end();
}

static int show_all(void)
{
	int i, missing = 0, unknown = 0;

	for (i = 0; i < count; i++) {
		if (!features[i].needed)
			continue;
		missing += features[i].state == FEATURE_NO;
		unknown += features[i].state == FEATURE_UNKNOWN;
	}
	print_begin();
	print_bool("usable", !missing && !unknown);
	print_num("missing", missing);
	print_num("unknown", unknown);
	print_array_begin("features", "feature");
	for (i = 0; i < count; i++)
		show_one(&features[i]);
	print_array_end();
	print_end();
	return missing || unknown ? EXIT_ERROR : EXIT_OK;
}

static int feature_probe(int argc, char **argv)
{
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL | ARG_BARE },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	count = 0;
	feature_probe_kernel();
	feature_probe_bpf();
	feature_probe_module();
	feature_probe_verbs();
	if (dev)
		feature_probe_dev(dev);
	feature_probe_memory();
	feature_probe_cpu();
	return show_all();
}

const struct cmd feature_verbs[] = {
	{ "probe", feature_probe, "[[dev] DEV]" },
	{}
};
