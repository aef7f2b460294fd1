// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poller.h"

#define NAME	"xroce-poll"

/* Read a file of a thread. Return: false: there is none. */
static bool read_of(pid_t pid, pid_t tid, const char *file, char *text, size_t size)
{
	char path[96];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	n = fread(text, 1, size - 1, f);
	fclose(f);
	text[n] = '\0';
	return n > 0;
}

pid_t poller_of(pid_t pid)
{
	char path[32], name[32];
	struct dirent *d;
	pid_t found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !found && (d = readdir(dir)))
		if (read_of(pid, atoi(d->d_name), "comm", name, sizeof(name)) &&
		    !strcmp(name, NAME "\n"))
			found = atoi(d->d_name);
	if (dir)
		closedir(dir);
	return found;
}

char poller_state(pid_t pid, pid_t tid)
{
	char text[512], *end;

	if (!read_of(pid, tid, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end ? end[2] : 0;
}

uint64_t poller_ran(pid_t pid, pid_t tid)
{
	char text[128];

	return read_of(pid, tid, "schedstat", text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

/* The mapping of a device with the lowest offset from @from on. Return: the offset. */
static uint64_t next_mapped(const char *device, uint64_t from, void **at)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t offset, least = UINT64_MAX;
	uintptr_t begin, end;
	char line[512];

	*at = NULL;
	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, device) ||
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64, &begin, &end,
			   &offset) != 3 || offset < from || offset >= least)
			continue;
		least = offset;
		*at = (void *)begin;
	}
	if (f)
		fclose(f);
	return least;
}

/* What is made later has a higher offset. */
void *poller_mapped(const struct ibv_context *ctx, unsigned int n)
{
	uint64_t from = 0;
	void *at;

	do {
		from = next_mapped(ctx->device->dev_name, from, &at) + 1;
	} while (at && n--);
	return at;
}
