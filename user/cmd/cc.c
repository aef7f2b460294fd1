// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce cc: algorithms of congestion control. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "xroce_cc.h"

#include "arg.h"
#include "cc_load.h"
#include "cc_pin.h"
#include "cc_query.h"
#include "cmd.h"
#include "libxroce.h"
#include "print.h"

static const char *const flag_names[] = { "ecn", "parts" };

/* Number of the map of a BPF link. Return: 0: not known, as to a caller without privileges. */
static __u32 map_of(__u32 link)
{
	int fd = link ? bpf_link_get_fd_by_id(link) : -1;
	/* The first of a struct_ops behind the head: headers of Debian 12 do not have it. */
	union {
		struct bpf_link_info info;
		__u32 word[sizeof(struct bpf_link_info) / 4];
	} u = {};
	__u32 len = sizeof(u);

	if (fd < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(fd, &u.info, &len))
		u.word[4] = 0;
	close(fd);
	return u.word[4];
}

static void show_one(const struct xroce_cc_query *q)
{
	print_begin();
	print_str("name", q->name);
	print_str("kind", q->bpf ? "bpf" : "built-in");
	print_bits("flags", flag_names, 2, q->cc_flags);
	print_num("connections", q->connections);
	print_num("links", q->links);
	print_flag("standard", q->standard);
	if (q->bpf_link) {
		__u32 map = map_of(q->bpf_link);

		print_num("bpf_link", q->bpf_link);
		if (map)
			print_num("bpf_map", map);
	}
	print_end();
}

static int cc_show(int argc, char **argv)
{
	const char *name = NULL;
	struct arg args[] = {
		{ "name", &arg_text, &name, ARG_OPTIONAL | ARG_BARE },
		{}
	};
	struct xroce_cc_query q;
	int status, err;
	bool found = false;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	print_list_begin();
	for (err = cc_query_next(0, &q); !err; err = cc_query_next(q.id + 1, &q)) {
		if (name && strcmp(name, q.name))
			continue;
		found = true;
		show_one(&q);
	}
	print_list_end();
	if (err != -ENOENT)
		return fail("cc: %s", reason(err, NULL));
	return !name || found ? EXIT_OK : fail("cc %s: no such algorithm", name);
}

static int cc_add(int argc, char **argv)
{
	const char *file = NULL;
	bool replace = false;
	struct arg args[] = {
		{ "file", &arg_text, &file, ARG_NEEDED | ARG_BARE },
		{ "replace", &arg_flag, &replace, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	return status ? : (replace ? cc_replace : cc_load)(file);
}

/* Detach the BPF link of an algorithm. Return: an exit status. */
static int detach(const struct xroce_cc_query *q)
{
	int fd, err;

	if (!q->bpf)
		return fail("cc %s: it is built in, and cannot be deleted", q->name);
	if (!q->bpf_link)
		return fail("cc %s: it has no BPF link: who has registered its map must delete the map's entry",
			    q->name);
	fd = bpf_link_get_fd_by_id(q->bpf_link);
	err = fd < 0 || bpf_link_detach(fd) ? errno : 0;
	if (fd >= 0)
		close(fd);
	/* It may have been deleted meanwhile. */
	if (err && err != ENOENT)
		return fail("cc %s: BPF link %u: %s", q->name, q->bpf_link,
			    err == EPERM ? "not permitted: CAP_SYS_ADMIN is needed" : strerror(err));
	err = cc_unpin(q->name);
	return err ? fail("cc %s: its pin: %s", q->name, strerror(-err)) : EXIT_OK;
}

static int cc_del(int argc, char **argv)
{
	const char *name = NULL;
	struct arg args[] = {
		{ "name", &arg_text, &name, ARG_NEEDED | ARG_BARE },
		{}
	};
	struct xroce_cc_query q;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	err = cc_query_find(name, &q);
	if (!err)
		return detach(&q);
	return fail("cc %s: %s", name, err == -ENOENT ? "no such algorithm" : reason(err, NULL));
}

const struct cmd cc_verbs[] = {
	{ "show", cc_show, "[[name] NAME]" },
	{ "add", cc_add, "[file] FILE [replace]" },
	{ "del", cc_del, "[name] NAME" },
	{}
};
