// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Replacing the program of a link that serves. The new program uses the maps of the old one,
 * so it makes no difference which of them judges a packet, and a reload that is killed between
 * two steps leaves a link that serves and can be reloaded. The steps are: pin the new program
 * beside the old one, give it to the module, attach it to the device, and rename the pin.
 */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/if_link.h>

#include <bpf/bpf.h>

#include "load.h"
#include "shape.h"

#define MAPS_MAX	64

/**
 * struct reload - state of a reload
 * @load: the new program
 * @query: the link
 * @dir: directory of its pins
 * @dev: descriptor of /dev/xroce
 * @link: descriptor of the BPF link
 * @prog: descriptor of the old program
 * @map: numbers of the pinned maps, in the order of xroce_load_maps
 */
struct reload {
	struct xroce_load load;
	struct xroce_link_query query;
	char dir[XROCE_PIN_DIR_MAX];
	int dev;
	int link;
	int prog;
	__u32 map[XROCE_LOAD_MAPS];
};

static int failed_pin(struct reload *r, const char *name, int err)
{
	return xroce_failed(r->load.opts, err, XROCE_PIN_DIR "/%s/%s: %s", r->dir,
			    name, strerror(-err));
}

static int find_link(struct reload *r)
{
	struct xroce_attach_opts *opts = r->load.opts;
	int err;

	r->dev = xroce_dev_open();
	err = r->dev < 0 ? r->dev :
	      xroce_link_find(r->load.netdev, &r->query);
	if (err == -ENOENT || (!err && !r->query.mpt_entries))
		return xroce_failed(opts, -ENOENT, xroce_ifindex(r->load.netdev) ?
				    "it has no link" : "no such network device");
	/* Checked here because the module checks it only after the program has been loaded. */
	if (!err && !xroce_capable(1u << CAP_NET_ADMIN))
		err = -EPERM;
	if (err)
		return xroce_failed(opts, err, "%s", xroce_strerror(err));
	if (r->query.flags & XROCE_F_DEAD)
		return xroce_failed(opts, -ENODEV, "its device has been unregistered");
	opts->link = r->query.link;
	r->load.qp_entries = r->query.qp_entries;
	return 0;
}

/* Find the program on the device. It must be the program of the pinned BPF link. */
static int find_program(struct reload *r)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, xdp);
	struct xroce_attach_opts *opts = r->load.opts;
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	xroce_pin_dir(r->load.netdev, r->query.ifindex, r->dir);
	r->link = xroce_pin_open_in(r->dir, "link");
	if (r->link < 0 && r->link != -ENOENT)
		return failed_pin(r, "link", r->link);
	if (r->link < 0 || bpf_obj_get_info_by_fd(r->link, &info, &len) ||
	    info.xdp.ifindex != r->query.ifindex ||
	    bpf_xdp_query(r->query.ifindex, 0, &xdp) ||
	    (xdp.attach_mode != XDP_ATTACHED_DRV &&
	     xdp.attach_mode != XDP_ATTACHED_SKB) || xdp.prog_id != info.prog_id)
		return xroce_failed(opts, -ENOENT,
				    "it has no program, or its pins are missing; 'xroce link del' and 'xroce link add' make them again");
	opts->attached = xdp.attach_mode == XDP_ATTACHED_DRV ? XROCE_MODE_NATIVE :
							      XROCE_MODE_GENERIC;
	r->prog = bpf_prog_get_fd_by_id(info.prog_id);
	if (r->prog < 0)
		return xroce_failed(opts, -errno, "its program cannot be opened: %s",
				    strerror(errno));
	return 0;
}

/* Number of entries with which the link's map was made. */
static __u32 entries_of(const struct reload *r, const char *name,
			const struct bpf_map_info *info, const struct bpf_map *map)
{
	if (!strcmp(name, "qp") || !strcmp(name, "rd"))
		return r->query.qp_entries;
	if (!strcmp(name, "mpt") ||
	    (!strcmp(name, "mr_stat") && info->max_entries != 1))
		return r->query.mpt_entries;
	return !strcmp(name, "mr_stat") ? 1 : bpf_map__max_entries(map);
}

static int reuse_map(struct reload *r, int place)
{
	struct bpf_map *map = xroce_load_map(&r->load, xroce_load_maps[place]);
	const char *name = xroce_load_pin(place);
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char what[XROCE_ERROR_MAX];
	int err, fd;

	fd = xroce_pin_open_in(r->dir, name);
	if (fd < 0)
		return failed_pin(r, name, fd);
	err = bpf_obj_get_info_by_fd(fd, &info, &len) ? -errno : 0;
	if (err)
		failed_pin(r, name, err);
	else
		err = xroce_shape_same(&info, r->load.obj, map,
				       entries_of(r, name, &info, map), what);
	if (err == -EINVAL)
		xroce_failed(r->load.opts, err,
			     "map %s is of another version (%s); 'xroce link del' and 'xroce link add' make it again",
			     name, what);
	if (!err) {
		err = bpf_map__reuse_fd(map, fd);
		if (err)
			failed_pin(r, name, err);
	}
	r->map[place] = info.id;
	close(fd);
	return err;
}

/*
 * Return: true if map @id of the old program is the pinned one of its name, or has none of the
 * names in xroce_load_maps.
 */
static bool is_pinned(const struct reload *r, __u32 id)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);
	int err, i;

	if (fd < 0)
		return false;
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	for (i = 0; i < XROCE_LOAD_MAPS; i++)
		if (!err && !strcmp(info.name, xroce_load_maps[i]))
			return r->map[i] == id;
	return !err;
}

/* The pinned maps must be those that the old program and the module use, not copies. */
static int check_maps(struct reload *r)
{
	__u32 ids[MAPS_MAX] = {};
	struct bpf_prog_info info = {
		.nr_map_ids = MAPS_MAX,
		.map_ids = (__u64)(unsigned long)ids,
	};
	__u32 len = sizeof(info), i;

	if (bpf_obj_get_info_by_fd(r->prog, &info, &len))
		return xroce_failed(r->load.opts, -errno,
				    "its program cannot be queried: %s", strerror(errno));
	for (i = 0; i < info.nr_map_ids && i < MAPS_MAX; i++)
		if (!is_pinned(r, ids[i]))
			return xroce_failed(r->load.opts, -EINVAL,
					    "the maps in " XROCE_PIN_DIR "/%s are not those of its program",
					    r->dir);
	return 0;
}

static int load_program(struct reload *r)
{
	int err, i;

	err = xroce_load_open(&r->load);
	if (!err)
		xroce_load_vlan(&r->load, r->load.opts->attached, &r->query);
	if (!err && !xroce_load_prog(&r->load, r->load.opts->attached))
		err = xroce_load_no_vlan(&r->load);
	for (i = 0; i < XROCE_LOAD_MAPS && !err; i++)
		err = reuse_map(r, i);
	if (!err)
		err = check_maps(r);
	if (!err)
		err = xroce_load_kernel(&r->load);
	return err ? : xroce_load_tune(&r->load);
}

/* Give a program to the module, which runs it on deferred packets. */
static int give(struct reload *r, int prog)
{
	struct xroce_link_prog arg = {
		.size = sizeof(arg),
		.link = r->query.link,
		.prog_fd = prog,
	};

	return xroce_command(r->dev, XROCE_CMD_LINK_PROG, &arg);
}

/* Attach a program to the device in place of @old, which must be attached. */
static int attach(struct reload *r, int prog, int old)
{
	LIBBPF_OPTS(bpf_link_update_opts, update,
		    .flags = BPF_F_REPLACE,
		    .old_prog_fd = old);

	return bpf_link_update(r->link, prog, &update) ? -errno : 0;
}

/*
 * The module cannot run a program that is bound to a device, so it always gets load.prog. If
 * this ends halfway, the module may keep the new program while the device has the old one.
 * This is harmless, because both use the same maps.
 */
static int replace(struct reload *r)
{
	struct xroce_attach_opts *opts = r->load.opts;
	int prog = bpf_program__fd(xroce_load_prog(&r->load, opts->attached));
	char pin[PATH_MAX], old[PATH_MAX];
	int err;

	err = xroce_pin_path(r->dir, XROCE_PIN_NEW, pin, sizeof(pin)) ? :
	      xroce_pin_path(r->dir, "prog", old, sizeof(old));
	if (err)
		return failed_pin(r, "", err);
	/* A killed reload may have left it. */
	unlink(pin);
	if (bpf_obj_pin(prog, pin))
		return failed_pin(r, XROCE_PIN_NEW, -errno);
	err = give(r, bpf_program__fd(r->load.prog));
	if (err) {
		xroce_failed(opts, err, "the module refused the program: %s",
			     err == -ENOTTY ? "the module is of an older version" :
			     strerror(-err));
		goto out_unpin;
	}
	err = attach(r, prog, r->prog);
	if (err) {
		xroce_failed(opts, err, "the program cannot be replaced: %s",
			     err == -EPERM ? "another program has been attached meanwhile" :
			     strerror(-err));
		goto out_take;
	}
	if (!rename(pin, old))
		return 0;
	err = failed_pin(r, "prog", -errno);

	attach(r, r->prog, prog);
out_take:
	give(r, r->prog);
out_unpin:
	unlink(pin);
	return err;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

static int do_reload(const char *netdev, struct xroce_attach_opts *opts)
{
	struct reload r = {
		.load = { .netdev = netdev, .opts = opts },
		.dev = -1,
		.link = -1,
		.prog = -1,
	};
	libbpf_print_fn_t print;
	int err, lock;

	if (opts->mode || opts->mpt_entries || opts->qp_entries || opts->paths)
		return xroce_failed(opts, -EINVAL,
				    "mode, sizes and paths must be 0: a reload does not change them");

	print = xroce_load_print(opts->debug);
	lock = xroce_pin_lock();
	err = find_link(&r);
	if (!err)
		err = find_program(&r);
	if (!err)
		err = load_program(&r);
	if (!err)
		err = replace(&r);
	xroce_load_close(&r.load);
	close_one(r.prog);
	close_one(r.link);
	close_one(r.dev);
	xroce_pin_unlock(lock);
	libbpf_set_print(print);
	return err;
}

int xroce_reload(const char *netdev, struct xroce_attach_opts *opts)
{
	return xroce_with_opts(netdev, opts, do_reload);
}
