// SPDX-License-Identifier: GPL-2.0-only
/*
 * Physical regions: the caller names the pages; some pages are refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/kernel-page-flags.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live_mr.h"
#include "mem.h"
#include "probe.h"

#define LW	XROCE_ACCESS_LOCAL_WRITE
#define RW	XROCE_ACCESS_REMOTE_WRITE
#define RR	XROCE_ACCESS_REMOTE_READ
#define RA	XROCE_ACCESS_REMOTE_ATOMIC

#define IOVA	0x123400000001ull

static struct xroce_mr_reg_phys phys_region(__u32 pd, const __u64 *list,
					    __u32 n, __u64 length)
{
	return (struct xroce_mr_reg_phys){
		.pd = pd,
		.access = LW | RW,
		.pages = (uintptr_t)list,
		.npages = n,
		.page_shift = MEM_PAGE_SHIFT,
		.length = length,
		.iova = IOVA,
	};
}

static __u64 phys_addr(const char *at)
{
	return mem_pfn(at) * MEM_PAGE;
}

static void refused(struct xroce *x, struct xroce_mr_reg_phys r, int want,
		    const char *what)
{
	struct xroce_link_query q;
	int ret = xroce_mr_reg_phys(x, &r);

	check(ret == want, "%s: %d, not %d", what, ret, want);
	check(!xroce_link_find(LIVE_DEV, &q) && !q.mrs, "%s: %u regions", what,
	      q.mrs);
	if (!ret)
		xroce_mr_dereg(x, r.mr);
}

/* Pages in any order; the region begins and ends inside a page. */
TEST(phys_pages, "R4 R7 R9", "a list of pages in any order")
{
	static const int order[] = { 2, 0, 5, 3, 1 };
	struct xroce *x = live_open();
	char *mem = mem_scattered(NULL, 6);
	struct xroce_mr_query q = {};
	struct xroce_mr_reg_phys r;
	struct xroce_mpt e = {};
	__u64 list[5];
	struct probe p;
	__u32 pd;
	int i;

	if (!x || !mem)
		return;
	pd = live_pd(x);
	if (!probe_open(&p, x, pd))
		return;
	for (i = 0; i < 5; i++)
		list[i] = phys_addr(mem + order[i] * MEM_PAGE);
	r = phys_region(pd, list, 5, 4 * MEM_PAGE - 77);
	r.offset = 1000;
	strcpy(r.name, "by address");
	check(!xroce_mr_reg_phys(x, &r), "MR_REG_PHYS");
	q.mr = r.mr;
	check(!xroce_mr_query(x, &q) && q.flags == XROCE_F_PHYS &&
	      q.pd == pd && q.access == r.access && q.lkey == r.lkey &&
	      q.rkey == r.rkey && q.rkey == q.lkey && q.rkey >> 8 == r.mr &&
	      q.iova == IOVA && q.length == r.length && !q.addr && !q.pid &&
	      q.pages == 5 && q.page_shift == MEM_PAGE_SHIFT &&
	      q.offset == 1000 && !strcmp(q.name, r.name),
	      "flags %#x, pages %llu of 2^%u, offset %llu, length %llu, pid %u",
	      q.flags, q.pages, q.page_shift, q.offset, q.length, q.pid);
	live_map_get(LIVE_DEV, "mpt", r.mr, &e);
	check(e.key == r.rkey && e.iova == IOVA && e.length == r.length,
	      "entry: key %#x, length %llu", e.key, e.length);
	check(!live_pinned() && !live_vmpin(), "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());

	probe_lands(&p, r.rkey, IOVA, 500, mem + 2 * MEM_PAGE + 1000);
	/* In the third page of the list. */
	probe_lands(&p, r.rkey, IOVA + 2 * MEM_PAGE - 1000 + 8, 1000,
		    mem + 5 * MEM_PAGE + 8);
	/* Across the border of the first and the second page: 96 and 4 bytes. */
	check(!probe_write(&p, r.rkey, IOVA + MEM_PAGE - 1000 - 96, 100) &&
	      mem[3 * MEM_PAGE - 1] == (char)(p.pattern + 95 * 7) &&
	      mem[3] == (char)(p.pattern + 99 * 7), "over a border");
	/* The last byte. */
	probe_lands(&p, r.rkey, IOVA + r.length - 1, 1,
		    mem + MEM_PAGE + (1000 + r.length - 1) % MEM_PAGE);
	probe_refused(&p, r.rkey, IOVA + r.length, XROCE_CAUSE_ACC_BOUNDS);
	probe_refused(&p, r.rkey, IOVA - 1, XROCE_CAUSE_ACC_BOUNDS);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	probe_refused(&p, r.rkey, IOVA, XROCE_CAUSE_ACC_KEY);

	/* The same page twice; and a region without the right to write. */
	list[1] = list[0];
	r = phys_region(pd, list, 2, 2 * MEM_PAGE);
	check(!xroce_mr_reg_phys(x, &r), "a page twice");
	probe_lands(&p, r.rkey, IOVA + MEM_PAGE + 9, 50, mem + 2 * MEM_PAGE + 9);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	r = phys_region(pd, list, 1, 1);
	r.access = RR;
	check(!xroce_mr_reg_phys(x, &r), "for reading");
	probe_refused(&p, r.rkey, IOVA, XROCE_CAUSE_ACC_RIGHT);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	probe_close(&p);
	live_close(x);
	munmap(mem, 6 * MEM_PAGE);
}

/* Every argument that can be invalid. */
TEST(phys_bad_arguments, "R4 R2", "lists and lengths that do not fit are refused")
{
	struct xroce *x = live_open();
	char *mem = mem_scattered(NULL, 2);
	struct xroce_mr_reg_phys good, r;
	__u64 list[2];

	if (!x || !mem)
		return;
	list[0] = phys_addr(mem);
	list[1] = phys_addr(mem + MEM_PAGE);
	good = phys_region(live_pd(x), list, 2, 2 * MEM_PAGE - 10);
	good.offset = 10;
#define BAD(change, want)	\
	(r = good, (change), refused(x, r, want, #change))
	BAD(r.npages = 0, -EINVAL);
	BAD(r.npages = XROCE_PHYS_PAGES_MAX + 1, -E2BIG);
	BAD(r.pages = 0, -EFAULT);
	BAD(r.page_shift = 11, -EINVAL);
	BAD(r.page_shift = 31, -EINVAL);
	BAD(r.page_shift = 64, -EINVAL);
	BAD(r.page_shift = 21, -EINVAL);	/* the pages are not aligned to that size */
	BAD(r.offset = MEM_PAGE, -EINVAL);
	BAD(r.offset = -1ull, -EINVAL);
	BAD(r.length = 0, -EINVAL);
	BAD(r.length++, -EINVAL);
	BAD(r.length = MEM_PAGE - 10, -EINVAL);	/* the second page is not used */
	BAD(r.length = -1ull, -EINVAL);
	BAD(r.iova = -100ull, -EINVAL);
	BAD(r.access = RW, -EINVAL);
	BAD(r.access = RA, -EINVAL);
	BAD(r.access = 1u << 20, -EINVAL);
	BAD(r.reserved = 1, -EINVAL);
	BAD(r.flags = XROCE_F_PID, -EINVAL);
	BAD(r.pd = 0x123456, -ENOENT);
	BAD(memset(r.name, 'n', sizeof(r.name)), -EINVAL);
	list[1]++;
	BAD((void)0, -EINVAL);
	list[1]--;
	live_drop_cap(CAP_SYS_RAWIO);
	BAD((void)0, -EPERM);
	live_restore_caps();
#undef BAD
	r = good;
	check(!xroce_mr_reg_phys(x, &r), "and without");
	xroce_mr_dereg(x, r.mr);
	live_close(x);
	munmap(mem, 2 * MEM_PAGE);
}

/* Return: a page frame that has all flags of @set and none of @clear, or 0. */
static __u64 frame_with(__u64 set, __u64 clear)
{
	int fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	static __u64 flags[4096];
	__u64 pfn = 256;		/* the first megabyte has special frames */
	ssize_t n, i;

	while ((n = pread(fd, flags, sizeof(flags), pfn * 8)) > 0) {
		for (i = 0; i < n / 8; i++)
			if ((flags[i] & set) == set && !(flags[i] & clear))
				goto out;
		pfn += n / 8;
	}
	i = 0;
	pfn = 0;
out:
	close(fd);
	return pfn + i;
}

#define BIT(n)	(1ull << (n))

PD_TEST(phys_forbidden, "R4",
	"addresses that are not RAM, kernel pages and free pages are refused")
{
	static const struct {
		const char *what;
		__u64 set, clear;
	} kinds[] = {
		{ "free", BIT(KPF_BUDDY), 0 },
		{ "slab", BIT(KPF_SLAB), 0 },
		{ "page table", BIT(KPF_PGTABLE), 0 },
		{ "kernel's, of no kind", 0, ~0ull },
		{ "of a file system", BIT(KPF_LRU) | BIT(KPF_MMAP),
		  BIT(KPF_ANON) | BIT(KPF_SWAPBACKED) | BIT(KPF_HUGE) },
		{ "zero page", BIT(KPF_ZERO_PAGE), 0 },
	};
	static const __u64 holes[] = {
		0xa0000, 0xfee00000, 1ull << 45, (1ull << 52) - MEM_PAGE,
		-MEM_PAGE,
	};
	char *mem = mem_map(1);
	struct xroce_mr_reg_phys r;
	__u64 list[2];
	size_t i;

	if (!mem)
		return;
	list[0] = phys_addr(mem);
	r = phys_region(pd, list, 2, 2 * MEM_PAGE);
	for (i = 0; i < ARRAY_SIZE(holes); i++) {
		list[1] = holes[i];
		refused(x, r, -EFAULT, "no memory");
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		list[1] = frame_with(kinds[i].set, kinds[i].clear) * MEM_PAGE;
		if (list[1])
			refused(x, r, -EFAULT, kinds[i].what);
		else
			check(i > 4, "no page that is: %s", kinds[i].what);
	}
	munmap(mem, MEM_PAGE);
}

/* Set the size of the huge page pool, if @n is not negative. Return: its free pages. */
static long huge_pool(int n)
{
	char line[128];
	long nr = -1;
	FILE *f;

	if (n >= 0) {
		f = fopen("/proc/sys/vm/nr_hugepages", "w");
		fprintf(f, "%d", n);
		fclose(f);
	}
	f = fopen("/proc/meminfo", "r");
	if (!f)
		return nr;
	while (fgets(line, sizeof(line), f))
		sscanf(line, "HugePages_Free: %ld", &nr);
	fclose(f);
	return nr;
}

static char *map_huge(int n)
{
	char *p = mmap(NULL, n * MEM_HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE,
		       -1, 0);

	return check(p != MAP_FAILED, "%s", strerror(errno)) ? p : NULL;
}

/*
 * A huge page is not free while it is referenced. Physical and virtual regions each hold a
 * reference of their own, until the last of them is gone.
 */
TEST(phys_held, "R4 R8", "pages are held until the last region over them is gone")
{
	struct xroce *x = live_open();
	struct xroce_mr_reg_phys large, small;
	struct xroce_mr_reg virt;
	__u64 list[3], huge[2];
	struct probe p;
	char *mem;
	__u32 pd;

	if (!x)
		return;
	if (huge_pool(4) < 4) {
		skip("no huge pages available");
		goto out;
	}
	mem = map_huge(2);
	pd = live_pd(x);
	if (!mem || !probe_open(&p, x, pd))
		goto out;
	/* Pages of 2 MiB, and small pages inside them. */
	huge[0] = phys_addr(mem);
	huge[1] = phys_addr(mem + MEM_HUGE);
	large = phys_region(pd, huge, 2, MEM_HUGE + 1);
	large.page_shift = MEM_HUGE_SHIFT;
	large.offset = 4096 + 3;
	list[0] = huge[0] + 9 * MEM_PAGE;
	list[1] = huge[0] + 511 * MEM_PAGE;
	list[2] = huge[0];
	small = phys_region(pd, list, 3, 3 * MEM_PAGE);
	virt = mr_region(pd, mem + MEM_PAGE, MEM_PAGE);
	check(!xroce_mr_reg_phys(x, &large) && !xroce_mr_reg_phys(x, &small) &&
	      !xroce_mr_reg(x, &virt), "MR_REG");
	probe_lands(&p, large.rkey, IOVA, 1000, mem + MEM_PAGE + 3);
	probe_lands(&p, large.rkey, IOVA + MEM_HUGE - 500, 501,
		    mem + MEM_HUGE + MEM_PAGE + 3 - 500);
	probe_lands(&p, small.rkey, IOVA + MEM_PAGE + 8, 1000,
		    mem + 511 * MEM_PAGE + 8);
	munmap(mem, 2 * MEM_HUGE);
	check(huge_pool(-1) == 2, "%ld of 4 free", huge_pool(-1));
	check(!xroce_mr_dereg(x, large.mr), "dereg");
	check(huge_pool(-1) == 3, "%ld of 4 free", huge_pool(-1));
	check(!xroce_mr_dereg(x, virt.mr), "dereg");
	check(!live_pinned(), "%ld pinned", live_pinned());
	check(huge_pool(-1) == 3, "%ld of 4 free, one held by small pages",
	      huge_pool(-1));
	check(!probe_write(&p, small.rkey, IOVA, 1000), "what is held");
	check(!xroce_mr_dereg(x, small.mr), "dereg");
	check(huge_pool(-1) == 4, "%ld of 4 free", huge_pool(-1));

	/*
	 * The virtual region last. A failed registration releases the pages that it has
	 * already taken.
	 */
	mem = map_huge(1);
	list[0] = phys_addr(mem);
	list[1] = 1ull << 45;
	small = phys_region(pd, list, 1, MEM_PAGE);
	virt = mr_region(pd, mem, MEM_HUGE);
	check(!xroce_mr_reg_phys(x, &small) && !xroce_mr_reg(x, &virt),
	      "MR_REG");
	munmap(mem, MEM_HUGE);
	check(!xroce_mr_dereg(x, small.mr), "dereg");
	check(huge_pool(-1) == 3 && live_pinned(), "%ld of 4 free, %ld pinned",
	      huge_pool(-1), live_pinned());
	small = phys_region(pd, list, 2, 2 * MEM_PAGE);
	check(xroce_mr_reg_phys(x, &small) == -EFAULT, "a bad page");
	check(!xroce_mr_dereg(x, virt.mr), "dereg");
	check(huge_pool(-1) == 4, "%ld of 4 free", huge_pool(-1));
	probe_close(&p);
out:
	live_close(x);
	huge_pool(0);
}

/* A small page that is no longer mapped is not reused while a region holds it. */
PD_TEST(phys_not_reused, "R4 R8", "unmapped pages are not reused")
{
	const size_t size = 64 << 20;
	char *mem = mem_map(1), *others;
	struct xroce_mr_reg_phys r;
	__u64 list[1], pfn;
	struct probe p;
	size_t i;

	if (!mem)
		return;
	if (!probe_open(&p, x, pd))
		return;
	pfn = mem_pfn(mem);
	list[0] = pfn * MEM_PAGE;
	r = phys_region(pd, list, 1, MEM_PAGE);
	check(!xroce_mr_reg_phys(x, &r), "MR_REG_PHYS");
	munmap(mem, MEM_PAGE);
	others = mem_map(size / MEM_PAGE);
	for (i = 0; i < size; i += MEM_PAGE)
		if (!check(mem_pfn(others + i) != pfn, "page %zu was reused", i))
			break;
	check(!probe_write(&p, r.rkey, IOVA, 1000), "WRITE");
	for (i = 0; i < size; i += 8)
		if (!check(!*(__u64 *)(others + i), "byte %zu written", i))
			break;
	munmap(others, size);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	probe_close(&p);
}

TEST_MAIN(live_main);
