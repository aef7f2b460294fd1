// SPDX-License-Identifier: GPL-2.0-only
/* Mapping memory with different physical layouts. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "mem.h"

#define PAGEMAP_PRESENT	(1ull << 63)
#define PAGEMAP_PFN	((1ull << 55) - 1)
#define BLOCK_MAX_SHIFT	30	/* the module's XR_BLOCK_MAX */
#define AGAIN		2048u	/* pages of the file that mem_again() maps */

static bool read_pfns(uint64_t addr, size_t pages, uint64_t *pfn)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	ssize_t want = pages * sizeof(*pfn), got;
	size_t i;

	got = pread(fd, pfn, want, addr / MEM_PAGE * sizeof(*pfn));
	close(fd);
	if (!check(got == want, "pagemap: %zd of %zd", got, want))
		return false;
	for (i = 0; i < pages; i++)
		pfn[i] = pfn[i] & PAGEMAP_PRESENT ? pfn[i] & PAGEMAP_PFN : 0;
	return true;
}

uint64_t mem_pfn(const void *addr)
{
	uint64_t pfn;

	return read_pfns((uintptr_t)addr, 1, &pfn) ? pfn : 0;
}

bool mem_zero(const void *addr, size_t bytes)
{
	const char *p = addr;

	return !*p && !memcmp(p, p + 1, bytes - 1);
}

void *mem_map(size_t pages)
{
	void *p = mmap(NULL, pages * MEM_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return check(p != MAP_FAILED, "%s", strerror(errno)) ? p : NULL;
}

/* At least every second page of the file is left out. */
static bool map_scattered(int fd, char *addr, size_t pages)
{
	uint64_t last = 0, pfn;
	size_t i, from = 0;
	char *p;

	for (i = 0; i < pages; i++) {
		do {
			if (from == 4 * pages)
				return false;
			p = mmap(addr + i * MEM_PAGE, MEM_PAGE,
				 PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
				 from++ * MEM_PAGE);
			if (p == MAP_FAILED)
				return false;
			*p = 1;
			pfn = mem_pfn(p);
		} while (!pfn || pfn == last + 1);
		from++;
		last = pfn;
	}
	return true;
}

void *mem_scattered(void *addr, size_t pages)
{
	int fd = memfd_create("scattered", MFD_CLOEXEC);
	bool ok = fd >= 0 && !ftruncate(fd, 4 * pages * MEM_PAGE);

	/* Reserve the addresses first. */
	addr = mmap(addr, pages * MEM_PAGE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS |
		    (addr ? MAP_FIXED_NOREPLACE : 0), -1, 0);
	ok = ok && addr != MAP_FAILED && map_scattered(fd, addr, pages);
	close(fd);
	return check(ok, "cannot map %zu pages", pages) ? addr : NULL;
}

#define POOL	1024

/*
 * Find a page of the pool whose frame number is odd or even as @odd says, and whose
 * physical successor is in the pool. Take out both and their physical neighbours.
 */
static bool take_pair(uint64_t *pfn, bool odd, size_t *first, size_t *second)
{
	uint64_t found;
	size_t i, j;

	for (i = 0; i < POOL; i++) {
		for (j = 0; pfn[i] && pfn[i] % 2 == odd && j < POOL; j++)
			if (pfn[j] == pfn[i] + 1)
				goto found;
	}
	return false;

found:
	*first = i;
	*second = j;
	found = pfn[i];
	for (i = 0; i < POOL; i++)
		if (pfn[i] + 2 >= found && pfn[i] <= found + 3)
			pfn[i] = 0;
	return true;
}

static bool map_pairs(int fd, char *addr, const bool *odd, size_t pairs)
{
	const int prot = PROT_READ | PROT_WRITE;
	const int flags = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
	uint64_t pfn[POOL];
	char *pool, *p;
	size_t i, page[2];
	int k;

	pool = mmap(NULL, POOL * MEM_PAGE, prot, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		return false;
	memset(pool, 1, POOL * MEM_PAGE);
	if (!read_pfns((uintptr_t)pool, POOL, pfn))
		return false;
	for (i = 0; i < pairs; i++) {
		if (!take_pair(pfn, odd[i], &page[0], &page[1]))
			return false;
		for (k = 0; k < 2; k++, addr += MEM_PAGE) {
			p = mmap(addr, MEM_PAGE, prot, flags, fd,
				 page[k] * MEM_PAGE);
			if (p == MAP_FAILED)
				return false;
			*p = 1;
		}
	}
	munmap(pool, POOL * MEM_PAGE);
	return true;
}

void *mem_pairs(const bool *odd, size_t pairs)
{
	int fd = memfd_create("pairs", MFD_CLOEXEC);
	bool ok = fd >= 0 && !ftruncate(fd, POOL * MEM_PAGE);
	void *addr;

	addr = mmap(NULL, 2 * pairs * MEM_PAGE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok = ok && addr != MAP_FAILED && map_pairs(fd, addr, odd, pairs);
	close(fd);
	return check(ok, "cannot map %zu pairs of pages", pairs) ? addr : NULL;
}

void *mem_again(size_t pages)
{
	int fd = memfd_create("region", MFD_CLOEXEC);
	size_t i, n;
	char *mem;

	mem = mmap(NULL, pages * MEM_PAGE, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!check(fd >= 0 && !ftruncate(fd, AGAIN * MEM_PAGE) &&
		   mem != MAP_FAILED, "memory: %s", strerror(errno)))
		return NULL;
	for (i = 0; i < pages; i += n) {
		n = i ? AGAIN : 1;
		if (n > pages - i)
			n = pages - i;
		if (!check(mmap(mem + i * MEM_PAGE, n * MEM_PAGE,
				PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd,
				0) != MAP_FAILED, "map: %s", strerror(errno)))
			return NULL;
	}
	close(fd);
	return mem;
}

void *mem_huge(void)
{
	uint64_t pfn[MEM_HUGE / MEM_PAGE];
	char *p, *huge;
	size_t i;

	p = mmap(NULL, 2 * MEM_HUGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	huge = (char *)(((uintptr_t)p + MEM_HUGE - 1) & ~(MEM_HUGE - 1));
	munmap(p, huge - p);
	munmap(huge + MEM_HUGE, p + MEM_HUGE - huge);
	madvise(huge, MEM_HUGE, MADV_HUGEPAGE);
	memset(huge, 1, MEM_HUGE);
	if (!read_pfns((uintptr_t)huge, ARRAY_SIZE(pfn), pfn))
		return NULL;
	for (i = 1; i < ARRAY_SIZE(pfn); i++)
		if (pfn[i] != pfn[0] + i)
			return NULL;
	return pfn[0] % ARRAY_SIZE(pfn) ? NULL : huge;
}

/* Whether blocks of this size map all pages to their frames. */
static bool blocks_fit(const uint64_t *pfn, size_t pages, unsigned int shift)
{
	uint64_t unit = 1ull << (shift - MEM_PAGE_SHIFT);
	uint64_t first = pfn[0] % unit, place;
	size_t i;

	for (i = 0; i < pages; i++) {
		place = first + i;
		if (pfn[i] % unit != place % unit)
			return false;
		if (i && place % unit && pfn[i] != pfn[i - 1] + 1)
			return false;
	}
	return true;
}

void mem_check_blocks(const struct xroce_mr_query *q)
{
	uint64_t in_page = q->addr % MEM_PAGE, block, want;
	size_t pages = (in_page + q->length + MEM_PAGE - 1) / MEM_PAGE;
	uint64_t *pfn = calloc(pages, sizeof(*pfn));
	unsigned int shift = MEM_PAGE_SHIFT;

	if (!read_pfns(q->addr & -MEM_PAGE, pages, pfn))
		goto out;
	/* Start with the smallest block that could hold all pages. */
	while (shift < BLOCK_MAX_SHIFT && 1ull << (shift - MEM_PAGE_SHIFT) < pages)
		shift++;
	while (shift > MEM_PAGE_SHIFT && !blocks_fit(pfn, pages, shift))
		shift--;
	check(q->page_shift == shift, "page_shift is %u, not %u",
	      q->page_shift, shift);
	block = 1ull << shift;
	want = (pfn[0] * MEM_PAGE + in_page) % block;
	check(q->offset == want, "offset is %#llx, not %#llx",
	      (unsigned long long)q->offset, (unsigned long long)want);
	want = (want + q->length + block - 1) / block;
	check(q->pages == want, "%llu entries, not %llu",
	      (unsigned long long)q->pages, (unsigned long long)want);
out:
	free(pfn);
}
