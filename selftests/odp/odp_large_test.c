// SPDX-License-Identifier: GPL-2.0-only
/* Much on-demand memory: one large region, and many regions. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "clock.h"
#include "live_mr.h"
#include "mem.h"
#include "odp.h"
#include "rng.h"
#include "setting.h"

#define PLACES		300u
#define REGIONS		10000u
#define REGION_PAGES	16u
#define MPT		16384u
#define LEAK		2048	/* kilobytes: for each region a tenth of the memory that it takes */

/*
 * Offset of place @i: one in each part of the region, with the very first and last bytes.
 */
static size_t place(const struct odp *o, size_t i)
{
	size_t part = o->bytes / PLACES / MEM_PAGE * MEM_PAGE;

	if (!i)
		return 0;
	if (i == PLACES - 1)
		return o->bytes - 512;
	return i * part + rng_below(part / MEM_PAGE) * MEM_PAGE + 77 * (i % 40);
}

/* Four times the machine's memory. */
TEST(odp_large, "O1 O3 O10", "a region larger than memory")
{
	static size_t at[PLACES];
	struct sysinfo info = {};
	struct xroce_mr_query q;
	static char buf[512];
	struct odp o;
	size_t i;

	sysinfo(&info);
	if (!odp_open(&o, 4 * info.totalram * info.mem_unit / MEM_PAGE))
		return;
	o.wait_ms = 1;
	rng_seed(3);
	q = odp_query(&o);
	check(q.length > info.totalram && !q.odp_resident, "%llu bytes", q.length);
	for (i = 0; i < PLACES && !test_failed(); i++) {
		at[i] = place(&o, i);
		ACKED(odp_write(&o, at[i], 512, i));
	}
	for (i = 0; i < PLACES && !test_failed(); i++) {
		odp_is(o.mem + at[i], 512, i);
		ACKED(odp_read(&o, at[i], 512, buf));
		odp_is(buf, 512, i);
	}
	q = odp_query(&o);
	check(q.odp_resident >= PLACES && q.odp_resident <= 2 * PLACES,
	      "%llu pages resident", q.odp_resident);
	note("region of %llu MiB, memory of %llu MiB, %llu pages resident", q.length >> 20,
	     (unsigned long long)info.totalram >> 20, q.odp_resident);
	/* Beyond the last byte. */
	REFUSED(odp_write(&o, o.bytes - 511, 512, 1));
	odp_close(&o);
}

static long slab_kb(void)
{
	long sum = 0, kb;
	char line[128];
	FILE *f;

	/* Let memory that waits for a grace period be freed first. */
	usleep(300000);
	f = fopen("/proc/meminfo", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SUnreclaim: %ld", &kb) == 1 ||
		    sscanf(line, "PageTables: %ld", &kb) == 1 ||
		    sscanf(line, "VmallocUsed: %ld", &kb) == 1 ||
		    sscanf(line, "Percpu: %ld", &kb) == 1)
			sum += kb;
	if (f)
		fclose(f);
	return sum;
}

static __u64 pool_used(void)
{
	struct xroce_mtt_query q = {};

	check(!xroce_mtt_query(&q), "MTT_QUERY");
	return q.used;
}

/* Register all, with one resident page each. Return: seconds to deregister them. */
static double round_of(struct xroce *x, __u32 pd, char *mem)
{
	static struct xroce_mr_reg reg[REGIONS];
	struct xroce_mr_advise a = {
		.advice = XROCE_ADVISE_PREFETCH_WRITE, .length = MEM_PAGE,
	};
	double begun = clock_now(), ended;
	__u64 pages = 0;
	size_t i;

	for (i = 0; i < REGIONS && !test_failed(); i++) {
		reg[i] = mr_region(pd, mem + i * REGION_PAGES * MEM_PAGE,
				   REGION_PAGES * MEM_PAGE);
		reg[i].access |= XROCE_ACCESS_ON_DEMAND;
		check(!xroce_mr_reg(x, &reg[i]), "region %zu", i);
		a.mr = reg[i].mr;
		check(!xroce_mr_advise(x, &a), "MR_ADVISE");
		pages += a.pages;
	}
	check(pages == REGIONS, "%llu pages are resident", pages);
	ended = clock_now();
	note("%u registered and prefetched: %.2f s", REGIONS, ended - begun);
	for (i = 0; i < REGIONS && !test_failed(); i++)
		check(!xroce_mr_dereg(x, reg[i].mr), "dereg");
	return clock_now() - ended;
}

/* Nothing is left of the regions, and deregistration is fast. */
TEST(odp_ten_thousand, "O1 O9", "10,000 regions leave nothing behind")
{
	long before = 0, after = 0;
	struct xroce *x;
	double seconds;
	__u64 used;
	char *mem;
	__u32 pd;
	int i;

	if (!check(!live_attach(LIVE_SPARE, MPT, LIVE_SPARE_ENTRIES), "attach"))
		return;
	x = xroce_open(LIVE_SPARE);
	mem = mmap(NULL, REGIONS * REGION_PAGES * MEM_PAGE,
		   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
		   MAP_NORESERVE, -1, 0);
	if (!check(x && mem != MAP_FAILED, "set-up"))
		return;
	madvise(mem, REGIONS * REGION_PAGES * MEM_PAGE, MADV_NOHUGEPAGE);
	pd = live_pd(x);
	used = pool_used();
	/* In the first round, caches and tables grow. */
	for (i = 0; i < 3 && !test_failed(); i++) {
		seconds = round_of(x, pd, mem);
		after = slab_kb();
		note("deregistered in %.0f ms; %ld kB of kernel memory", 1e3 * seconds,
		     after);
		check(seconds < patience(10), "%.1f s", seconds);
		check(pool_used() == used, "%llu entries of the pool are left",
		      pool_used() - used);
		check(!live_vmpin(), "VmPin %ld", live_vmpin());
		if (!i)
			before = after;
	}
	check(after - before < LEAK, "%ld kB are left", after - before);
	xroce_close(x);
	munmap(mem, REGIONS * REGION_PAGES * MEM_PAGE);
	check(!live_detach(LIVE_SPARE, 0), "detach");
}

TEST_MAIN(live_main);
