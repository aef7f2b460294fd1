// SPDX-License-Identifier: GPL-2.0-only
/*
 * The worked example of texts on memory regions: address 0x141200, 10000 bytes, pages of 4
 * KiB. The texts say that it ends at 143910h, which is the first byte after it. The last
 * byte is 0x14390f = 0x141200 + 0x2710 - 1.
 */
#include <stdint.h>
#include <sys/mman.h>

#include "live_mr.h"
#include "mem.h"
#include "probe.h"

#define PAGES	((char *)0x141000)
#define FIRST	0x141200ull
#define LENGTH	10000
#define LAST	0x14390full

static bool begin(struct xroce **x, struct xroce_mr_reg *r)
{
	*x = live_open();
	if (!*x || !mem_scattered(PAGES, 3))
		return false;
	*r = mr_region(live_pd(*x), PAGES + 0x200, LENGTH);
	r->access |= XROCE_ACCESS_REMOTE_WRITE;
	r->iova = FIRST;
	return check(!xroce_mr_reg(*x, r), "MR_REG");
}

static void end(struct xroce *x, __u32 mr)
{
	check(!xroce_mr_dereg(x, mr), "dereg");
	munmap(PAGES, 3 * MEM_PAGE);
	live_close(x);
}

/* Three pages, each at its physical address; the first byte is at offset 0x200. */
TEST(example_translation, "R1 R3 T2", "the table has three pages and offset 0x200")
{
	struct xroce_mr_query q = {};
	struct xroce_mr_reg r;
	__u64 entry[4];
	struct xroce *x;
	int i, n, ret;

	if (!begin(&x, &r))
		return;
	q.mr = r.mr;
	ret = xroce_mr_query(x, &q);
	check(!ret && q.pages == 3 && q.page_shift == 12 && q.offset == 0x200,
	      "%d: %llu pages of 2^%u bytes, offset %#llx", ret, q.pages,
	      q.page_shift, q.offset);
	check(q.addr + q.length - 1 == LAST && q.addr + q.length == 0x143910,
	      "last byte %#llx", q.addr + q.length - 1);
	check(live_pinned() == 3, "%ld pages pinned", live_pinned());
	mem_check_blocks(&q);
	n = xroce_mtt_read(x, r.mr, 0, entry, 4);
	check(n == 3, "%d entries", n);
	for (i = 0; i < n; i++)
		check(entry[i] == mem_pfn(PAGES + i * MEM_PAGE) * MEM_PAGE,
		      "entry %d: %#llx", i, entry[i]);
	end(x, r.mr);
}

/* Packets reach the right bytes: the first, those at page borders, the last. */
TEST(example_bytes, "R3 R9", "packets reach the first, border and last bytes")
{
	static const __u64 at[] = {
		FIRST, 0x141fff, 0x142000, 0x142fff, 0x143000, LAST,
	};
	struct xroce_mr_reg r;
	struct xroce *x;
	struct probe p;
	size_t i;

	if (!begin(&x, &r) || !probe_open(&p, x, r.pd))
		return;
	for (i = 0; i < ARRAY_SIZE(at); i++)
		probe_lands(&p, r.rkey, at[i], 1, (void *)at[i]);
	/* Across a page border, and up to the last byte. */
	probe_lands(&p, r.rkey, 0x142000 - 300, 600, (void *)0x141ed4);
	probe_lands(&p, r.rkey, LAST - 999, 1000, (void *)(LAST - 999));
	probe_refused(&p, r.rkey, FIRST - 1, XROCE_CAUSE_ACC_BOUNDS);
	probe_refused(&p, r.rkey, 0x143910, XROCE_CAUSE_ACC_BOUNDS);
	probe_close(&p);
	end(x, r.mr);
}

TEST_MAIN(live_main);
