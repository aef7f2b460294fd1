// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: link NETDEV */
#include <errno.h>
#include <libxroce.h>
#include <stdbool.h>
#include <stdio.h>

static int limit(__u32 link)
{
	struct xroce_limit_set set = { .link = link, .mask = 1 << XROCE_COUNT_PD };
	struct xroce_limit_query query = { .link = link };
	int err;

	set.limit[XROCE_COUNT_PD] = 100;
	err = xroce_limit_set(&set);
	if (!err)
		err = xroce_limit_query(&query);
	if (!err)
		printf("pd %llu of %llu\n", (unsigned long long)query.used[XROCE_COUNT_PD],
		       (unsigned long long)query.limit[XROCE_COUNT_PD]);
	return err;
}

int main(int argc, char **argv)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };
	struct xroce_link_query query = { 0 };
	char error[XROCE_ERROR_MAX];
	bool made = false;
	int err;

	if (argc != 2)
		return 2;
	err = xroce_link_find(argv[1], &query);
	if (err == -ENOENT) {
		err = xroce_attach(argv[1], &opts);
		if (err) {
			fprintf(stderr, "attach: %s\n", opts.error);
			return 1;
		}
		made = true;
		err = xroce_link_find(argv[1], &query);
	}
	if (!err)
		printf("link %u mpt %u qp %u users %u\n", query.link, query.mpt_entries,
		       query.qp_entries, query.users);
	if (!err)
		err = limit(query.link);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(err));
	if (made && xroce_detach(argv[1], 0, error)) {
		fprintf(stderr, "detach: %s\n", error);
		return 1;
	}
	return err ? 1 : 0;
}
