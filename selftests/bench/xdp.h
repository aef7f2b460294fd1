/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program of this directory on a network device.
 */
#ifndef XROCE_BENCH_XDP_H
#define XROCE_BENCH_XDP_H

#include <stdbool.h>

struct bpf_object;
struct bpf_link;

struct xdp {
	struct bpf_object *object;
	struct bpf_link *link;
};

/**
 * xdp_attach() - load a program and attach it in native mode
 * @xdp: out: for xdp_detach()
 * @object: file beside the executable
 * @program: its name
 * @netdev: name of a device of this namespace without a program
 *
 * Return: true, or false after a message; @xdp may be detached in any case.
 */
bool xdp_attach(struct xdp *xdp, const char *object, const char *program,
		const char *netdev);

/* Load the object without attaching a program. */
bool xdp_load(struct xdp *xdp, const char *object);

void xdp_detach(struct xdp *xdp);

#endif /* XROCE_BENCH_XDP_H */
