// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The pins of a link under XROCE_PIN_DIR. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <net/if.h>

#include <bpf/bpf.h>

#include "libxroce_priv.h"

static const char *const pins[] = {
	"link", "prog", "events", "stat", "rd", "qp", "mpt"
};

int xroce_pin_path(const char *netdev, const char *name, char *path,
		   size_t size)
{
	int n;

	/* A netdev's name has no slash and is neither "." nor "..". */
	if (!*netdev || *netdev == '.' || strchr(netdev, '/') ||
	    strlen(netdev) >= IF_NAMESIZE)
		return -EINVAL;
	n = snprintf(path, size, "%s/%s%s%s", XROCE_PIN_DIR, netdev,
		     name ? "/" : "", name ? name : "");
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int xroce_pin_open(const char *netdev, const char *name)
{
	char path[PATH_MAX];
	int fd, err;

	err = xroce_pin_path(netdev, name, path, sizeof(path));
	if (err)
		return err;
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

int xroce_pin_mkdir(const char *netdev)
{
	char path[PATH_MAX];
	struct statfs fs;
	int err;

	err = xroce_pin_path(netdev, NULL, path, sizeof(path));
	if (err)
		return err;
	if (mkdir(XROCE_PIN_DIR, 0700) && errno != EEXIST)
		return -errno;
	if (statfs(XROCE_PIN_DIR, &fs))
		return -errno;
	if (fs.f_type != BPF_FS_MAGIC)
		return -ENOTDIR;
	return mkdir(path, 0700) ? -errno : 0;
}

void xroce_pin_remove(const char *netdev)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(pins) / sizeof(pins[0]); i++)
		if (!xroce_pin_path(netdev, pins[i], path, sizeof(path)))
			unlink(path);
	if (!xroce_pin_path(netdev, NULL, path, sizeof(path)))
		rmdir(path);
}

bool xroce_pin_alive(const char *netdev)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int fd, err;

	fd = xroce_pin_open(netdev, "link");
	if (fd < 0)
		return false;
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	return !err && info.xdp.ifindex;
}
