/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The program of a link, from the BPF object to the kernel. */
#ifndef _LIBXROCE_LOAD_H
#define _LIBXROCE_LOAD_H

#include <limits.h>

#include <bpf/libbpf.h>

#include "priv.h"

/**
 * struct xroce_load - a program
 * @netdev: the device that it is for
 * @opts: what the caller wants; its @link is the link's number; errors go there
 * @qp_entries: of the link's table of queue pairs
 * @path: of the BPF object
 * @obj: the BPF object, from xroce_load_open() to xroce_load_close()
 * @prog: the program in it, for any device
 * @vlan: the one that learns of VLAN tags, for this device's driver; NULL: not needed,
 *	or not to be had
 * @loses_tags: there are VLAN devices, and their tags are not in the frames
 */
struct xroce_load {
	const char *netdev;
	struct xroce_attach_opts *opts;
	__u32 qp_entries;
	char path[PATH_MAX];
	struct bpf_object *obj;
	struct bpf_program *prog;
	struct bpf_program *vlan;
	bool loses_tags;
};

/* Maps that are pinned, in the order that they are in; and the names of the pins. */
#define XROCE_LOAD_MAPS	9
XROCE_HIDDEN extern const char *const xroce_load_maps[XROCE_LOAD_MAPS];
XROCE_HIDDEN const char *xroce_load_pin(int map);

/* Leave the reason for the caller. Return: @err. */
XROCE_HIDDEN int xroce_failed(struct xroce_attach_opts *opts, int err,
			      const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What libbpf says goes to stderr, or nowhere. Return: as libbpf_set_print(). */
XROCE_HIDDEN libbpf_print_fn_t xroce_load_print(bool debug);

/* Find the object, and all in it that there must be. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_load_open(struct xroce_load *l);
XROCE_HIDDEN struct bpf_map *xroce_load_map(struct xroce_load *l,
					    const char *name);

/* After xroce_load_open(): load the program for VLANs as well, where it is needed. */
XROCE_HIDDEN void xroce_load_vlan(struct xroce_load *l, enum xroce_mode mode,
				  const struct xroce_link_query *link);

/* The program for a device in this mode; NULL: it would lose tags. */
XROCE_HIDDEN struct bpf_program *xroce_load_prog(const struct xroce_load *l,
						 enum xroce_mode mode);

/* Leave that as the reason. Return: -EOPNOTSUPP. */
XROCE_HIDDEN int xroce_load_no_vlan(const struct xroce_load *l);

/* With the constants of its link, and its maps as they are by now. */
XROCE_HIDDEN int xroce_load_kernel(struct xroce_load *l);
XROCE_HIDDEN int xroce_load_map_fd(struct xroce_load *l, const char *name);

/* For the driver, where opts->attached says how it is attached. */
XROCE_HIDDEN int xroce_load_tune(struct xroce_load *l);

XROCE_HIDDEN void xroce_load_close(struct xroce_load *l);

#endif /* _LIBXROCE_LOAD_H */
