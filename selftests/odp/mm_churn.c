// SPDX-License-Identifier: GPL-2.0-only
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "mem.h"
#include "mm_churn.h"
#include "swap.h"

#define RW	(PROT_READ | PROT_WRITE)
#define BLOCK	16u	/* pages; only one thread at a time changes pages of a block */
#define MOST	8u	/* pages that are changed at a time */

#define RESERVED	(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#define OUTSIDE		(ODP_PAGES_MAX / BLOCK * MOST * (size_t)MEM_PAGE)

unsigned int odp_rest_ms = 40;
atomic_uint odp_dropped;
atomic_uint odp_swapped;

static pthread_mutex_t block[ODP_PAGES_MAX / BLOCK] = {
	[0 ... ODP_PAGES_MAX / BLOCK - 1] = PTHREAD_MUTEX_INITIALIZER
};

/*
 * Addresses outside the region, MOST pages for each block, under the block's mutex. While
 * a change leaves a hole in the region, mmap(2) may choose it: no thread asks for an
 * address then.
 */
static char *outside;

/**
 * struct range - pages that this thread may change; it holds their block's mutex
 * @first: number of the first one
 * @n: how many
 * @at: address of the first one
 * @len: bytes
 */
struct range {
	size_t first;
	size_t n;
	char *at;
	size_t len;
};

/* Half of the time all of the pages are brought in first. */
static struct range take(unsigned int *seed)
{
	size_t b = odp_below(seed, odp_pages / BLOCK);
	struct range r = { .n = 1 + odp_below(seed, MOST) };

	r.first = b * BLOCK + odp_below(seed, BLOCK - r.n + 1);
	r.at = odp_page(r.first);
	r.len = r.n * MEM_PAGE;
	pthread_mutex_lock(&block[b]);
	if (odp_below(seed, 2))
		odp_bring(r.first, r.n);
	return r;
}

static bool give(const struct range *r, bool done)
{
	pthread_mutex_unlock(&block[r->first / BLOCK]);
	return done;
}

static void begin(const struct range *r, enum odp_change change, uint8_t base)
{
	odp_shadow_begin(r->first, r->n, change, base);
}

static void end(const struct range *r, int prot)
{
	odp_shadow_end(r->first, r->n, prot);
}

void odp_rest(unsigned int *seed, unsigned int most_ms)
{
	if (most_ms > odp_rest_ms)
		most_ms = odp_rest_ms;
	usleep(100 + odp_below(seed, 1000 * most_ms));
}

bool odp_map_at(char *at, size_t len)
{
	return check(mmap(at, len, RW, RESERVED | MAP_FIXED_NOREPLACE, -1, 0) == at,
		     "mmap");
}

bool mm_churn_open(void)
{
	outside = mmap(NULL, OUTSIDE, PROT_NONE, RESERVED, -1, 0);
	return check(outside != MAP_FAILED, "mmap");
}

void mm_churn_close(void)
{
	munmap(outside, OUTSIDE);
}

/* Map writable pages outside the region for a change of @r. */
static char *map_outside(const struct range *r)
{
	char *at = outside + r->first / BLOCK * MOST * MEM_PAGE;

	return mprotect(at, r->len, RW) ? NULL : at;
}

/* The pages outside have been moved: their addresses are nobody's, and are kept again. */
static bool keep_outside(char *at, const struct range *r)
{
	return mmap(at, r->len, PROT_NONE, RESERVED | MAP_FIXED, -1, 0) == at;
}

bool odp_unmap(unsigned int *seed)
{
	struct range r = take(seed);
	bool done;

	begin(&r, ODP_LOSES, 0);
	munmap(r.at, r.len);
	end(&r, PROT_NONE);
	odp_rest(seed, 40);
	begin(&r, ODP_LOSES, 0);
	done = odp_map_at(r.at, r.len);
	end(&r, RW);
	return give(&r, done);
}

/* One by one, because each page that was moved in before is a mapping of its own. */
static bool move_pages(char *from, size_t n, char *to)
{
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;

	for (; n--; from += MEM_PAGE, to += MEM_PAGE)
		if (!check(mremap(from, MEM_PAGE, MEM_PAGE, flags, to) == to,
			   "mremap"))
			return false;
	return true;
}

static bool move_in(const struct range *r, char *from, uint8_t base)
{
	bool done;

	odp_fill(from, r->n, base);
	begin(r, ODP_LOSES, base);
	done = move_pages(from, r->n, r->at);
	end(r, RW);
	return done;
}

/* Move pages out of the region. Only this process may write to them afterwards. */
static bool move_away(const struct range *r, char *to, uint8_t mark,
		      unsigned int *seed)
{
	bool done;

	begin(r, ODP_LOSES, 0);
	done = move_pages(r->at, r->n, to);
	end(r, PROT_NONE);
	if (!done)
		return false;
	odp_fill(to, r->n, mark);
	odp_rest(seed, 40);
	return odp_filled(to, r->n, mark);
}

bool odp_move(unsigned int *seed)
{
	uint8_t base = 1 + odp_below(seed, 255);
	struct range r = take(seed);
	bool done = true;
	char *to = map_outside(&r);

	/* Otherwise the new pages replace those that are there. */
	if (to && odp_below(seed, 2))
		done = move_away(&r, to, base ^ 0xff, seed);
	return give(&r, check(to && done && move_in(&r, to, base) &&
			      keep_outside(to, &r), "pages were not moved"));
}

bool odp_drop(unsigned int *seed)
{
	struct range r = take(seed);
	bool done;

	begin(&r, ODP_LOSES, 0);
	done = !madvise(r.at, r.len, MADV_DONTNEED);
	end(&r, RW);
	give(&r, done);
	odp_rest(seed, 4);
	return check(done, "MADV_DONTNEED");
}

bool odp_let_go(unsigned int *seed)
{
	struct range r = take(seed);
	unsigned int dropped = 0;
	size_t i;

	begin(&r, ODP_MAY_LOSE, 0);
	check(!madvise(r.at, r.len, MADV_FREE), "MADV_FREE");
	end(&r, RW);
	odp_rest(seed, 4);
	for (i = r.first; i < r.first + r.n; i++) {
		bool there = mem_pfn(odp_page(i));

		madvise(odp_page(i), MEM_PAGE, MADV_PAGEOUT);
		dropped += there && !mem_pfn(odp_page(i)) &&
			   !swap_has(odp_page(i));
	}
	odp_dropped += dropped;
	return give(&r, dropped);
}

/* The child has the bytes from the time of the fork, and its own writes; no others. */
static bool child_is_alone(const struct range *r)
{
	char copy[BLOCK * MEM_PAGE];
	size_t own = r->n / 2, len = (r->n - own) * MEM_PAGE;
	char *others = r->at + own * MEM_PAGE;

	memcpy(copy, others, len);
	odp_fill(r->at, own, 0xee);
	usleep(1000 * odp_rest_ms);
	return odp_filled(r->at, own, 0xee) && !memcmp(copy, others, len);
}

bool odp_fork(unsigned int *seed)
{
	struct range r = take(seed);
	int status = -1;
	pid_t pid;

	r.first -= r.first % BLOCK;
	r.at = odp_page(r.first);
	r.n = BLOCK;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(!child_is_alone(&r));
	}
	odp_rest(seed, 10);
	waitpid(pid, &status, 0);
	give(&r, !status);
	return check(!status, "the child sees other bytes: %#x", status);
}

bool odp_page_out(unsigned int *seed)
{
	struct range r = take(seed);
	unsigned int out = 0;
	size_t i;

	madvise(r.at, r.len, MADV_PAGEOUT);
	for (i = r.first; i < r.first + r.n; i++)
		out += swap_has(odp_page(i));
	odp_swapped += out;
	give(&r, out);
	odp_rest(seed, 3);
	return out;
}

bool odp_protect(unsigned int *seed)
{
	static const int prots[] = { PROT_READ, PROT_READ, PROT_NONE };
	int prot = prots[odp_below(seed, ARRAY_SIZE(prots))];
	struct range r = take(seed);
	bool done;

	begin(&r, ODP_KEEPS, 0);
	done = !mprotect(r.at, r.len, prot);
	end(&r, prot);
	odp_rest(seed, 40);
	begin(&r, ODP_KEEPS, 0);
	done = !mprotect(r.at, r.len, RW) && done;
	end(&r, RW);
	give(&r, done);
	return check(done, "mprotect");
}
