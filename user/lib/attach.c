// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Attaching, in this order: link, program, BPF link, pins, maps. The link serves once it
 * has its maps. If a step fails, the earlier steps are undone in reverse order. The module
 * deletes a link without maps when the descriptor that made it is closed. A killed attach
 * therefore leaves at most pins without a link. They serve nothing, and the next attach
 * removes them.
 */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_link.h>

#include <bpf/bpf.h>

#include "load.h"
#include "qp_table.h"

struct attach {
	const char *netdev;
	struct xroce_attach_opts *opts;
	__u32 ifindex;
	char pins[XROCE_PIN_DIR_MAX];	/* directory of the new pins */
	__u32 mpt_entries;
	__u32 mr_stat_entries;
	int dev;		/* /dev/xroce */
	struct xroce_load load;
	const struct bpf_program *attached;
	int link;		/* the BPF link */
};

/*
 * Entries of the map "mr_stat": as many as the memory protection table has, or 1 if they
 * would exceed XROCE_MR_STAT_MAX. In the latter case regions are not counted.
 */
static __u32 mr_stat_entries(__u32 mpt_entries)
{
	int cpus = libbpf_num_possible_cpus();
	__u64 bytes = (__u64)mpt_entries * sizeof(struct xroce_mr_stat);

	return cpus < 1 || bytes > XROCE_MR_STAT_MAX / cpus ? 1 : mpt_entries;
}

/* Bytes of memory that the machine has. */
static __u64 memory(void)
{
	return (__u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

static int check_opts(struct attach *a)
{
	const struct xroce_attach_opts *opts = a->opts;

	a->mpt_entries = opts->mpt_entries ? : XROCE_MPT_ENTRIES;
	a->load.qp_entries = opts->qp_entries ? : xroce_qp_entries(memory());
	if (!xroce_entries_ok(a->mpt_entries, XROCE_MPT_ENTRIES_MAX))
		return xroce_failed(a->opts, -EINVAL,
				    "mpt %u: not a power of two from 16 to 16777216",
				    a->mpt_entries);
	if (!xroce_entries_ok(a->load.qp_entries, XROCE_QP_ENTRIES_MAX))
		return xroce_failed(a->opts, -EINVAL,
				    "qp %u: not a power of two from 16 to 65536",
				    a->load.qp_entries);
	a->mr_stat_entries = mr_stat_entries(a->mpt_entries);
	if (opts->mode > XROCE_MODE_GENERIC)
		return xroce_failed(a->opts, -EINVAL,
				    "mode %u: must be 0 (auto), 1 (native) or 2 (generic)",
				    opts->mode);
	if (opts->paths > XROCE_PATHS_MAX)
		return xroce_failed(a->opts, -EINVAL, "paths %u: not a number from 1 to %u",
				    opts->paths, XROCE_PATHS_MAX);
	a->ifindex = xroce_ifindex(a->netdev);
	if (!a->ifindex)
		return xroce_failed(a->opts, -ENODEV, "no such network device");
	return xroce_pin_name(a->netdev, a->pins);
}

/* True if the pins of the device's link are there. They are missing if somebody removed them. */
static bool has_program(const struct attach *a)
{
	char dir[XROCE_PIN_DIR_MAX];

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
	if (a->dev < 0)
		return xroce_failed(a->opts, a->dev, "%s", xroce_strerror(a->dev));
	err = xroce_command(a->dev, XROCE_CMD_LINK_ADD, &add);
	if (err) {
		close(a->dev);
		if (err == -EEXIST)
			return xroce_failed(a->opts, err, "it already has a link%s",
					    has_program(a) ? "" :
					    ", but no program; 'xroce link del' deletes the link");
		if (err == -EOPNOTSUPP)
			return xroce_failed(a->opts, err,
					    "an ipvlan device has no MAC address of its own; use a macvlan device, or the device below");
		return xroce_failed(a->opts, err, "%s", err == -ENOSPC ?
				    "all link numbers are in use" : xroce_strerror(err));
	}
	a->opts->link = add.link;
	return 0;
}

static int load_program(struct attach *a)
{
	struct xroce_link_query link = { .link = a->opts->link };
	struct xroce_load *l = &a->load;
	int err = xroce_load_open(l);

	if (err)
		return err;
	err = xroce_link_query(&link);
	if (err) {
		xroce_load_close(l);
		return xroce_failed(a->opts, err, "%s", strerror(-err));
	}
	xroce_load_vlan(l, a->opts->mode, &link);
	bpf_map__set_max_entries(xroce_load_map(l, "mpt"), a->mpt_entries);
	bpf_map__set_max_entries(xroce_load_map(l, "qp"), l->qp_entries);
	bpf_map__set_max_entries(xroce_load_map(l, "rd"), l->qp_entries);
	bpf_map__set_max_entries(xroce_load_map(l, "mr_stat"), a->mr_stat_entries);
	err = xroce_load_kernel(l);
	if (err)
		xroce_load_close(l);
	return err;
}

static int give_maps(struct attach *a)
{
	struct xroce_link_maps maps = {
		.size = sizeof(maps),
		.link = a->opts->link,
		.mpt_fd = xroce_load_map_fd(&a->load, "mpt"),
		.qp_fd = xroce_load_map_fd(&a->load, "qp"),
		.mr_stat_fd = a->mr_stat_entries == a->mpt_entries ?
			      xroce_load_map_fd(&a->load, "mr_stat") : -1,
		.prog_fd = bpf_program__fd(a->load.prog),
		.netdev_fd = xroce_load_map_fd(&a->load, ".data.netdev"),
		.stat_fd = xroce_load_map_fd(&a->load, "stat"),
		.paths = a->opts->paths,
	};
	int err = xroce_command(a->dev, XROCE_CMD_LINK_MAPS, &maps);

	if (err)
		return xroce_failed(a->opts, err, "the module refused the maps: %s",
				    strerror(-err));
	return 0;
}

static int create_link(struct attach *a, enum xroce_mode mode)
{
	LIBBPF_OPTS(bpf_link_create_opts, create,
		    .flags = mode == XROCE_MODE_NATIVE ? XDP_FLAGS_DRV_MODE :
							 XDP_FLAGS_SKB_MODE);

	const struct bpf_program *prog = xroce_load_prog(&a->load, mode);

	if (!prog)
		return -EOPNOTSUPP;
	a->link = bpf_link_create(bpf_program__fd(prog), a->ifindex, BPF_XDP, &create);
	if (a->link < 0)
		return -errno;
	a->attached = prog;
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
		return xroce_failed(a->opts, err,
				    "another XDP program is attached to it; detach that first");
	if (err && a->load.loses_tags &&
	    !xroce_load_prog(&a->load, mode == XROCE_MODE_NATIVE ? mode : XROCE_MODE_GENERIC))
		return xroce_load_no_vlan(&a->load);
	if (err)
		return xroce_failed(a->opts, err, "the XDP program cannot be attached%s: %s",
				    mode == XROCE_MODE_NATIVE ? " in mode native" : "",
				    strerror(-err));
	return 0;
}

static int pin_one(struct attach *a, const char *name, int fd)
{
	char path[PATH_MAX];
	int err;

	err = xroce_pin_path(a->pins, name, path, sizeof(path));
	if (!err && bpf_obj_pin(fd, path))
		err = -errno;
	if (err)
		xroce_failed(a->opts, err, "cannot pin %s: %s", path, strerror(-err));
	return err;
}

/* Remove the pins that a killed attach or detach has left. */
static int clear_pins(struct attach *a)
{
	int err = xroce_pin_clear(a->netdev, a->opts->link);

	if (err == -EEXIST)
		return xroce_failed(a->opts, err, XROCE_PIN_DIR
				    "/%s belongs to another device's link; that device has or had this name",
				    a->pins);
	if (err == -EPERM)
		return xroce_failed(a->opts, err, XROCE_PIN_DIR
				    "/%s is left over from another link and cannot be removed",
				    a->pins);
	return 0;
}

static int pin_all(struct attach *a)
{
	int err, i;

	err = xroce_pin_mkdir(a->pins, a->opts->error);
	if (err)
		return err;

	/* The BPF link is pinned first, because xroce_pin_remove() unpins it last. */
	err = pin_one(a, "link", a->link);
	for (i = 0; i < XROCE_LOAD_MAPS && !err; i++)
		err = pin_one(a, xroce_load_pin(i),
			      xroce_load_map_fd(&a->load, xroce_load_maps[i]));
	if (!err)
		err = pin_one(a, "prog", bpf_program__fd(a->attached));
	if (err)
		xroce_pin_remove(a->pins);
	return err;
}

static int do_attach(const char *netdev, struct xroce_attach_opts *opts)
{
	struct attach a = {
		.netdev = netdev,
		.opts = opts,
		.load = { .netdev = netdev, .opts = opts },
	};
	libbpf_print_fn_t print;
	int err, lock;

	err = check_opts(&a);
	if (err)
		return err;

	print = xroce_load_print(opts->debug);
	lock = xroce_pin_lock();
	err = add_link(&a);
	if (err)
		goto out_unlock;
	err = clear_pins(&a);
	if (err)
		goto out_close;
	err = load_program(&a);
	if (err)
		goto out_close;
	err = attach_program(&a);
	if (err)
		goto out_close_object;
	err = xroce_load_tune(&a.load);
	if (!err)
		err = pin_all(&a);
	if (!err) {
		err = give_maps(&a);
		if (err)
			xroce_pin_remove(a.pins);
	}

	/* After success the pin keeps the BPF link; after a failure this detaches the program. */
	close(a.link);
out_close_object:
	xroce_load_close(&a.load);
out_close:
	close(a.dev);
out_unlock:
	xroce_pin_unlock(lock);
	libbpf_set_print(print);
	return err;
}

int xroce_attach(const char *netdev, struct xroce_attach_opts *opts)
{
	return xroce_with_opts(netdev, opts, do_attach);
}
