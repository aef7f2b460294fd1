// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce link: links between network devices and the responder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/if_link.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "print.h"

static const char *const mode_names[] = {
	[XROCE_MODE_AUTO] = "auto",
	[XROCE_MODE_NATIVE] = "native",
	[XROCE_MODE_GENERIC] = "generic",
};

static bool parse_mode(const char *text, void *to)
{
	int i;

	for (i = XROCE_MODE_AUTO; i <= XROCE_MODE_GENERIC; i++) {
		if (!strcmp(text, mode_names[i])) {
			*(enum xroce_mode *)to = i;
			return true;
		}
	}
	return false;
}

static const struct arg_type arg_mode = {
	"native, generic or auto", parse_mode
};

static int link_add(int argc, char **argv)
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts),
		.debug = options.debug,
	};
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_NEEDED },
		{ "mode", &arg_mode, &opts.mode, ARG_OPTIONAL },
		{ "mpt", &arg_number, &opts.mpt_entries, ARG_OPTIONAL },
		{ "qp", &arg_number, &opts.qp_entries, ARG_OPTIONAL },
		{}
	};
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	err = xroce_attach(dev, &opts);
	if (err)
		return fail("link add dev %s: %s", dev, opts.error);

	print_begin();
	print_num("link", opts.link);
	print_dev(dev);
	print_str("mode", mode_names[opts.attached]);
	print_end();
	return EXIT_OK;
}

static int link_del(int argc, char **argv)
{
	char error[XROCE_ERROR_MAX];
	const char *dev = NULL;
	bool force = false;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_NEEDED },
		{ "force", &arg_flag, &force, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (xroce_detach(dev, force ? XROCE_F_FORCE : 0, error))
		return fail("link del dev %s: %s", dev, error);
	return EXIT_OK;
}

/* How the program of a device of this namespace is attached. */
static const char *mode_of(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, xdp);

	if (bpf_xdp_query(ifindex, 0, &xdp))
		return "unknown";
	switch (xdp.attach_mode) {
	case XDP_ATTACHED_DRV:
		return mode_names[XROCE_MODE_NATIVE];
	case XDP_ATTACHED_SKB:
		return mode_names[XROCE_MODE_GENERIC];
	case XDP_ATTACHED_NONE:
		return "none";
	}
	return "unknown";
}

/* What is pinned for the device, unless it is another one of this name. */
static void show_pins(const char *dev, __u32 ifindex)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	char dir[XROCE_NETDEV_MAX];
	char path[128];
	int fd;

	xroce_pin_dir(dev, ifindex, dir);
	fd = xroce_pin_open(dir, "link");
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len) &&
	    info.xdp.ifindex == ifindex) {
		print_num("prog", info.prog_id);
		print_num("bpf_link", info.id);
		snprintf(path, sizeof(path), "%s/%s", XROCE_PIN_DIR, dir);
		print_str("pins", path);
	}
	close(fd);
}

static void show_link(const struct xroce_link_query *q, __u64 netns)
{
	bool here = q->netns == netns && !(q->flags & XROCE_F_DEAD);
	char name[sizeof(q->name) + 1];

	if (!here || !if_indextoname(q->ifindex, name))
		snprintf(name, sizeof(name), "%.*s", (int)sizeof(q->name), q->name);

	print_begin();
	print_num("link", q->link);
	print_dev(name);
	print_flag("dead", q->flags & XROCE_F_DEAD);
	print_num("ifindex", q->ifindex);
	if (!here)
		print_num("netns", q->netns);
	else
		print_str("mode", mode_of(q->ifindex));
	print_num("mpt", q->mpt_entries);
	print_num("qp", q->qp_entries);
	print_num("pds", q->pds);
	print_num("mrs", q->mrs);
	print_num("qps", q->qps);
	print_num("users", q->users);
	show_pins(name, q->ifindex);
	print_end();
}

static int link_show(int argc, char **argv)
{
	struct xroce_link_query q = {};
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{}
	};
	struct stat ns;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (stat("/proc/self/ns/net", &ns))
		return fail("/proc/self/ns/net: %s", strerror(errno));

	print_list_begin();
	if (dev) {
		err = xroce_link_find(dev, &q);
		if (!err)
			show_link(&q, ns.st_ino);
	} else {
		while (!(err = dev_next_link(&q, true)))
			show_link(&q, ns.st_ino);
		if (err == -ENOENT)
			err = 0;
	}
	print_list_end();
	if (err == -ENXIO)
		return fail("links: the module is not loaded");
	if (err)
		return fail("link show%s%s: %s", dev ? " dev " : "",
			    dev ? : "", err == -ENOENT ? "it has no link" :
			    strerror(-err));
	return EXIT_OK;
}

static const struct cmd verbs[] = {
	{ "show", link_show, "[dev DEV]" },
	{ "add", link_add, "dev DEV [mode native|generic|auto] [mpt N] [qp N]" },
	{ "del", link_del, "dev DEV [force]" },
	{}
};

int do_link(int argc, char **argv)
{
	return cmd_run("link", verbs, argc, argv);
}
