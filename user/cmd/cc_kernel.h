/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The struct_ops of the module, and giving it an algorithm: what libbpf 1.1 cannot do. */
#ifndef _XROCE_CC_KERNEL_H
#define _XROCE_CC_KERNEL_H

#include <bpf/btf.h>

#include "xroce_cc.h"

struct cc_object;

/**
 * struct cc_kernel - types of the module
 * @vmlinux: those of the kernel
 * @btf: those of the module
 * @fd: descriptor of @btf
 * @ops: number of struct xroce_cc_ops
 * @value: number of the type of the map's value, which has it
 * @at: where it is in the value, in bytes
 */
struct cc_kernel {
	struct btf *vmlinux;
	struct btf *btf;
	int fd;
	__u32 ops;
	__u32 value;
	__u32 at;
};

/*
 * Find the types. The caller closes @k in any case. Return: an exit status; an error has been
 * printed.
 */
int cc_kernel_open(struct cc_kernel *k, const char *path);

void cc_kernel_close(struct cc_kernel *k);

/* The member of struct xroce_cc_ops that a function of an object is for. Return: -1: none. */
int cc_kernel_member(const struct cc_kernel *k, const struct cc_object *o, __u32 at);

/*
 * Make a map of an object whose programs are loaded. @name: out: of the algorithm. Return: a
 * descriptor; or -1, and an error has been printed.
 */
int cc_kernel_map(const struct cc_kernel *k, const struct cc_object *o,
		  char name[XROCE_CC_NAME_MAX]);

#endif /* _XROCE_CC_KERNEL_H */
