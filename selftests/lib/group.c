// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group.h"
#include "harness.h"

#define CGROUPS	"/tmp/xroce_cgroup"
#define GROUP	CGROUPS "/short"

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

static unsigned long long get(const char *path)
{
	unsigned long long n = 0;
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

static char levels[64];
static int kmsg;

void quiet(void)
{
	int fd = open("/proc/sys/kernel/printk", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, levels, sizeof(levels) - 1);

	close(fd);
	levels[n > 0 ? n : 0] = 0;
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	lseek(kmsg, 0, SEEK_END);
	check(put("/proc/sys/kernel/printk", "1"), "printk");
}

/* Check what the kernel has logged since. Return: whether that is anything. */
static bool read_log(void)
{
	static const char *const bad[] = {
		"WARNING:", "BUG:", "Oops", "refcount_t", "lockup", "KASAN",
	};
	char line[8192];
	bool any = false;
	ssize_t n;
	size_t i;

	while ((n = read(kmsg, line, sizeof(line) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		line[n > 0 ? n : 0] = 0;
		for (i = 0; i < ARRAY_SIZE(bad); i++)
			check(!strstr(line, bad[i]), "%s", line);
		any = true;
	}
	return any;
}

/*
 * A page fault of the module that began before may log after its request was answered:
 * the console stays silent until nothing has been logged for half a second.
 */
void quiet_end(void)
{
	int i, silent = 0;

	for (i = 0; i < 200 && silent < 5; i++) {
		silent = read_log() ? 0 : silent + 1;
		usleep(100000);
	}
	put("/proc/sys/kernel/printk", levels);
	close(kmsg);
}

bool group_put(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), GROUP "/%s", file);
	return put(path, text);
}

bool group_get(const char *file, char *text, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), GROUP "/%s", file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n >= 0;
}

bool group_open(const char *controller)
{
	char text[32];

	snprintf(text, sizeof(text), "+%s", controller);
	mkdir(CGROUPS, 0700);
	if ((mount("none", CGROUPS, "cgroup2", 0, NULL) && errno != EBUSY) ||
	    !put(CGROUPS "/cgroup.subtree_control", text) ||
	    (mkdir(GROUP, 0700) && errno != EEXIST)) {
		skip("no control group for %s: %s", controller, strerror(errno));
		group_close();
		return false;
	}
	return true;
}

void group_close(void)
{
	int i;

	/* Processes that have ended may take a moment to leave the group. */
	for (i = 0; rmdir(GROUP) && i < 100; i++)
		usleep(10000);
	umount(CGROUPS);
	rmdir(CGROUPS);
}

unsigned long long group_used(void)
{
	return get(GROUP "/memory.current");
}

bool group_limit(unsigned long long more)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu",
		 group_used() + more);
	return check(group_put("memory.max", text), "memory.max");
}

bool group_score(int score)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", score);
	return put("/proc/self/oom_score_adj", text);
}

bool group_join(int score)
{
	return group_put("cgroup.procs", "0") && group_score(score);
}
