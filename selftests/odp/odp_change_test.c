// SPDX-License-Identifier: GPL-2.0-only
/*
 * Private on-demand memory that its process changes in one way at a time, while a peer
 * writes and reads it. Each access must find what the model predicts.
 */
#include <stdlib.h>
#include <unistd.h>

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "mem.h"
#include "mm_churn.h"
#include "swap.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif
#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101
#endif

#define RW		(PROT_READ | PROT_WRITE)
#define PAGES		128u
#define HUGE_PAGES	1536u	/* contain an aligned huge page, wherever they begin */
#define ACCESSES	1500u

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

static struct mm_churn churn;
static unsigned int changes;		/* number of changes after which a test ends */
static unsigned int seen;		/* pages for which the change is known to have worked */

static bool enough(void)
{
	return atomic_load(&churn.done) >= changes && odp_accesses >= ACCESSES;
}

/* Return: true: the region is still open, for further checks. */
static bool churn_by(bool (*change)(unsigned int *seed), unsigned int times,
		     size_t pages)
{
	if (!mm_churn_open())
		return false;
	if (!odp_shadow_open(pages)) {
		mm_churn_close();
		return false;
	}
	churn = (struct mm_churn){ .change = change };
	changes = times;
	seen = 0;
	odp_shadow_run(&churn, 1, enough);
	mm_churn_close();
	note("%u changes, %u of them without effect", churn.done, churn.failed);
	check(odp_query(&odp).odp_invalidated, "nothing was invalidated");
	return true;
}

TEST(odp_under_munmap, "O4 O6", "accesses while pages are unmapped and mapped again")
{
	if (!churn_by(odp_unmap, 60, PAGES))
		return;
	check(odp_refusals, "no access was refused");
	odp_shadow_close();
}

TEST(odp_under_mremap, "O4 O6", "accesses while pages are moved out and others in")
{
	if (!churn_by(odp_move, 80, PAGES))
		return;
	check(odp_refusals, "no access was refused");
	odp_shadow_close();
}

TEST(odp_under_dontneed, "O4 O6", "accesses while pages are dropped")
{
	if (!churn_by(odp_drop, 200, PAGES))
		return;
	check(!odp_refusals, "%u accesses were refused", odp_refusals);
	odp_shadow_close();
}

TEST(odp_under_free, "O4 O6", "accesses while pages may be dropped until written")
{
	if (!swap_on()) {
		skip("no zram");
		return;
	}
	if (churn_by(odp_let_go, 150, PAGES)) {
		note("%u pages dropped", odp_dropped);
		check(odp_dropped, "no page was dropped");
		check(!odp_refusals, "%u accesses were refused", odp_refusals);
		odp_shadow_close();
	}
	swap_off();
}

TEST(odp_under_fork, "O4 O6", "accesses while parent and child copy on write")
{
	if (!churn_by(odp_fork, 25, PAGES))
		return;
	check(!odp_refusals, "%u accesses were refused", odp_refusals);
	odp_shadow_close();
}

static char *huge_place(void)
{
	return (char *)(((uintptr_t)odp.mem + MEM_HUGE - 1) & -MEM_HUGE);
}

static bool is_huge(const char *at)
{
	uint64_t pfn = mem_pfn(at);

	return pfn && !(pfn % 512) && mem_pfn(at + MEM_HUGE - MEM_PAGE) == pfn + 511;
}

/* Change one page of the huge page, so that it is split. */
static void split(unsigned int *seed, size_t page)
{
	char *at = odp_page(page);

	switch (odp_below(seed, 3)) {
	case 0:
		odp_shadow_begin(page, 1, ODP_KEEPS, 0);
		mprotect(at, MEM_PAGE, PROT_READ);
		mprotect(at, MEM_PAGE, RW);
		odp_shadow_end(page, 1, RW);
		break;
	case 1:
		odp_shadow_begin(page, 1, ODP_LOSES, 0);
		madvise(at, MEM_PAGE, MADV_DONTNEED);
		odp_shadow_end(page, 1, RW);
		break;
	case 2:
		odp_shadow_begin(page, 1, ODP_LOSES, 0);
		munmap(at, MEM_PAGE);
		odp_map_at(at, MEM_PAGE);
		odp_shadow_end(page, 1, RW);
		break;
	}
}

/* Return: whether a huge page was made. */
static bool collapse(unsigned int *seed)
{
	char *huge = huge_place();
	size_t page = (huge - odp.mem) / MEM_PAGE + 1 + odp_below(seed, 511);
	char *at = odp_page(page);
	bool done;

	madvise(huge, MEM_HUGE, MADV_HUGEPAGE);
	done = !madvise(huge, MEM_HUGE, MADV_COLLAPSE) && is_huge(huge);
	odp_bring((huge - odp.mem) / MEM_PAGE, 512);
	odp_rest(seed, 20);
	madvise(huge, MEM_HUGE, MADV_NOHUGEPAGE);
	split(seed, page);
	seen += done && mem_pfn(at) != mem_pfn(huge) + (at - huge) / MEM_PAGE;
	odp_rest(seed, 10);
	return done;
}

TEST(odp_under_thp, "O4 O6", "accesses while huge pages are made and split")
{
	if (!churn_by(collapse, 60, HUGE_PAGES))
		return;
	check(churn.failed < churn.done, "no huge page was made");
	note("%u huge pages split", seen);
	check(seen, "no huge page was split");
	odp_shadow_close();
}

static bool to_other_node(char *at)
{
	int node[2] = { -1, -1 }, status = -1;
	void *addr = at;

	/* Without a target node, move_pages(2) reports the current one. */
	syscall(SYS_move_pages, 0, 1ul, &addr, NULL, &node[0], 0);
	node[1] = !node[0];
	return node[0] >= 0 && !syscall(SYS_move_pages, 0, 1ul, &addr, &node[1],
					&status, MPOL_MF_MOVE) &&
	       status == node[1];
}

/* Return: whether a page has another frame now. */
static bool migrate(unsigned int *seed)
{
	char *at = odp_page(odp_below(seed, PAGES));
	uint64_t pfn, now;

	odp_rest(seed, 10);
	madvise(at, MEM_PAGE, MADV_POPULATE_WRITE);
	pfn = mem_pfn(at);
	/* With only one node, report the frame as failing, so that the page is moved. */
	if (!to_other_node(at))
		madvise(at, MEM_PAGE, MADV_SOFT_OFFLINE);
	now = mem_pfn(at);
	if (!odp_below(seed, 16) && system("echo 1 >/proc/sys/vm/compact_memory"))
		return false;
	return pfn && now && pfn != now;
}

TEST(odp_under_migrate, "O4 O6", "accesses while pages are migrated")
{
	if (!churn_by(migrate, 120, PAGES))
		return;
	check(churn.failed < churn.done / 2, "%u changes, %u without a new page frame",
	      churn.done, churn.failed);
	check(!odp_refusals, "%u accesses were refused", odp_refusals);
	odp_shadow_close();
}

TEST(odp_under_swap, "O4 O6", "accesses while pages are swapped out")
{
	if (!swap_on()) {
		skip("no zram");
		return;
	}
	if (churn_by(odp_page_out, 300, PAGES)) {
		note("%u pages swapped out", odp_swapped);
		check(odp_swapped, "no page was swapped out");
		check(!odp_refusals, "%u accesses were refused", odp_refusals);
		odp_shadow_close();
	}
	swap_off();
}

TEST(odp_under_mprotect, "O4 O6 O7", "accesses while the rights of pages change")
{
	if (!churn_by(odp_protect, 60, PAGES))
		return;
	check(odp_refusals, "no access was refused");
	odp_shadow_close();
}

TEST_MAIN(live_main);
