/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Loading the XDP program of a link from the BPF object into the kernel. */
#ifndef _LIBXROCE_LOAD_H
#define _LIBXROCE_LOAD_H

#include <limits.h>

#include <bpf/libbpf.h>

#include "priv.h"

/**
 * struct xroce_load - an XDP program that is loaded
 * @netdev: name of the device
 * @opts: options of the caller; its @link is the number of the link; receives the error text
 * @qp_entries: entries of the link's queue pair table
 * @path: path of the BPF object
 * @obj: the BPF object, from xroce_load_open() to xroce_load_close()
 * @prog: the program for any device
 * @vlan: the program that asks this device's driver for VLAN tags; NULL: not needed or not
 *	possible
 * @loses_tags: there are VLAN devices, and the driver removes VLAN tags from frames
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

/* Names of the pinned maps, and of the pin of map number @map. */
#define XROCE_LOAD_MAPS	9
XROCE_HIDDEN extern const char *const xroce_load_maps[XROCE_LOAD_MAPS];
XROCE_HIDDEN const char *xroce_load_pin(int map);

/* Write the reason into @opts->error. Return: @err. */
XROCE_HIDDEN int xroce_failed(struct xroce_attach_opts *opts, int err,
			      const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Call @fn with the caller's options in the size of this version, and return its results. */
XROCE_HIDDEN int xroce_with_opts(const char *netdev, struct xroce_attach_opts *opts,
				 int (*fn)(const char *netdev, struct xroce_attach_opts *opts));

/* Print libbpf's messages on stderr if @debug, else not. Return: as libbpf_set_print(). */
XROCE_HIDDEN libbpf_print_fn_t xroce_load_print(bool debug);

/* Open the BPF object and check that it has the program and all maps. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_load_open(struct xroce_load *l);
XROCE_HIDDEN struct bpf_map *xroce_load_map(struct xroce_load *l,
					    const char *name);

/* After xroce_load_open(): also select the program for VLANs, if the device needs it. */
XROCE_HIDDEN void xroce_load_vlan(struct xroce_load *l, enum xroce_mode mode,
				  const struct xroce_link_query *link);

/* The program to attach in @mode; NULL: responses would lose their VLAN tags. */
XROCE_HIDDEN struct bpf_program *xroce_load_prog(const struct xroce_load *l,
						 enum xroce_mode mode);

/* Write the reason for such a NULL into the error text. Return: -EOPNOTSUPP. */
XROCE_HIDDEN int xroce_load_no_vlan(const struct xroce_load *l);

/*
 * Set the link's constants and load the object into the kernel. The caller has set the sizes
 * of the maps, or their descriptors. Return: 0 or -errno.
 */
XROCE_HIDDEN int xroce_load_kernel(struct xroce_load *l);
XROCE_HIDDEN int xroce_load_map_fd(struct xroce_load *l, const char *name);

/* Adapt the loaded program to the driver, according to opts->attached. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_load_tune(struct xroce_load *l);

XROCE_HIDDEN void xroce_load_close(struct xroce_load *l);

#endif /* _LIBXROCE_LOAD_H */
