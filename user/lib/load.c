// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loading the XDP program: its constants, its maps, and the errors of the kernel. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include <bpf/bpf.h>

#include "load.h"
#include "vlan.h"

const char *const xroce_load_maps[XROCE_LOAD_MAPS] = {
	"mpt", "qp", "rd", "stat", "mr_stat", "events", "drops", "drop_lease", ".data.netdev"
};

/* The part behind the last dot, because bpffs accepts no dots. */
const char *xroce_load_pin(int map)
{
	const char *dot = strrchr(xroce_load_maps[map], '.');

	return dot ? dot + 1 : xroce_load_maps[map];
}

int xroce_failed(struct xroce_attach_opts *opts, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(opts->error, sizeof(opts->error), fmt, args);
	va_end(args);
	return err;
}

int xroce_with_opts(const char *netdev, struct xroce_attach_opts *opts,
		    int (*fn)(const char *netdev, struct xroce_attach_opts *opts))
{
	struct xroce_attach_opts known;
	size_t size = opts->size;
	int err;

	if (!XROCE_HAS(size, struct xroce_attach_opts, mode))
		return -EINVAL;
	err = xroce_take(&known, sizeof(known), opts, size);
	if (err)
		return err;
	known.error[0] = 0;
	err = fn(netdev, &known);
	known.size = size;
	xroce_give(opts, size, &known, sizeof(known));
	return err;
}

static int speak(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	return vfprintf(stderr, fmt, args);
}

libbpf_print_fn_t xroce_load_print(bool debug)
{
	return libbpf_set_print(debug ? speak : NULL);
}

/* Advance the CRC-32 state @crc by eight zero bits. */
static __u32 crc_byte(__u32 crc)
{
	int bit;

	for (bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	return crc;
}

static int set_crc(struct xroce_load *l)
{
	__u32 crc[XROCE_CRC_BEHIND][256];
	int n, byte;

	for (byte = 0; byte < 256; byte++) {
		crc[0][byte] = crc_byte(byte);
		for (n = 1; n < XROCE_CRC_BEHIND; n++)
			crc[n][byte] = crc_byte(crc[n - 1][byte]);
	}
	return xroce_rodata_set(l->obj, "xroce_crc", crc, sizeof(crc));
}

static int set_constants(struct xroce_load *l)
{
	__u32 qp_mask = l->qp_entries - 1;
	bool kfuncs = true;
	int err;

	err = xroce_rodata_set(l->obj, "xroce_link", &l->opts->link,
			       sizeof(l->opts->link));
	if (!err)
		err = xroce_rodata_set(l->obj, "xroce_kfuncs", &kfuncs,
				       sizeof(kfuncs));
	if (!err)
		err = xroce_rodata_set(l->obj, "xroce_qp_mask", &qp_mask,
				       sizeof(qp_mask));
	if (!err)
		err = set_crc(l);
	return err;
}

struct bpf_map *xroce_load_map(struct xroce_load *l, const char *name)
{
	return bpf_object__find_map_by_name(l->obj, name);
}

int xroce_load_map_fd(struct xroce_load *l, const char *name)
{
	return bpf_object__find_map_fd_by_name(l->obj, name);
}

/*
 * True if the caller has the capabilities that resolving the module's kfuncs needs. Without them
 * loading fails with EINVAL.
 */
static bool may_load(void)
{
	return xroce_capable(1u << CAP_NET_ADMIN | 1u << CAP_SYS_ADMIN);
}

/* @err: an errno, or an error number of libbpf, from __LIBBPF_ERRNO__START on. */
static int libbpf_failed(struct xroce_load *l, const char *what, int err,
			 const char *hint)
{
	char text[XROCE_LIBBPF_ERROR_MAX];

	return xroce_failed(l->opts, err >= __LIBBPF_ERRNO__START ? -EINVAL : -err,
			    "BPF object %s: %s: %s%s", l->path, what,
			    xroce_libbpf_strerror(err, text), hint);
}

int xroce_load_open(struct xroce_load *l)
{
	int err, i;

	err = xroce_object_path(l->opts->object, l->path, sizeof(l->path));
	if (err)
		return xroce_failed(l->opts, err, "BPF object %s: %s%s", l->path,
				    strerror(-err), xroce_object_cure(l->opts->object));
	l->obj = bpf_object__open_file(l->path, NULL);
	if (!l->obj)
		return libbpf_failed(l, "cannot be read", errno,
				     xroce_object_cure(l->opts->object));

	l->prog = bpf_object__find_program_by_name(l->obj, XROCE_PROGRAM);
	for (i = 0; i < XROCE_LOAD_MAPS && xroce_load_map(l, xroce_load_maps[i]); i++)
		;
	if (l->prog && i == XROCE_LOAD_MAPS)
		return 0;
	xroce_load_close(l);
	return xroce_failed(l->opts, -EINVAL,
			    "BPF object %s: not an object of xroce: a map or the program is missing%s",
			    l->path, xroce_object_cure(l->opts->object));
}

/* BPF_F_XDP_DEV_BOUND_ONLY of the kernel, which older headers lack. */
#define DEV_BOUND_ONLY	(1u << 6)

void xroce_load_vlan(struct xroce_load *l, enum xroce_mode mode,
		     const struct xroce_link_query *link)
{
	l->loses_tags = link->flags & XROCE_F_VLAN && xroce_vlan_stripped(l->netdev);
	if (!l->loses_tags || mode == XROCE_MODE_GENERIC ||
	    !xroce_vlan_told(link->ifindex))
		return;
	l->vlan = bpf_object__find_program_by_name(l->obj, XROCE_PROGRAM_VLAN);
	if (!l->vlan)
		return;
	bpf_program__set_ifindex(l->vlan, link->ifindex);
	bpf_program__set_flags(l->vlan, bpf_program__flags(l->vlan) | DEV_BOUND_ONLY);
	bpf_program__set_autoload(l->vlan, true);
}

struct bpf_program *xroce_load_prog(const struct xroce_load *l, enum xroce_mode mode)
{
	if (!l->loses_tags)
		return l->prog;
	return mode == XROCE_MODE_NATIVE ? l->vlan : NULL;
}

int xroce_load_no_vlan(const struct xroce_load *l)
{
	char driver[32];
	bool veth;

	xroce_driver(l->netdev, driver);
	veth = !strcmp(driver, "veth");
	return xroce_failed(l->opts, -EOPNOTSUPP,
			    "it has VLAN devices, but driver %s removes VLAN tags from frames, so responses would have no tag; %s%s%s",
			    driver, veth ? "use mode native" : "'ethtool -K ",
			    veth ? "" : l->netdev, veth ? "" : " rxvlan off' keeps the tags");
}

int xroce_load_kernel(struct xroce_load *l)
{
	int err = set_constants(l);

	if (err)
		return xroce_failed(l->opts, err,
				    "BPF object %s: not an object of xroce: a constant is missing",
				    l->path);
	err = bpf_object__load(l->obj);
	if (err)
		return libbpf_failed(l, "the kernel refused it", -err, !may_load() ?
				     " (CAP_NET_ADMIN and CAP_SYS_ADMIN are needed)" :
				     l->opts->debug ? "" : " (option debug prints more)");
	return 0;
}

/*
 * True if the program may free fragments of a frame. Not on veth and in generic XDP, which free
 * them incorrectly in some kernels, nor if the driver is not known.
 */
static bool frees_frags(const struct xroce_load *l)
{
	char driver[32];

	if (l->opts->attached != XROCE_MODE_NATIVE)
		return false;
	xroce_driver(l->netdev, driver);
	return strcmp(driver, "veth") && strcmp(driver, "unknown");
}

/* Set xroce_keep_frags. Its initial value, true, is correct for all drivers. */
int xroce_load_tune(struct xroce_load *l)
{
	bool keep = !frees_frags(l);
	__u32 zero = 0;

	if (bpf_map_update_elem(xroce_load_map_fd(l, ".data"), &zero, &keep, BPF_ANY))
		return xroce_failed(l->opts, -errno, "the program's data cannot be set: %s",
				    strerror(errno));
	return 0;
}

void xroce_load_close(struct xroce_load *l)
{
	bpf_object__close(l->obj);
	l->obj = NULL;
}
