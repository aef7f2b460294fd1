// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The pins of a link under XROCE_PIN_DIR. */
#include <dirent.h>
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
	"link", "prog", "events", "stat", "mr_stat", "rd", "qp", "mpt"
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

/* Return: the device that the BPF link in a directory of pins is attached to. */
static __u32 pinned_ifindex(const char *dir)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	char path[PATH_MAX];
	int fd, err;

	if (xroce_pin_path(dir, "link", path, sizeof(path)))
		return 0;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return 0;
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	return err ? 0 : info.xdp.ifindex;
}

void xroce_pin_dir(const char *netdev, __u32 ifindex, char dir[XROCE_NETDEV_MAX])
{
	struct dirent *entry;
	DIR *pins;

	snprintf(dir, XROCE_NETDEV_MAX, "%s", netdev);
	if (!ifindex || pinned_ifindex(netdev) == ifindex)
		return;
	pins = opendir(XROCE_PIN_DIR);
	if (!pins)
		return;
	while ((entry = readdir(pins))) {
		if (strlen(entry->d_name) < XROCE_NETDEV_MAX &&
		    pinned_ifindex(entry->d_name) == ifindex) {
			strcpy(dir, entry->d_name);
			break;
		}
	}
	closedir(pins);
}

int xroce_pin_open(const char *netdev, const char *name)
{
	char path[PATH_MAX], dir[XROCE_NETDEV_MAX];
	int fd, err;

	xroce_pin_dir(netdev, if_nametoindex(netdev), dir);
	err = xroce_pin_path(dir, name, path, sizeof(path));
	if (err)
		return err;
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

int xroce_pin_mkdir(const char *netdev)
{
	char path[PATH_MAX];
	struct statfs fs;
	struct stat st;
	int err;

	err = xroce_pin_path(netdev, NULL, path, sizeof(path));
	if (err)
		return err;
	if (mkdir(XROCE_PIN_DIR, 0700) && errno != EEXIST)
		return -errno;
	if (statfs(XROCE_PIN_DIR, &fs) || stat(XROCE_PIN_DIR, &st))
		return -errno;
	/* Nobody else may put other maps in their place. */
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return -EACCES;
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
	return pinned_ifindex(netdev);
}
