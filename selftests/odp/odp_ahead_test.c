// SPDX-License-Identifier: GPL-2.0-only
/* On-demand regions: pages brought in before they are missed, and many regions. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include <sys/mman.h>

#include "live_mr.h"
#include "mem.h"
#include "odp.h"

/* 64 MiB, never touched, in messages of one packet and in a single message. */
TEST(odp_sequential, "O3", "sequential WRITEs get few RNR NAKs")
{
	const size_t bytes = 64 << 20;
	struct xroce_stat before, now;
	struct odp o;
	size_t at;

	if (!odp_open(&o, bytes / MEM_PAGE))
		return;
	/* An emulated machine takes long to clear 2 MiB. */
	o.wait_ms = 25;
	live_parameter("odp_defer_ms", 500);
	for (at = 0; at < bytes && !test_failed(); at += ODP_MTU)
		if (odp_write(&o, at, ODP_MTU, at >> 10) != XROCE_SYN_ACK)
			check(false, "at %zu", at);
	for (at = 0; at < bytes && !test_failed(); at += 7 * ODP_MTU)
		odp_is(o.mem + at, ODP_MTU, at >> 10);
	check(o.rnr * 200 < bytes / MEM_PAGE, "%u RNR NAKs",
	      o.rnr);
	note("%llu pages in messages of %u bytes: %u RNR NAKs", bytes / MEM_PAGE,
	     ODP_MTU, o.rnr);

	madvise(o.mem, bytes, MADV_DONTNEED);
	before = live_stat();
	o.rnr = 0;
	o.w.req.va = ODP_IOVA;
	o.w.req.dmalen = bytes;
	for (at = 0; at < bytes && !test_failed(); at += ODP_MTU) {
		o.w.req.opcode = !at ? XROCE_RC_WRITE_FIRST :
				 at + ODP_MTU < bytes ? XROCE_RC_WRITE_MIDDLE :
				 XROCE_RC_WRITE_LAST;
		o.w.req.pattern = 3 + (at >> 10);
		if (odp_request(&o) != XROCE_SYN_ACK)
			check(false, "at %zu", at);
	}
	for (at = 0; at < bytes && !test_failed(); at += 7 * ODP_MTU)
		odp_is(o.mem + at, ODP_MTU, 3 + (at >> 10));
	now = live_stat();
	check(now.nak_rnr - before.nak_rnr == o.rnr &&
	      o.rnr * 200 < bytes / MEM_PAGE, "%u RNR NAKs",
	      o.rnr);
	note("%llu pages in one message: %u RNR NAKs", bytes / MEM_PAGE, o.rnr);
	live_parameter("odp_defer_ms", 20);
	odp_close(&o);
}

static int advise(struct odp *o, __u32 advice, size_t page, size_t pages,
		  __u64 *got)
{
	struct xroce_mr_advise a = {
		.mr = o->mr.mr,
		.advice = advice,
		.iova = ODP_IOVA + page * MEM_PAGE,
		.length = pages * MEM_PAGE,
	};
	int ret = xroce_mr_advise(o->w.x, &a);

	*got = a.pages;
	return ret;
}

ODP_TEST(odp_advise, "O5 O10", "MR_ADVISE prefetches pages", 2048)
{
	struct xroce_mr_query q;
	char buf[64];
	__u64 got = 0;

	o->mem[3 * MEM_PAGE] = 1;
	check(!advise(o, XROCE_ADVISE_PREFETCH_NO_FAULT, 0, 2048, &got) &&
	      got == 1, "%llu pages", got);
	check(!mem_pfn(o->mem), "a page without memory was faulted in");
	ACKED(odp_write(o, 3 * MEM_PAGE, 64, 0x41));
	check(!odp_query(o).odp_faults, "a resident page was faulted in");

	check(!advise(o, XROCE_ADVISE_PREFETCH, 16, 16, &got) && got == 16,
	      "%llu pages", got);
	ACKED(odp_read(o, 16 * MEM_PAGE, 64, buf));
	check(odp_query(o).odp_faults == 0, "%llu faults",
	      odp_query(o).odp_faults);
	ACKED(odp_write(o, 16 * MEM_PAGE, 64, 0x42));
	check(odp_query(o).odp_faults == 1, "the zero page was written to");

	/* Unmapped pages are skipped. */
	munmap(o->mem + 700 * MEM_PAGE, MEM_PAGE);
	munmap(o->mem + 1500 * MEM_PAGE, 100 * MEM_PAGE);
	check(!advise(o, XROCE_ADVISE_PREFETCH_WRITE, 0, 2048, &got) &&
	      got == 2048 - 101, "%llu pages", got);
	q = odp_query(o);
	check(q.odp_resident == 2048 - 101 &&
	      q.odp_prefetched == 1 + 16 + 2048 - 101,
	      "%llu resident, %llu prefetched", q.odp_resident, q.odp_prefetched);
	ACKED(odp_write(o, 2047 * MEM_PAGE, 64, 0x43));
	ACKED(odp_write(o, 699 * MEM_PAGE, 64, 0x44));
	check(odp_query(o).odp_faults == 1, "a resident page was faulted in");

	check(advise(o, 3, 0, 1, &got) == -EINVAL, "unknown advice");
	check(advise(o, 0, 0, 0, &got) == -EINVAL, "length 0");
	check(advise(o, 0, 0, 2049, &got) == -ERANGE, "beyond the end");
	check(advise(o, 0, -1, 1, &got) == -ERANGE, "before the beginning");
	o->mr.mr = o->w.mr.mr;
	check(advise(o, 0, 0, 1, &got) == -EOPNOTSUPP, "MR_ADVISE of a pinned region");
	o->mr.mr = 0;
	check(advise(o, 0, 0, 1, &got) == -ENOENT, "MR_ADVISE without a region");
}

/* Instead of the region that odp_open() has registered. */
static bool register_at(struct odp *o, char *mem, size_t bytes)
{
	o->mr.addr = (uintptr_t)mem;
	o->mr.length = bytes;
	return check(!xroce_mr_reg(o->w.x, &o->mr), "MR_REG");
}

/* A fault on one page of a huge page brings in all of it; a split invalidates all of it. */
TEST(odp_huge, "O3 O6", "a fault brings in all of a huge page")
{
	const size_t pages = MEM_HUGE / MEM_PAGE, before = 100;
	struct xroce_mr_query q;
	char *mem, buf[64];
	struct odp o;
	size_t i;

	if (!odp_open(&o, 1))
		return;
	mem = mem_huge();
	if (!mem) {
		skip("no huge page");
		odp_close(&o);
		return;
	}
	/* The region begins in the middle of the huge page. */
	if (!register_at(&o, mem + before * MEM_PAGE,
			 MEM_HUGE - before * MEM_PAGE))
		return;
	ACKED(odp_read(&o, 77 * MEM_PAGE, 64, buf));
	/* The response waits only for its own page; the others follow at once. */
	for (i = 0; i < 1000 && !odp_query(&o).odp_faults; i++)
		usleep(1000);
	q = odp_query(&o);
	check(q.odp_resident == pages - before && q.odp_faults == 1,
	      "%llu resident, %llu faults", q.odp_resident, q.odp_faults);
	o.rnr = 0;
	for (i = 0; i < pages - before && !test_failed(); i += 13) {
		ACKED(odp_write(&o, i * MEM_PAGE + 5, 64, i));
		odp_is(mem + (before + i) * MEM_PAGE + 5, 64, i);
	}
	check(!o.rnr && odp_query(&o).odp_faults == 1, "told to come again");

	mprotect(mem + 200 * MEM_PAGE, MEM_PAGE, PROT_READ);
	q = odp_query(&o);
	check(q.odp_resident < pages - before, "%llu resident", q.odp_resident);
	ACKED(odp_write(&o, 0, 64, 0x71));
	odp_is(mem + before * MEM_PAGE, 64, 0x71);
	ACKED(odp_read(&o, 100 * MEM_PAGE, 64, buf));
	REFUSED(odp_write(&o, 100 * MEM_PAGE, 64, 0x72));
	odp_close(&o);
	munmap(mem, MEM_HUGE);
}

/* As many regions of 2 MiB as the table has room for; some are accessed. */
ODP_TEST(odp_many, "O9", "as many regions as the table has room for", 1)
{
	static struct xroce_mr_reg reg[LIVE_MPT_ENTRIES - 16];
	size_t i;
	char *mem;

	mem = mmap(NULL, ARRAY_SIZE(reg) * MEM_HUGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!check(mem != MAP_FAILED, "memory"))
		return;
	madvise(mem, ARRAY_SIZE(reg) * MEM_HUGE, MADV_NOHUGEPAGE);
	for (i = 0; i < ARRAY_SIZE(reg) && !test_failed(); i++) {
		reg[i] = o->mr;
		reg[i].addr = (uintptr_t)mem + i * MEM_HUGE;
		reg[i].length = MEM_HUGE;
		check(!xroce_mr_reg(o->w.x, &reg[i]), "region %zu", i);
	}
	for (i = 0; i < ARRAY_SIZE(reg) && !test_failed(); i += 37) {
		o->mr = reg[i];
		ACKED(odp_write(o, 77, 64, i));
		odp_is(mem + i * MEM_HUGE + 77, 64, i);
	}
	/* All of the memory is unmapped at once, when half of the regions are left. */
	for (i = 0; i < ARRAY_SIZE(reg); i += 2)
		check(!xroce_mr_dereg(o->w.x, reg[i].mr), "dereg");
	munmap(mem, ARRAY_SIZE(reg) * MEM_HUGE);
	for (i = 1; i < ARRAY_SIZE(reg); i += 2)
		check(!xroce_mr_dereg(o->w.x, reg[i].mr), "dereg");
}

TEST_MAIN(live_main);
