// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The pins of a link under XROCE_PIN_DIR. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <net/if.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "priv.h"

/*
 * In the order of removal. The BPF link is pinned first and unpinned last, so that the
 * remains of a killed attach or detach always include it: find_dir() finds them by its
 * device. Any pin that is left keeps the module in use.
 */
static const char *const pins[] = {
	"prog", XROCE_PIN_NEW, "netdev", "drop_lease", "drops", "events", "stat", "mr_stat",
	"rd", "qp", "mpt", "link"
};

/* bpffs refuses names that contain a dot. */
int xroce_pin_name(const char *netdev, char dir[XROCE_PIN_DIR_MAX])
{
	const char *p;

	*dir = 0;
	if (!*netdev || strlen(netdev) >= IF_NAMESIZE || strchr(netdev, '/') ||
	    !strcmp(netdev, ".") || !strcmp(netdev, ".."))
		return -EINVAL;
	for (p = netdev; *p; p++) {
		if (*p == '.' || *p == '%')
			dir += sprintf(dir, "%%%02x", *p);
		else
			*dir++ = *p;
	}
	*dir = 0;
	return 0;
}

int xroce_pin_path(const char *dir, const char *name, char *path, size_t size)
{
	int n;

	if (!*dir || strchr(dir, '/') || strchr(dir, '.') ||
	    strlen(dir) >= XROCE_PIN_DIR_MAX)
		return -EINVAL;
	n = snprintf(path, size, "%s/%s%s%s", XROCE_PIN_DIR, dir,
		     name ? "/" : "", name ? name : "");
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Query the BPF link that is pinned in @dir. Return: zeros if there is none. */
static struct bpf_link_info pinned_link(const char *dir)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	char path[PATH_MAX];
	int fd;

	if (xroce_pin_path(dir, "link", path, sizeof(path)))
		return info;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return info;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		memset(&info, 0, sizeof(info));
	close(fd);
	return info;
}

/* Return: index of the device that the pinned BPF link is attached to, or 0. */
static __u32 pinned_ifindex(const char *dir)
{
	return pinned_link(dir).xdp.ifindex;
}

__u32 xroce_pin_program_on(const char *netdev, __u32 ifindex)
{
	__u32 id;

	return xroce_ifindex(netdev) != ifindex ||
	       bpf_xdp_query_id(ifindex, 0, &id) ? 0 : id;
}

/*
 * True if the BPF link in @dir is attached to this device. @prog: number of the device's program,
 * or 0 if it is not known. It tells devices of two network namespaces with the same index apart.
 */
static bool is_pinned(const char *dir, __u32 ifindex, __u32 prog)
{
	struct bpf_link_info info = pinned_link(dir);

	return info.xdp.ifindex == ifindex && (!prog || info.prog_id == prog);
}

/* Search all directories if necessary: the device may have been renamed after the attach. */
static void find_dir(const char *netdev, __u32 ifindex, __u32 prog,
		     char dir[XROCE_PIN_DIR_MAX])
{
	struct dirent *entry;
	DIR *pins;

	if (xroce_pin_name(netdev, dir) || !ifindex ||
	    is_pinned(dir, ifindex, prog))
		return;
	pins = opendir(XROCE_PIN_DIR);
	if (!pins)
		return;
	while ((entry = readdir(pins))) {
		if (strlen(entry->d_name) < XROCE_PIN_DIR_MAX &&
		    is_pinned(entry->d_name, ifindex, prog)) {
			strcpy(dir, entry->d_name);
			break;
		}
	}
	closedir(pins);
}

void xroce_pin_dir(const char *netdev, __u32 ifindex, char dir[XROCE_PIN_DIR_MAX])
{
	find_dir(netdev, ifindex, xroce_pin_program_on(netdev, ifindex), dir);
}

int xroce_pin_open_in(const char *dir, const char *name)
{
	char path[PATH_MAX];
	int fd, err;

	err = xroce_pin_path(dir, name, path, sizeof(path));
	if (err)
		return err;
	fd = bpf_obj_get(path);
	return fd < 0 ? -errno : fd;
}

int xroce_pin_open(const char *netdev, const char *name)
{
	char dir[XROCE_PIN_DIR_MAX];

	xroce_pin_dir(netdev, xroce_ifindex(netdev), dir);
	return xroce_pin_open_in(dir, name);
}

static bool is_bpffs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == BPF_FS_MAGIC;
}

/* Make XROCE_PIN_DIR, which all links share. Return: as xroce_pin_mkdir(). */
static int make_top(char *why)
{
	struct stat st;
	int err;

	err = mkdir(XROCE_PIN_DIR, 0700) && errno != EEXIST ? -errno : 0;
	if (!is_bpffs(err ? XROCE_BPFFS : XROCE_PIN_DIR)) {
		snprintf(why, XROCE_ERROR_MAX, "no bpffs is mounted on " XROCE_BPFFS
			 ": 'mount -t bpf bpf " XROCE_BPFFS "' mounts one");
		return -ENOTDIR;
	}
	if (!err && stat(XROCE_PIN_DIR, &st))
		err = -errno;
	if (err) {
		snprintf(why, XROCE_ERROR_MAX, XROCE_PIN_DIR ": %s", strerror(-err));
		return err;
	}
	/* Nobody else may replace the pinned maps by others. */
	if (st.st_uid == geteuid() && !(st.st_mode & 022))
		return 0;
	snprintf(why, XROCE_ERROR_MAX, XROCE_PIN_DIR
		 ": not permitted: it belongs to uid %u and has mode %04o; it must belong to uid %u, and nobody else may write to it",
		 st.st_uid, st.st_mode & 07777, geteuid());
	return -EACCES;
}

int xroce_pin_mkdir(const char *dir, char *why)
{
	char path[PATH_MAX];
	int err;

	err = make_top(why);
	if (err)
		return err;
	err = xroce_pin_path(dir, NULL, path, sizeof(path));
	if (!err && mkdir(path, 0700))
		err = -errno;
	/* The caller owns the parent directory, so EPERM of bpffs can only mean the name. */
	if (err)
		snprintf(why, XROCE_ERROR_MAX, XROCE_PIN_DIR "/%s: %s", dir,
			 err == -EPERM || err == -EINVAL || err == -ENAMETOOLONG ?
			 "bpffs does not accept a directory of this name" : strerror(-err));
	return err;
}

int xroce_pin_lock(void)
{
	int fd;

	mkdir(XROCE_PIN_DIR, 0700);
	fd = open(XROCE_PIN_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		while (flock(fd, LOCK_EX) && errno == EINTR)
			;
	return fd;
}

void xroce_pin_unlock(int fd)
{
	if (fd >= 0)
		close(fd);
}

/*
 * Detach the program now. Without this, the kernel would detach it some time after the last
 * pin is removed.
 */
static void detach_program(const char *dir)
{
	char path[PATH_MAX];
	int fd;

	if (xroce_pin_path(dir, "link", path, sizeof(path)))
		return;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return;
	bpf_link_detach(fd);
	close(fd);
}

void xroce_pin_remove(const char *dir)
{
	char path[PATH_MAX];
	size_t i;

	detach_program(dir);
	for (i = 0; i < sizeof(pins) / sizeof(pins[0]); i++)
		if (!xroce_pin_path(dir, pins[i], path, sizeof(path)))
			unlink(path);
	if (!xroce_pin_path(dir, NULL, path, sizeof(path)))
		rmdir(path);
}

bool xroce_pin_used(const char *dir, __u32 except)
{
	__u32 ifindex = pinned_ifindex(dir);
	char name[XROCE_NETDEV_MAX], of[XROCE_PIN_DIR_MAX];
	struct xroce_link_query q = {};
	struct stat ns = {};
	int err;

	if (!ifindex)
		return false;
	stat("/proc/self/ns/net", &ns);
	while (!(err = xroce_link_next(&q, true))) {
		if (q.flags & XROCE_F_DEAD || q.link == except ||
		    q.ifindex != ifindex)
			continue;
		/* A device of another network namespace may have the same index. */
		snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1,
			 q.name);
		find_dir(name, q.ifindex, q.netns == ns.st_ino ?
			 xroce_pin_program_on(name, q.ifindex) : 0, of);
		if (!strcmp(of, dir))
			return true;
	}
	return err != -ENOENT;
}

static bool exists(const char *dir)
{
	char path[PATH_MAX];

	return !xroce_pin_path(dir, NULL, path, sizeof(path)) &&
	       !access(path, F_OK);
}

int xroce_pin_clear(const char *netdev, __u32 except)
{
	char own[XROCE_PIN_DIR_MAX], dir[XROCE_PIN_DIR_MAX];
	int err = -ENOENT;

	if (xroce_pin_name(netdev, own))
		return err;
	/* Two candidates: pins of this device from before a rename, and pins under its name. */
	xroce_pin_dir(netdev, xroce_ifindex(netdev), dir);
	if (strcmp(dir, own) && !xroce_pin_used(dir, except)) {
		xroce_pin_remove(dir);
		err = 0;
	}
	if (!exists(own))
		return err;
	if (xroce_pin_used(own, except))
		return -EEXIST;
	xroce_pin_remove(own);
	return exists(own) ? -EPERM : 0;
}
