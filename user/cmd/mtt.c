// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mtt: the pool of translation tables. */
#include "arg.h"
#include "cmd.h"
#include "libxroce.h"
#include "print.h"

/* One character per part of the pool: '.': empty, '1' to '9': tenths in use, '#': full. */
static void print_map(const __u8 *percent)
{
	char map[XROCE_MTT_MAP + 1];
	int i;

	for (i = 0; i < XROCE_MTT_MAP; i++)
		map[i] = !percent[i] ? '.' : percent[i] >= 100 ? '#' :
			 percent[i] < 10 ? '1' : '0' + percent[i] / 10;
	map[i] = 0;
	print_str("map", map);
}

/* Percentage, rounded up, so that 0 means none at all. */
static __u64 percent_of(__u64 part, __u64 all)
{
	return all ? (part * 100 + all - 1) / all : 0;
}

static int mtt_show(int argc, char **argv)
{
	struct arg args[] = { {} };
	struct xroce_mtt_query q = {};
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	err = xroce_mtt_query(&q);
	if (err)
		return fail("mtt: %s", reason(err, NULL));
	print_begin();
	print_num("size", q.entries);
	print_num("used", q.used);
	print_num("tables", q.tables);
	print_num("free_extents", q.free_extents);
	print_num("largest", q.largest);
	print_num("fragmentation",
		  percent_of(q.scattered, q.entries - q.used));
	print_num("reserve", q.reserved);
	print_num("limit", q.limit);
	print_map(q.map);
	print_end();
	return EXIT_OK;
}

const struct cmd mtt_verbs[] = {
	{ "show", mtt_show, "" },
	{}
};
