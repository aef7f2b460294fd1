// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Attaching: link, program, BPF link, pins and at last the maps, with which the
 * link serves, and back in the opposite order when a step fails. Until it has maps
 * the link goes with our descriptor. So who is killed leaves pins without a link
 * at most, which do not serve, and which the next one removes.
 */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "libxroce_priv.h"

struct attach {
	const char *netdev;
	struct xroce_attach_opts *opts;
	__u32 ifindex;
	__u32 mpt_entries;
	__u32 qp_entries;
	__u32 mr_stat_entries;
	int dev;		/* /dev/xroce */
	struct bpf_object *obj;
	struct bpf_program *prog;
	int link;		/* the BPF link */
};

static int failed(struct attach *a, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Leave the reason for the caller. Return: @err. */
static int failed(struct attach *a, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(a->opts->error, sizeof(a->opts->error), fmt, args);
	va_end(args);
	return err;
}

static int speak(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	return vfprintf(stderr, fmt, args);
}

static int be_silent(enum libbpf_print_level level, const char *fmt,
		     va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static bool entries_ok(__u32 n, __u32 most)
{
	return n >= 16 && n <= most && !(n & (n - 1));
}

/* One entry, none of a region's, where as many as there are regions are a lot. */
static __u32 mr_stat_entries(__u32 mpt_entries)
{
	int cpus = libbpf_num_possible_cpus();
	__u64 bytes = (__u64)mpt_entries * sizeof(struct xroce_mr_stat);

	return cpus < 1 || bytes > XROCE_MR_STAT_MAX / cpus ? 1 : mpt_entries;
}

static int check_opts(struct attach *a)
{
	const struct xroce_attach_opts *opts = a->opts;

	a->mpt_entries = opts->mpt_entries ? : XROCE_MPT_ENTRIES;
	a->qp_entries = opts->qp_entries ? : XROCE_QP_ENTRIES;
	if (!entries_ok(a->mpt_entries, 1 << 24))
		return failed(a, -EINVAL, "mpt %u: not a power of two from 16 to 16777216",
			      a->mpt_entries);
	if (!entries_ok(a->qp_entries, 1 << 16))
		return failed(a, -EINVAL, "qp %u: not a power of two from 16 to 65536",
			      a->qp_entries);
	a->mr_stat_entries = mr_stat_entries(a->mpt_entries);
	if (opts->mode > XROCE_MODE_GENERIC)
		return failed(a, -EINVAL, "mode %u: no such mode", opts->mode);
	a->ifindex = xroce_ifindex(a->netdev);
	if (!a->ifindex)
		return failed(a, -ENODEV, "no such network device");
	return 0;
}

/* Somebody else has removed the pins. */
static bool has_program(const struct attach *a)
{
	char dir[XROCE_NETDEV_MAX];

	xroce_pin_dir(a->netdev, a->ifindex, dir);
	return xroce_pin_used(dir, XROCE_NO_LINK);
}

static int add_link(struct attach *a)
{
	struct xroce_link_add add = {
		.size = sizeof(add),
		.ifindex = a->ifindex,
	};
	int err;

	a->dev = xroce_dev_open();
	if (a->dev == -ENXIO)
		return failed(a, -ENXIO, "no " XROCE_DEV_PATH
			      ": the module is not loaded");
	if (a->dev < 0)
		return failed(a, a->dev, XROCE_DEV_PATH ": %s",
			      strerror(-a->dev));
	err = xroce_command(a->dev, XROCE_CMD_LINK_ADD, &add);
	if (err) {
		close(a->dev);
		if (err == -EEXIST)
			return failed(a, err, "it has a link already%s",
				      has_program(a) ? "" :
				      ", without a program; 'xroce link del' removes it");
		return failed(a, err, "%s", err == -ENOSPC ?
			      "all link numbers are taken" : strerror(-err));
	}
	a->opts->link = add.link;
	return 0;
}

/* On by the low byte of @crc. */
static __u32 crc_byte(__u32 crc)
{
	int bit;

	for (bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	return crc;
}

static int set_crc(struct attach *a)
{
	__u32 crc[XROCE_CRC_BEHIND][256];
	int n, byte;

	for (byte = 0; byte < 256; byte++) {
		crc[0][byte] = crc_byte(byte);
		for (n = 1; n < XROCE_CRC_BEHIND; n++)
			crc[n][byte] = crc_byte(crc[n - 1][byte]);
	}
	return xroce_rodata_set(a->obj, "xroce_crc", crc, sizeof(crc));
}

static int set_constants(struct attach *a)
{
	__u32 qp_mask = a->qp_entries - 1;
	bool kfuncs = true;
	int err;

	err = xroce_rodata_set(a->obj, "xroce_link", &a->opts->link,
			       sizeof(a->opts->link));
	if (!err)
		err = xroce_rodata_set(a->obj, "xroce_kfuncs", &kfuncs,
				       sizeof(kfuncs));
	if (!err)
		err = xroce_rodata_set(a->obj, "xroce_qp_mask", &qp_mask,
				       sizeof(qp_mask));
	if (!err)
		err = set_crc(a);
	return err;
}

static int map_fd(struct attach *a, const char *name)
{
	return bpf_object__find_map_fd_by_name(a->obj, name);
}

/* What it takes to learn of a module's functions; without, loading says EINVAL. */
static bool may_load(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3];
	const __u32 needed = 1u << CAP_NET_ADMIN | 1u << CAP_SYS_ADMIN;

	if (syscall(SYS_capget, &head, has))
		return true;
	return (has[0].effective & needed) == needed;
}

static int load_object(struct attach *a)
{
	struct bpf_map *mpt, *qp, *rd, *mr_stat;
	char path[PATH_MAX];
	int err;

	err = xroce_object_path(a->opts->object, path, sizeof(path));
	if (err)
		return failed(a, err, "BPF object %s: %s", path, strerror(-err));
	a->obj = bpf_object__open_file(path, NULL);
	if (!a->obj)
		return failed(a, -errno, "BPF object %s: cannot be read: %s", path,
			      strerror(errno));

	mpt = bpf_object__find_map_by_name(a->obj, "mpt");
	qp = bpf_object__find_map_by_name(a->obj, "qp");
	rd = bpf_object__find_map_by_name(a->obj, "rd");
	mr_stat = bpf_object__find_map_by_name(a->obj, "mr_stat");
	a->prog = bpf_object__find_program_by_name(a->obj, "xroce");
	if (!mpt || !qp || !rd || !mr_stat || !a->prog ||
	    !bpf_object__find_map_by_name(a->obj, "stat")) {
		err = failed(a, -EINVAL,
			     "BPF object %s: not xroce's: a map or the program is missing",
			     path);
		goto out_close;
	}
	err = set_constants(a);
	if (err) {
		failed(a, err, "BPF object %s: not xroce's: a constant is missing",
		       path);
		goto out_close;
	}
	bpf_map__set_max_entries(mpt, a->mpt_entries);
	bpf_map__set_max_entries(qp, a->qp_entries);
	bpf_map__set_max_entries(rd, a->qp_entries);
	bpf_map__set_max_entries(mr_stat, a->mr_stat_entries);

	err = bpf_object__load(a->obj);
	if (err) {
		failed(a, err, "BPF object %s: the kernel refused it: %s%s", path,
		       strerror(-err), !may_load() ?
		       " (it takes CAP_NET_ADMIN and CAP_SYS_ADMIN)" :
		       a->opts->debug ? "" : " (debug says more)");
		goto out_close;
	}
	return 0;

out_close:
	bpf_object__close(a->obj);
	return err;
}

static int give_maps(struct attach *a)
{
	struct xroce_link_maps maps = {
		.size = sizeof(maps),
		.link = a->opts->link,
		.mpt_fd = map_fd(a, "mpt"),
		.qp_fd = map_fd(a, "qp"),
		.mr_stat_fd = a->mr_stat_entries == a->mpt_entries ?
			      map_fd(a, "mr_stat") : -1,
		.prog_fd = bpf_program__fd(a->prog),
	};
	int err = xroce_command(a->dev, XROCE_CMD_LINK_MAPS, &maps);

	if (err)
		return failed(a, err, "the module refused the maps: %s",
			      strerror(-err));
	return 0;
}

static int create_link(struct attach *a, enum xroce_mode mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, create,
		    .flags = mode == XROCE_MODE_NATIVE ? XDP_FLAGS_DRV_MODE :
							 XDP_FLAGS_SKB_MODE);

	a->link = bpf_link_create(bpf_program__fd(a->prog), a->ifindex, BPF_XDP,
				  &create);
	if (a->link < 0)
		return -errno;
	a->opts->attached = mode;
	return 0;
}

static int attach_program(struct attach *a)
{
	enum xroce_mode mode = a->opts->mode;
	int err;

	if (mode != XROCE_MODE_AUTO) {
		err = create_link(a, mode);
	} else {
		err = create_link(a, XROCE_MODE_NATIVE);
		if (err && err != -EBUSY && err != -EEXIST && err != -EPERM)
			err = create_link(a, XROCE_MODE_GENERIC);
	}
	if (err == -EBUSY || err == -EEXIST)
		return failed(a, err, "it has another XDP program");
	if (err)
		return failed(a, err, "XDP cannot be attached%s: %s",
			      mode == XROCE_MODE_NATIVE ? " natively" : "",
			      strerror(-err));
	return 0;
}

/* veth frees fragments the wrong way, and so does generic XDP. */
static bool frees_frags(const struct attach *a)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq req = { .ifr_data = (void *)&info };
	bool frees;
	int fd;

	if (a->opts->attached != XROCE_MODE_NATIVE)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", a->netdev);
	frees = !ioctl(fd, SIOCETHTOOL, &req) && strcmp(info.driver, "veth");
	close(fd);
	return frees;
}

/* Until this is done fragments are kept, which is right for all drivers. */
static int tune_program(struct attach *a)
{
	bool keep = !frees_frags(a);
	__u32 zero = 0;

	if (bpf_map_update_elem(map_fd(a, ".data"), &zero, &keep, BPF_ANY))
		return failed(a, -errno, "the program's data: %s",
			      strerror(errno));
	return 0;
}

static int pin_one(struct attach *a, const char *name, int fd)
{
	char path[PATH_MAX];
	int err;

	err = xroce_pin_path(a->netdev, name, path, sizeof(path));
	if (!err && bpf_obj_pin(fd, path))
		err = -errno;
	if (err)
		failed(a, err, "pin %s: %s", path, strerror(-err));
	return err;
}

/* What somebody who was killed has left. */
static int clear_pins(struct attach *a)
{
	int err = xroce_pin_clear(a->netdev, a->opts->link);

	if (err == -EEXIST)
		return failed(a, err, XROCE_PIN_DIR
			      "/%s belongs to another device's link, which had or has that name",
			      a->netdev);
	if (err == -EPERM)
		return failed(a, err, XROCE_PIN_DIR
			      "/%s is left of another link and cannot be removed",
			      a->netdev);
	return 0;
}

static int pin_all(struct attach *a)
{
	int err;

	err = xroce_pin_mkdir(a->netdev);
	if (err)
		return failed(a, err, XROCE_PIN_DIR "/%s: %s", a->netdev,
			      err == -ENOTDIR || err == -ENOENT || err == -EPERM ?
			      "/sys/fs/bpf has no bpffs (mount -t bpf bpf /sys/fs/bpf)" :
			      strerror(-err));

	/* First: see xroce_pin_remove(). */
	err = pin_one(a, "link", a->link);
	if (!err)
		err = pin_one(a, "mpt", map_fd(a, "mpt"));
	if (!err)
		err = pin_one(a, "qp", map_fd(a, "qp"));
	if (!err)
		err = pin_one(a, "rd", map_fd(a, "rd"));
	if (!err)
		err = pin_one(a, "stat", map_fd(a, "stat"));
	if (!err)
		err = pin_one(a, "mr_stat", map_fd(a, "mr_stat"));
	if (!err)
		err = pin_one(a, "events", map_fd(a, "events"));
	if (!err)
		err = pin_one(a, "prog", bpf_program__fd(a->prog));
	if (err)
		xroce_pin_remove(a->netdev);
	return err;
}

int xroce_attach(const char *netdev, struct xroce_attach_opts *opts)
{
	struct attach a = { .netdev = netdev, .opts = opts };
	libbpf_print_fn_t print;
	int err, lock;

	if (opts->size != sizeof(*opts))
		return -EINVAL;
	opts->error[0] = 0;
	err = check_opts(&a);
	if (err)
		return err;

	print = libbpf_set_print(opts->debug ? speak : be_silent);
	lock = xroce_pin_lock();
	err = add_link(&a);
	if (err)
		goto out_unlock;
	err = clear_pins(&a);
	if (err)
		goto out_close;
	err = load_object(&a);
	if (err)
		goto out_close;
	err = attach_program(&a);
	if (err)
		goto out_close_object;
	err = tune_program(&a);
	if (!err)
		err = pin_all(&a);
	if (!err) {
		err = give_maps(&a);
		if (err)
			xroce_pin_remove(netdev);
	}

	/* From here on the pins hold it, or nobody does. */
	close(a.link);
out_close_object:
	bpf_object__close(a.obj);
out_close:
	close(a.dev);
out_unlock:
	xroce_pin_unlock(lock);
	libbpf_set_print(print);
	return err;
}
