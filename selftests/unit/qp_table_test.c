// SPDX-License-Identifier: GPL-2.0-only
/* How many queue pairs a link has by default. */
#include "harness.h"

#include "../../user/lib/qp_table.h"

#define GIB	(1ull << 30)

TEST(qp_table_by_memory, "R10", "more memory, more queue pairs, within bounds")
{
	static const struct {
		__u64 memory;
		__u32 entries;
	} rows[] = {
		{ 0, 1024 }, { 2 * GIB, 1024 }, { 8 * GIB, 2048 }, { 16 * GIB, 4096 },
		{ 64 * GIB, 16384 }, { 1024 * GIB, 16384 }, { ~0ull, 16384 },
	};
	__u32 entries;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		entries = xroce_qp_entries(rows[i].memory);
		check(entries == rows[i].entries, "%llu bytes: %u", rows[i].memory, entries);
	}
}

TEST_MAIN(harness_main);
