// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Pins of algorithms: see cc_pin.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include <bpf/bpf.h>

#include "xroce_cc.h"

#include "cc_pin.h"
#include "message.h"

#define BPFFS	"/sys/fs/bpf"
#define PINS	BPFFS "/xroce_cc"

/* Path of a pin, with %2e for a dot, which bpffs does not take. */
static void pin_path(const char *name, char path[sizeof(PINS) + 3 * XROCE_CC_NAME_MAX])
{
	char *to = path + sprintf(path, PINS "/");

	for (; *name; name++)
		to += sprintf(to, *name == '.' ? "%%2e" : "%c", *name);
}

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == BPF_FS_MAGIC;
}

int cc_pin(const char *name, int fd)
{
	char path[sizeof(PINS) + 3 * XROCE_CC_NAME_MAX];

	pin_path(name, path);
	if (!is_bpffs(BPFFS))
		return fail("cc %s: no bpffs is mounted on " BPFFS ": 'mount -t bpf bpf " BPFFS "' mounts one",
			    name);
	if (mkdir(PINS, 0700) && errno != EEXIST)
		return fail("cc %s: " PINS ": %s", name, strerror(errno));
	/* What is left of an algorithm that somebody else has removed. */
	unlink(path);
	if (bpf_obj_pin(fd, path))
		return fail("cc %s: %s: %s", name, path, strerror(errno));
	return EXIT_OK;
}

int cc_unpin(const char *name)
{
	char path[sizeof(PINS) + 3 * XROCE_CC_NAME_MAX];

	pin_path(name, path);
	return unlink(path) && errno != ENOENT ? -errno : 0;
}
