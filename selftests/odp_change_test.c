// SPDX-License-Identifier: GPL-2.0-only
/*
 * Private memory on demand that its process changes in one way at a time, while a
 * peer writes and reads it: what each access finds is what the model says.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "mem.h"
#include "odp_shadow.h"
#include "swap.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif
#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101
#endif

#define RW		(PROT_READ | PROT_WRITE)
#define PAGES		128u
#define HUGE_PAGES	1536u	/* a huge page among them, wherever they begin */
#define MOST		8u	/* pages that are changed at a time */
#define ACCESSES	1500u

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

static struct odp_upset upset;
static unsigned int changes;		/* that are enough */
static unsigned int seen;		/* pages that a change is known to have hit */

static bool enough(void)
{
	return atomic_load(&upset.done) >= changes && odp_accesses >= ACCESSES;
}

/* Return: open still, for a look at what has come of it. */
static bool upset_by(bool (*change)(unsigned int *seed), unsigned int times,
		     size_t pages)
{
	if (!odp_shadow_open(pages))
		return false;
	upset = (struct odp_upset){ .change = change };
	changes = times;
	seen = 0;
	odp_shadow_run(&upset, 1, enough);
	note("changed %u times, %u of them in vain", upset.done, upset.failed);
	check(odp_query(&odp).odp_invalidated, "nothing was invalidated");
	return true;
}

/* Half of the time they are all there, else as many as happen to be. */
static size_t some_pages(unsigned int *seed, size_t *n)
{
	size_t first;

	*n = 1 + odp_below(seed, MOST);
	first = odp_below(seed, PAGES - *n + 1);
	if (odp_below(seed, 2))
		odp_bring(first, *n);
	return first;
}

static void rest(unsigned int *seed, unsigned int most_ms)
{
	usleep(1000 * (1 + odp_below(seed, most_ms)));
}

/* Like what is around it. */
static bool map_at(char *at, size_t len)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	return check(mmap(at, len, RW, flags | MAP_FIXED_NOREPLACE, -1, 0) == at,
		     "mmap");
}

static bool unmap(unsigned int *seed)
{
	size_t n, first = some_pages(seed, &n), len = n * MEM_PAGE;
	char *at = odp_page(first);
	bool done;

	odp_shadow_begin(first, n, ODP_LOSES, 0);
	munmap(at, len);
	odp_shadow_end(first, n, PROT_NONE);
	rest(seed, 40);
	odp_shadow_begin(first, n, ODP_LOSES, 0);
	done = map_at(at, len);
	odp_shadow_end(first, n, RW);
	return done;
}

static void unmapped(void)
{
	if (!upset_by(unmap, 60, PAGES))
		return;
	check(odp_refusals, "no access was refused");
	odp_shadow_close();
}

/* One by one: what has been moved in before is a mapping of its own. */
static bool move_pages(char *from, size_t n, char *to)
{
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;

	for (; n--; from += MEM_PAGE, to += MEM_PAGE)
		if (!check(mremap(from, MEM_PAGE, MEM_PAGE, flags, to) == to,
			   "mremap"))
			return false;
	return true;
}

static bool move_in(size_t first, size_t n, char *from, uint8_t base)
{
	bool done;

	odp_fill(from, n, base);
	odp_shadow_begin(first, n, ODP_LOSES, base);
	done = move_pages(from, n, odp_page(first));
	odp_shadow_end(first, n, RW);
	return done;
}

/* What has left the range is its process's alone. */
static bool move(unsigned int *seed)
{
	uint8_t base = 1 + odp_below(seed, 255);
	size_t n, first = some_pages(seed, &n);
	bool done;
	char *to;

	to = mmap(NULL, n * MEM_PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Over what is there. */
	if (odp_below(seed, 2))
		return move_in(first, n, to, base);
	odp_shadow_begin(first, n, ODP_LOSES, 0);
	done = move_pages(odp_page(first), n, to);
	odp_shadow_end(first, n, PROT_NONE);
	if (!done)
		return false;
	odp_fill(to, n, base ^ 0xff);
	rest(seed, 40);
	return odp_filled(to, n, base ^ 0xff) && move_in(first, n, to, base);
}

static void moved(void)
{
	if (!upset_by(move, 80, PAGES))
		return;
	check(odp_refusals, "no access was refused");
	odp_shadow_close();
}

static bool drop(unsigned int *seed)
{
	size_t n, first = some_pages(seed, &n);
	bool done;

	odp_shadow_begin(first, n, ODP_LOSES, 0);
	done = !madvise(odp_page(first), n * MEM_PAGE, MADV_DONTNEED);
	odp_shadow_end(first, n, RW);
	rest(seed, 4);
	return check(done, "MADV_DONTNEED");
}

static void dropped(void)
{
	if (!upset_by(drop, 200, PAGES))
		return;
	check(!odp_refusals, "%u accesses were refused", odp_refusals);
	odp_shadow_close();
}

/* Return: whether one has been dropped, and not swapped out. */
static bool let_go(unsigned int *seed)
{
	size_t n, first = some_pages(seed, &n), i;
	unsigned int gone = seen;

	odp_shadow_begin(first, n, ODP_MAY_LOSE, 0);
	check(!madvise(odp_page(first), n * MEM_PAGE, MADV_FREE), "MADV_FREE");
	odp_shadow_end(first, n, RW);
	rest(seed, 4);
	for (i = first; i < first + n; i++) {
		bool there = mem_pfn(odp_page(i));

		madvise(odp_page(i), MEM_PAGE, MADV_PAGEOUT);
		seen += there && !mem_pfn(odp_page(i)) && !swap_has(odp_page(i));
	}
	return seen > gone;
}

static void freed(void)
{
	if (!swap_on()) {
		skip("no zram");
		return;
	}
	if (upset_by(let_go, 150, PAGES)) {
		note("%u pages dropped", seen);
		check(seen, "none was");
		check(!odp_refusals, "%u accesses were refused", odp_refusals);
		odp_shadow_close();
	}
	swap_off();
}

/* The child has the bytes of then, and its own; nobody else's. */
static bool child_is_alone(void)
{
	char *at = odp_page(PAGES / 2);
	const size_t pages = PAGES / 2;
	char *copy;

	copy = mmap(NULL, pages * MEM_PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	memcpy(copy, at, pages * MEM_PAGE);
	odp_fill(odp.mem, 16, 0xee);
	usleep(40000);
	return odp_filled(odp.mem, 16, 0xee) &&
	       !memcmp(copy, at, pages * MEM_PAGE);
}

static bool double_up(unsigned int *seed)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(!child_is_alone());
	}
	rest(seed, 10);
	waitpid(pid, &status, 0);
	return check(!status, "the child's bytes have changed");
}

static void forked(void)
{
	if (!upset_by(double_up, 25, PAGES))
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

/* One page of it ceases to be like the others. */
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
		map_at(at, MEM_PAGE);
		odp_shadow_end(page, 1, RW);
		break;
	}
}

/* Return: whether it was made huge. */
static bool collapse(unsigned int *seed)
{
	char *huge = huge_place();
	size_t page = (huge - odp.mem) / MEM_PAGE + 1 + odp_below(seed, 511);
	char *at = odp_page(page);
	bool done;

	madvise(huge, MEM_HUGE, MADV_HUGEPAGE);
	done = !madvise(huge, MEM_HUGE, MADV_COLLAPSE) && is_huge(huge);
	odp_bring((huge - odp.mem) / MEM_PAGE, 512);
	rest(seed, 20);
	madvise(huge, MEM_HUGE, MADV_NOHUGEPAGE);
	split(seed, page);
	seen += done && mem_pfn(at) != mem_pfn(huge) + (at - huge) / MEM_PAGE;
	rest(seed, 10);
	return done;
}

static void collapsed(void)
{
	if (!upset_by(collapse, 60, HUGE_PAGES))
		return;
	check(upset.failed < upset.done, "never was it huge");
	note("%u times made small again", seen);
	check(seen, "never was it made small");
	odp_shadow_close();
}

static bool to_other_node(char *at)
{
	int node[2] = { -1, -1 }, status = -1;
	void *addr = at;

	/* Without a node to go to, it says where it is. */
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

	rest(seed, 10);
	madvise(at, MEM_PAGE, MADV_POPULATE_WRITE);
	pfn = mem_pfn(at);
	/* With one node only, its frame is said to be going to fail. */
	if (!to_other_node(at))
		madvise(at, MEM_PAGE, MADV_SOFT_OFFLINE);
	now = mem_pfn(at);
	if (!odp_below(seed, 16) && system("echo 1 >/proc/sys/vm/compact_memory"))
		return false;
	return pfn && now && pfn != now;
}

static void migrated(void)
{
	if (!upset_by(migrate, 120, PAGES))
		return;
	check(upset.failed < upset.done / 2, "of %u pages %u stayed",
	      upset.done, upset.failed);
	check(!odp_refusals, "%u accesses were refused", odp_refusals);
	odp_shadow_close();
}

/* Return: whether something went to swap. */
static bool page_out(unsigned int *seed)
{
	size_t n, first = some_pages(seed, &n), i, out = 0;

	madvise(odp_page(first), n * MEM_PAGE, MADV_PAGEOUT);
	for (i = first; i < first + n; i++)
		out += swap_has(odp_page(i));
	seen += out;
	rest(seed, 3);
	return out;
}

static void paged_out(void)
{
	if (!swap_on()) {
		skip("no zram");
		return;
	}
	if (upset_by(page_out, 300, PAGES)) {
		note("%u pages to swap", seen);
		check(seen, "none was");
		check(!odp_refusals, "%u accesses were refused", odp_refusals);
		odp_shadow_close();
	}
	swap_off();
}

static bool protect(unsigned int *seed)
{
	static const int prots[] = { PROT_READ, PROT_READ, PROT_NONE };
	size_t n, first = some_pages(seed, &n), len = n * MEM_PAGE;
	int prot = prots[odp_below(seed, ARRAY_SIZE(prots))];
	char *at = odp_page(first);
	bool done;

	odp_shadow_begin(first, n, ODP_KEEPS, 0);
	done = !mprotect(at, len, prot);
	odp_shadow_end(first, n, prot);
	rest(seed, 40);
	odp_shadow_begin(first, n, ODP_KEEPS, 0);
	done = !mprotect(at, len, RW) && done;
	odp_shadow_end(first, n, RW);
	return check(done, "mprotect");
}

static void protected(void)
{
	if (!upset_by(protect, 60, PAGES))
		return;
	check(odp_refusals, "no access was refused");
	odp_shadow_close();
}

static const struct test tests[] = {
	{ "odp_under_munmap", "O4 O6", "unmapped, and mapped anew", unmapped },
	{ "odp_under_mremap", "O4 O6", "moved away, and others' pages moved in",
	  moved },
	{ "odp_under_dontneed", "O4 O6", "made zeros", dropped },
	{ "odp_under_free", "O4 O6", "may be made zeros until written", freed },
	{ "odp_under_fork", "O4 O6", "copied on write, on both sides", forked },
	{ "odp_under_thp", "O4 O6", "huge pages made and split", collapsed },
	{ "odp_under_migrate", "O4 O6", "in other frames", migrated },
	{ "odp_under_swap", "O4 O6", "paged out", paged_out },
	{ "odp_under_mprotect", "O4 O6 O7", "not to be written, or not at all",
	  protected },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
