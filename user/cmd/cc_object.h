/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A BPF object that has an algorithm of congestion control: a variable
 *
 *	SEC(".struct_ops.link") struct xroce_cc_ops x = { ... };
 *
 * whose functions are programs in sections "struct_ops/...". Versions of libbpf that do not know a
 * struct_ops of a module refuse such an object, and later ones would attach it themselves. So both
 * kinds of sections are renamed in a copy of the file before libbpf sees it: the variable is read
 * here, and the programs have a handler of ours.
 */
#ifndef _XROCE_CC_OBJECT_H
#define _XROCE_CC_OBJECT_H

#include <stddef.h>

#include <libelf.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <linux/types.h>

/* Functions that an algorithm can have. */
#define CC_FUNCS	16

/**
 * struct cc_object - an open object
 * @path: its file, for messages
 * @image: its bytes, with other names of sections
 * @size: their number
 * @elf: the sections in @image
 * @obj: the object of libbpf; NULL: it is not open
 * @handler: of libbpf, for its programs; negative: none
 * @type: type of the variable, in the BTF of @obj
 * @value: the variable's initial value, of @type
 * @func: functions that the variable names
 * @func.at: offset in @value
 * @func.prog: the program
 * @funcs: their number
 * @log: what the kernel says about a program that it refuses
 */
struct cc_object {
	const char *path;
	char *image;
	size_t size;
	Elf *elf;
	struct bpf_object *obj;
	int handler;
	const struct btf_type *type;
	const char *value;
	struct {
		__u32 at;
		struct bpf_program *prog;
	} func[CC_FUNCS];
	int funcs;
	char log[64 << 10];
};

/**
 * cc_object_open() - read a file
 * @o: out
 * @path: the file
 * @prepare: called before each program is loaded, as of struct libbpf_prog_handler_opts
 * @cookie: for @prepare
 *
 * The caller closes @o in any case. Return: an exit status; an error has been printed.
 */
int cc_object_open(struct cc_object *o, const char *path, libbpf_prog_prepare_load_fn_t prepare,
		   void *cookie);

void cc_object_close(struct cc_object *o);

#endif /* _XROCE_CC_OBJECT_H */
