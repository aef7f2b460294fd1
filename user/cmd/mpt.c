// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * xroce mpt: the memory protection table as the XDP program sees it: read from the pinned map,
 * without the module.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "names.h"
#include "print.h"
#include "xroce_map.h"

#define BATCH	1024

struct batch {
	__u32 keys[BATCH];
	struct xroce_mpt values[BATCH];
};

static void show_entry(const char *netdev, __u32 index,
		       const struct xroce_mpt *e)
{
	print_begin();
	print_hex("index", 1, index);
	print_dev(netdev);
	print_hex("key", 8, e->key);
	print_str("state", name_of_mpt_state(e->state));
	print_str("type", name_of_mpt_type(e->type));
	print_bits("access", access_names, ACCESS_BITS,
		   e->access);
	print_num("pd", e->pd);
	print_hex("iova", 1, e->iova);
	print_size("length", e->length);
	if (e->qpn)
		print_hex("qpn", 6, e->qpn);
	if (e->mr)
		print_hex("mr", 1, e->mr);
	print_end();
}

/* Return: 0 or a negative errno. */
static int show_table(int fd, const char *netdev)
{
	__u32 position, *from = NULL, count, i;
	struct batch *b = malloc(sizeof(*b));
	int err;

	if (!b)
		return -ENOMEM;
	do {
		count = BATCH;
		err = bpf_map_lookup_batch(fd, from, &position, b->keys,
					   b->values, &count, NULL);
		/* -ENOENT is returned with the last entries. */
		if (err && err != -ENOENT)
			break;
		for (i = 0; i < count; i++)
			if (b->values[i].state != XROCE_MPT_FREE)
				show_entry(netdev, b->keys[i], &b->values[i]);
		from = &position;
	} while (!err);
	free(b);
	return err == -ENOENT ? 0 : err;
}

static int show_map(struct xroce *x, const char *netdev, void *arg)
{
	struct xroce_mpt entry;
	__u32 *index = arg;
	int fd, err;

	(void)x;
	fd = xroce_pin_open(netdev, "mpt");
	if (fd < 0)
		return fail("dev %s: mpt: %s", netdev, dev_pin_reason(fd));
	if (index) {
		err = bpf_map_lookup_elem(fd, index, &entry);
		if (!err)
			show_entry(netdev, *index, &entry);
	} else {
		err = show_table(fd, netdev);
	}
	close(fd);
	if (err && index)
		return fail("dev %s: mpt index 0x%x: %s", netdev, *index,
			    err == -ENOENT ? "not inside the table" : strerror(-err));
	if (err)
		return fail("dev %s: mpt: %s", netdev, strerror(-err));
	return EXIT_OK;
}

static int mpt_show(int argc, char **argv)
{
	const char *dev = NULL;
	__u32 index = 0;
	struct arg args[] = {
		{ "index", &arg_number, &index, ARG_OPTIONAL | ARG_BARE },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	print_list_begin();
	status = dev_each_pin(dev, show_map,
			      args[0].state & ARG_SEEN ? &index : NULL);
	print_list_end();
	return status;
}

const struct cmd mpt_verbs[] = {
	{ "show", mpt_show, "[dev DEV] [[index] N]" },
	{}
};
