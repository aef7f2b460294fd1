// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mount.h>

#include "fault.h"

#define DEBUGFS		"/sys/kernel/debug"
#define MOST		1000000u	/* limit of random failures of each kind */

/* Injectors for slab objects and for pages. */
static const char * const kinds[] = { "failslab", "fail_page_alloc" };
/*
 * Slab caches from which the data path, or the network stack below it, allocates in
 * softirq. Only these: the virtual machine's console would lose output.
 */
static const char * const caches[] = { "kmalloc-2k", "skbuff_head_cache" };
static int nth_fd = -1;

/* Write @value to a file in @dir/@sub. Return: whether that worked. */
static bool put(const char *dir, const char *sub, const char *name, unsigned int value)
{
	char path[128];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", dir, sub, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && dprintf(fd, "%u", value) > 0;
	if (fd >= 0)
		close(fd);
	return done;
}

/* Write to a file of both injectors. */
static void set(const char *name, unsigned int value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		check(put(DEBUGFS, kinds[i], name, value), "%s/%s: %s",
		      kinds[i], name, strerror(errno));
}

static unsigned int get(const char *kind, const char *name)
{
	unsigned int value = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), DEBUGFS "/%s/%s", kind, name);
	f = fopen(path, "r");
	check(f && fscanf(f, "%u", &value) == 1, "%s", path);
	if (f)
		fclose(f);
	return value;
}

/* Settings for fault_nth(), which ignores the probability. */
static void prepare(void)
{
	/* Stack traces of all failures would keep a serial console busy. */
	set("verbose", 0);
	set("probability", 0);
	set("task-filter", 0);
	put(DEBUGFS, kinds[0], "cache-filter", 0);
	/* Include allocations that may sleep, and single pages. */
	set("ignore-gfp-wait", 0);
	put(DEBUGFS, kinds[1], "ignore-gfp-highmem", 0);
	put(DEBUGFS, kinds[1], "min-order", 0);
}

/*
 * Prepare for faults. Return: 0; or an exit status, after the plan was skipped because the
 * kernel has no fault injection.
 */
static int fault_skip(void)
{
	if (access(DEBUGFS "/failslab", F_OK))
		mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0 || access(DEBUGFS "/failslab", F_OK) ||
	    access(DEBUGFS "/fail_page_alloc", F_OK)) {
		printf("TAP version 13\n1..0 # SKIP needs CONFIG_FAULT_INJECTION\n");
		return HARNESS_SKIPPED;
	}
	prepare();
	return 0;
}

int fault_harness_main(int argc, char **argv)
{
	int status = fault_skip();

	return status ? status : harness_main(argc, argv);
}

int fault_main(int argc, char **argv)
{
	int status;

	/* No faults are needed if live_main() skips the tests. */
	if (!getenv("XROCE_NET"))
		return live_main(argc, argv);
	status = fault_skip();
	return status ? status : live_main(argc, argv);
}

void fault_nth(unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	/* Must be the last call before the tested one: its allocations would be counted. */
	check(pwrite(nth_fd, text, n, 0) == n, "fail-nth: %s", strerror(errno));
}

unsigned int fault_nth_left(void)
{
	char left[16] = "";
	ssize_t n = pread(nth_fd, left, sizeof(left) - 1, 0);

	fault_nth(0);
	return check(n > 0, "fail-nth: %s", strerror(errno)) ? strtoul(left, NULL, 10) : 1;
}

bool fault_nth_end(void)
{
	return !fault_nth_left();
}

static void mark_caches(bool mark)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(caches); i++)
		check(put("/sys/kernel/slab", caches[i], "failslab", mark), "%s: %s",
		      caches[i], strerror(errno));
}

/* Mark the kernel's workers, and kthreadd, from which new workers inherit the mark. */
static void mark_workers(bool mark)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char path[64], name[32];
	FILE *f;

	while (proc && (entry = readdir(proc))) {
		if (!isdigit(entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.16s/comm", entry->d_name);
		f = fopen(path, "r");
		if (f && fgets(name, sizeof(name), f) &&
		    (!strncmp(name, "kworker", 7) || !strcmp(name, "kthreadd\n")))
			put("/proc", entry->d_name, "make-it-fail", mark);
		if (f)
			fclose(f);
	}
	if (proc)
		closedir(proc);
}

void fault_chance(enum fault_whose whose, unsigned int percent)
{
	const bool workers = whose == FAULT_WORKERS;

	if (workers)
		mark_workers(true);
	else
		mark_caches(true);
	set("task-filter", workers);
	put(DEBUGFS, kinds[0], "cache-filter", !workers);
	set("ignore-gfp-wait", !workers);
	set("interval", 1);
	set("space", 0);
	set("times", MOST);
	set("probability", percent);
}

unsigned int fault_chance_end(void)
{
	unsigned int failed = 0;
	size_t i;

	set("probability", 0);
	mark_workers(false);
	mark_caches(false);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		failed += MOST - get(kinds[i], "times");
	prepare();
	return failed;
}
