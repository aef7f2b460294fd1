// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Loading an algorithm: its programs, a map of them, and a BPF link that is pinned. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "xroce_cc.h"

#include "cc_kernel.h"
#include "cc_load.h"
#include "cc_object.h"
#include "cc_pin.h"
#include "cc_query.h"
#include "libxroce.h"
#include "message.h"
#include "options.h"
#include "print.h"

/* A constant that is newer than the headers of Debian 12. */
#define CC_STRUCT_OPS	((enum bpf_attach_type)44)

/**
 * struct loading - an object on its way into the kernel
 * @object: the object
 * @kernel: types of the module
 * @prog: name of the program that is being loaded, or was last
 */
struct loading {
	struct cc_object object;
	struct cc_kernel kernel;
	const char *prog;
};

/* A program is about to be loaded: say for what. Return: 0 or -errno. */
static int prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct loading *l = (struct loading *)cookie;
	const struct cc_object *o = &l->object;
	int i, member;

	l->prog = bpf_program__name(prog);
	for (i = 0; i < o->funcs; i++) {
		if (o->func[i].prog != prog)
			continue;
		member = cc_kernel_member(&l->kernel, o, o->func[i].at);
		if (member < 0)
			return -EINVAL;
		opts->attach_btf_id = l->kernel.ops;
		opts->attach_btf_obj_fd = l->kernel.fd;
		opts->expected_attach_type = member;
		return 0;
	}
	return -EINVAL;
}

/* Check that each function is one of the module's. Return: an exit status. */
static int check_functions(const struct loading *l)
{
	const struct cc_object *o = &l->object;
	int i;

	for (i = 0; i < o->funcs; i++)
		if (cc_kernel_member(&l->kernel, o, o->func[i].at) < 0)
			return fail("cc: %s: the module knows no such function as program %s: it is of another version",
				    o->path, bpf_program__name(o->func[i].prog));
	return EXIT_OK;
}

static int load_programs(struct loading *l)
{
	struct cc_object *o = &l->object;
	int err = bpf_object__load(o->obj);

	if (!err)
		return EXIT_OK;
	if (err == -EPERM || !l->prog)
		return fail("cc: %s: %s", o->path, err == -EPERM ?
			    "not permitted: CAP_SYS_ADMIN is needed to load BPF programs for a module" :
			    strerror(-err));
	fputs(o->log, stderr);
	return fail("cc: %s: program %s: the kernel refused it, see above: %s", o->path, l->prog,
		    strerror(-err));
}

/* Put a map in the place of the one of the same name. Return: an exit status. */
static int replace_map(const char *name, int map)
{
	struct xroce_cc_query q;
	int link, err = cc_query_find(name, &q);

	if (err)
		return fail("cc %s: %s", name,
			    err == -ENOENT ? "no such algorithm to replace" : reason(err, NULL));
	if (!q.bpf_link)
		return fail("cc %s: %s", name, q.bpf ? "it has no BPF link, and cannot be replaced" :
			    "it is built in, and cannot be replaced");
	link = bpf_link_get_fd_by_id(q.bpf_link);
	err = link < 0 || bpf_link_update(link, map, NULL) ? errno : 0;
	if (link >= 0)
		close(link);
	return err ? fail("cc %s: BPF link %u: %s", name, q.bpf_link, strerror(err)) : EXIT_OK;
}

/* Register a map, and pin its BPF link. Return: an exit status. */
static int add_map(const char *name, int map)
{
	int link = bpf_link_create(map, 0, CC_STRUCT_OPS, NULL), status;

	if (link < 0)
		return fail("cc %s: %s", name, errno == EEXIST ?
			    "an algorithm of this name is there already; 'replace' takes its place, if it is a BPF program" :
			    strerror(errno));
	/* If it is not pinned, the kernel removes it with the descriptor. */
	status = cc_pin(name, link);
	close(link);
	return status;
}

/* Load the programs, and have @put_map make their map an algorithm. Return: an exit status. */
static int put(struct loading *l, int (*put_map)(const char *name, int map))
{
	const struct cc_object *o = &l->object;
	char name[XROCE_CC_NAME_MAX];
	int map, status;

	status = check_functions(l);
	if (!status)
		status = load_programs(l);
	if (status)
		return status;
	map = cc_kernel_map(&l->kernel, o, name);
	if (map < 0)
		return EXIT_ERROR;
	status = put_map(name, map);
	close(map);
	if (status)
		return status;
	print_begin();
	print_str("name", name);
	print_end();
	return EXIT_OK;
}

static int load(const char *path, int (*put_map)(const char *name, int map))
{
	struct loading *l = calloc(1, sizeof(*l));
	int status;

	if (!l)
		return fail("cc: %s: %s", path, strerror(ENOMEM));
	status = cc_object_open(&l->object, path, prepare, l);
	if (!status) {
		status = cc_kernel_open(&l->kernel, path);
		if (!status)
			status = put(l, put_map);
		cc_kernel_close(&l->kernel);
	}
	cc_object_close(&l->object);
	free(l);
	return status;
}

int cc_load(const char *path)
{
	return load(path, add_map);
}

int cc_replace(const char *path)
{
	return load(path, replace_map);
}
