// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registering, re-registering and prefetching regions of all kinds, with each of their
 * allocations failing once (alloc_case.h).
 */
#include <stdint.h>
#include <sys/mman.h>

#include "alloc_case.h"
#include "mem.h"

#define SCATTERED	40u	/* pages, each a run of its own: more runs than fit at first */
#define EXTENT_PAGES	524288ull	/* pages whose table fills an extent */
#define RIGHTS		(XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE)

static char *scattered, *huge;	/* memory, for the tests that need it */

static void region(int fd, union arg *a, const void *mem, size_t pages)
{
	a->cmd.mr_reg.size = sizeof(a->cmd.mr_reg);
	a->cmd.mr_reg.pd = alloc_case_pd(fd);
	a->cmd.mr_reg.access = RIGHTS;
	a->cmd.mr_reg.addr = (uintptr_t)mem;
	a->cmd.mr_reg.length = pages * MEM_PAGE;
}

static void untouched(int fd, union arg *a)
{
	alloc_case_memory();
	region(fd, a, ALLOC_CASE_FAR, ALLOC_CASE_PAGES);
}

static void in_runs(int fd, union arg *a)
{
	region(fd, a, scattered, SCATTERED);
}

static void huge_page(int fd, union arg *a)
{
	region(fd, a, huge, MEM_HUGE / MEM_PAGE);
}

/* A new process for each attempt, because the first region of a process allocates more. */
static void another(int fd, union arg *a)
{
	region(fd, a, ALLOC_CASE_FAR, ALLOC_CASE_PAGES);
	a->flags = XROCE_F_PID;
	a->cmd.mr_reg.pid = alloc_case_process();
}

static void on_demand(int fd, union arg *a)
{
	untouched(fd, a);
	a->cmd.mr_reg.access |= XROCE_ACCESS_ON_DEMAND;
}

static void on_demand_another(int fd, union arg *a)
{
	another(fd, a);
	a->cmd.mr_reg.access |= XROCE_ACCESS_ON_DEMAND;
}

/* Needs two extents; the pool has one. */
static void long_table(int fd, union arg *a)
{
	on_demand(fd, a);
	a->cmd.mr_reg.length = (EXTENT_PAGES + 1) * MEM_PAGE;
}

static void whole_space(int fd, union arg *a)
{
	on_demand(fd, a);
	a->cmd.mr_reg.addr = 0;
	a->cmd.mr_reg.length = XROCE_LENGTH_ALL;
}

/* Re-register a region that @fill describes. */
static void rereg(int fd, union arg *a, void (*fill)(int fd, union arg *a))
{
	union arg reg = {};

	fill(fd, &reg);
	must(fd, XROCE_CMD_MR_REG, &reg);
	a->cmd.mr_rereg.mr = reg.cmd.mr_reg.mr;
	a->cmd.mr_rereg.access = reg.cmd.mr_reg.access;
	a->cmd.mr_rereg.pd = reg.cmd.mr_reg.pd;
}

static void rereg_untouched(int fd, union arg *a)
{
	rereg(fd, a, in_runs);
	alloc_case_memory();
	a->cmd.mr_rereg.mask = XROCE_REREG_TRANSLATION | XROCE_REREG_PD;
	a->cmd.mr_rereg.addr = (uintptr_t)ALLOC_CASE_FAR;
	a->cmd.mr_rereg.length = ALLOC_CASE_PAGES * MEM_PAGE;
	a->cmd.mr_rereg.pd = alloc_case_pd(fd);
}

static void rereg_on_demand(int fd, union arg *a)
{
	rereg_untouched(fd, a);
	a->cmd.mr_rereg.mask |= XROCE_REREG_ACCESS;
	a->cmd.mr_rereg.access |= XROCE_ACCESS_ON_DEMAND;
}

static void rereg_pinned(int fd, union arg *a)
{
	rereg(fd, a, on_demand);
	a->cmd.mr_rereg.mask = XROCE_REREG_TRANSLATION | XROCE_REREG_ACCESS;
	a->cmd.mr_rereg.access = RIGHTS;
	a->cmd.mr_rereg.addr = (uintptr_t)ALLOC_CASE_FAR;
	a->cmd.mr_rereg.length = ALLOC_CASE_PAGES * MEM_PAGE;
}

static void rereg_phys(int fd, union arg *a)
{
	static __u64 pages[SCATTERED];
	int i;

	rereg(fd, a, in_runs);
	for (i = 0; i < (int)SCATTERED; i++)
		pages[i] = mem_pfn(scattered + i * MEM_PAGE) * MEM_PAGE;
	a->flags = XROCE_F_PHYS;
	a->cmd.mr_rereg.mask = XROCE_REREG_TRANSLATION;
	a->cmd.mr_rereg.pages = (uintptr_t)pages;
	a->cmd.mr_rereg.npages = SCATTERED;
	a->cmd.mr_rereg.page_shift = MEM_PAGE_SHIFT;
	a->cmd.mr_rereg.length = SCATTERED * MEM_PAGE;
}

static void read_only(int fd, union arg *a)
{
	in_runs(fd, a);
	a->cmd.mr_reg.access = XROCE_ACCESS_REMOTE_READ;
}

/* Write access needs new pins. */
static void rereg_writable(int fd, union arg *a)
{
	rereg(fd, a, read_only);
	a->cmd.mr_rereg.mask = XROCE_REREG_ACCESS;
	a->cmd.mr_rereg.access = RIGHTS;
}

static void advise(int fd, union arg *a, void (*fill)(int fd, union arg *a))
{
	union arg reg = {};

	fill(fd, &reg);
	reg.cmd.mr_reg.iova = reg.cmd.mr_reg.addr;
	must(fd, XROCE_CMD_MR_REG, &reg);
	a->cmd.mr_advise.mr = reg.cmd.mr_reg.mr;
	a->cmd.mr_advise.advice = XROCE_ADVISE_PREFETCH_WRITE;
	a->cmd.mr_advise.iova = (uintptr_t)ALLOC_CASE_FAR;
	a->cmd.mr_advise.length = ALLOC_CASE_PAGES * MEM_PAGE;
}

static void advise_untouched(int fd, union arg *a)
{
	advise(fd, a, on_demand);
}

static void advise_space(int fd, union arg *a)
{
	advise(fd, a, whole_space);
}

TEST(fault_regions, "R1 R5 R8", "pinned regions of all kinds")
{
	static const struct alloc_case cases[] = {
		{ "MR_REG, untouched", XROCE_CMD_MR_REG, untouched },
		{ "MR_REG, scattered", XROCE_CMD_MR_REG, in_runs },
		{ "MR_REG, of another process", XROCE_CMD_MR_REG, another },
		{ "MR_REREG, untouched", XROCE_CMD_MR_REREG, rereg_untouched },
		{ "MR_REREG, physical", XROCE_CMD_MR_REREG, rereg_phys },
		{ "MR_REREG, writable", XROCE_CMD_MR_REREG, rereg_writable },
	};
	static const struct alloc_case of_huge = {
		"MR_REG, a huge page", XROCE_CMD_MR_REG, huge_page
	};

	scattered = mem_scattered(NULL, SCATTERED);
	if (!scattered)
		return;
	alloc_cases_run(cases, ARRAY_SIZE(cases));
	munmap(scattered, SCATTERED * MEM_PAGE);
	huge = mem_huge();
	if (huge) {
		alloc_cases_run(&of_huge, 1);
		munmap(huge, MEM_HUGE);
	}
}

TEST(fault_on_demand, "O1 O2 O5 R5 T3", "on-demand regions, tables, advice")
{
	static const struct alloc_case cases[] = {
		{ "MR_REG, on demand", XROCE_CMD_MR_REG, on_demand },
		{ "MR_REG, on demand, of another process", XROCE_CMD_MR_REG, on_demand_another },
		{ "MR_REG, on demand, two extents", XROCE_CMD_MR_REG, long_table },
		{ "MR_REG, an address space", XROCE_CMD_MR_REG, whole_space },
		{ "MR_REREG, to on demand", XROCE_CMD_MR_REREG, rereg_on_demand },
		{ "MR_REREG, from on demand", XROCE_CMD_MR_REREG, rereg_pinned },
		{ "MR_ADVISE, untouched", XROCE_CMD_MR_ADVISE, advise_untouched },
		{ "MR_ADVISE, an address space", XROCE_CMD_MR_ADVISE, advise_space },
	};

	scattered = mem_scattered(NULL, SCATTERED);
	if (!scattered)
		return;
	alloc_cases_run(cases, ARRAY_SIZE(cases));
	munmap(scattered, SCATTERED * MEM_PAGE);
}

TEST_MAIN(fault_main);
