// SPDX-License-Identifier: GPL-2.0-only
/* Memory regions: kinds of memory, pinning and accounting. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_mr.h"
#include "mem.h"

#define LW	XROCE_ACCESS_LOCAL_WRITE
#define RR	XROCE_ACCESS_REMOTE_READ

/*
 * A huge page, whole or in part, is one table entry. It is pinned once if the region has at
 * least as many pages as a huge page, else page by page. Each of its pages counts for
 * RLIMIT_MEMLOCK.
 */
static void huge_parts(struct xroce *x, char *huge, unsigned int pages)
{
	__u64 length = pages * MEM_HUGE;
	struct xroce_mr_query q;
	struct xroce_mr_reg r;
	__u32 pd = live_pd(x);

	r = mr_region(pd, huge, length);
	check(!xroce_mr_reg(x, &r), "MR_REG of all");
	q = mr_check_blocks(x, r.mr, huge);
	check(q.page_shift >= MEM_HUGE_SHIFT && q.pages <= pages,
	      "%llu entries of 2^%u", q.pages, q.page_shift);
	check(live_pinned() == pages && live_vmpin() == pages * 2048l,
	      "%ld pinned, VmPin %ld", live_pinned(), live_vmpin());
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check(!live_pinned(), "%ld pages pinned", live_pinned());

	r = mr_region(pd, huge + 5001, length - 9999);
	check(!xroce_mr_reg(x, &r), "MR_REG of the middle");
	q = mr_check_blocks(x, r.mr, huge + 5001);
	check(q.page_shift >= MEM_HUGE_SHIFT && q.pages <= pages &&
	      q.offset % MEM_HUGE == 5001,
	      "%llu entries of 2^%u, offset %llu", q.pages, q.page_shift,
	      q.offset);
	check(live_pinned() == (pages > 1 ? pages : 510) &&
	      live_vmpin() == (pages * 512l - 2) * 4, "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	check(!xroce_mr_dereg(x, r.mr), "dereg");
}

/* Who may not know physical addresses does not learn the low bits of one from the offset. */
HANDLE_TEST(memory_thp_hidden, "R7 R10", "its offset does not tell where it is")
{
	const __u64 length = MEM_HUGE - 7 * MEM_PAGE;
	char *huge = mem_huge();
	struct xroce_mr_query q;
	struct xroce_mr_reg r;

	if (!huge) {
		skip("no transparent huge page available");
		return;
	}
	r = mr_region(live_pd(x), huge + 3 * MEM_PAGE + 17, length);
	check(!xroce_mr_reg(x, &r), "MR_REG");
	q = (struct xroce_mr_query){ .mr = r.mr };
	check(!xroce_mr_query(x, &q) && q.offset % MEM_HUGE != 17, "offset %llu of 2^%u", q.offset,
	      q.page_shift);
	live_drop_cap(CAP_SYS_ADMIN);
	q = (struct xroce_mr_query){ .mr = r.mr };
	check(!xroce_mr_query(x, &q) && q.offset == 17 &&
	      q.pages == (17 + length + (1ull << q.page_shift) - 1) >> q.page_shift,
	      "offset %llu, %llu of 2^%u", q.offset, q.pages, q.page_shift);
	live_restore_caps();
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	munmap(huge, MEM_HUGE);
}

HANDLE_TEST(memory_thp, "R1 R7", "a transparent huge page is one table entry")
{
	char *huge = mem_huge();

	if (!huge)
		skip("no transparent huge page available");
	else if (x)
		huge_parts(x, huge, 1);
	if (huge)
		munmap(huge, MEM_HUGE);
}

/* The mapping is split, the process forks and writes: the region keeps its pages. */
HANDLE_TEST(memory_thp_split, "R1 R8", "a huge page is split and copied on write")
{
	char *huge = mem_huge();
	struct xroce_mr_reg r;
	int status;
	pid_t pid;

	if (!huge) {
		skip("no transparent huge page available");
		goto out;
	}
	r = mr_region(live_pd(x), huge, MEM_HUGE);
	check(!xroce_mr_reg(x, &r), "MR_REG");
	check(live_pinned() == 1, "%ld pinned", live_pinned());
	check(!mprotect(huge + 5 * MEM_PAGE, MEM_PAGE, PROT_READ), "mprotect");
	pid = fork();
	if (!pid) {
		memset(huge + MEM_HUGE / 2, 7, MEM_PAGE);
		_exit(0);
	}
	memset(huge + MEM_HUGE / 2 + MEM_PAGE, 8, MEM_PAGE);
	waitpid(pid, &status, 0);
	check(!mprotect(huge + 5 * MEM_PAGE, MEM_PAGE, PROT_READ | PROT_WRITE),
	      "mprotect");
	memset(huge, 9, MEM_HUGE);
	mr_check_blocks(x, r.mr, huge);
	munmap(huge + MEM_HUGE / 2, MEM_HUGE / 4);
	check(live_pinned() == 1, "%ld pinned", live_pinned());
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check(!live_pinned() && !live_vmpin(), "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	munmap(huge, MEM_HUGE);
out:
}

/* A huge page with a small page behind or inside it: every page is pinned. */
PD_TEST(memory_thp_and_small, "R1 R8", "huge and small pages in one region")
{
	char *huge = mem_huge(), *behind;
	struct xroce_mr_reg r;

	if (!huge) {
		skip("no transparent huge page available");
		goto out;
	}
	behind = mmap(huge + MEM_HUGE, MEM_PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE,
		      -1, 0);
	r = mr_region(pd, huge, MEM_HUGE + MEM_PAGE);
	check(behind == huge + MEM_HUGE && !xroce_mr_reg(x, &r), "MR_REG");
	check(live_pinned() == 513 && live_vmpin() == 513 * 4,
	      "%ld pinned, VmPin %ld", live_pinned(), live_vmpin());
	mr_check_blocks(x, r.mr, huge);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	munmap(behind, MEM_PAGE);

	/* The last page is read-only: the region is refused, and no pin is left. */
	mprotect(huge + MEM_HUGE - MEM_PAGE, MEM_PAGE, PROT_READ);
	mr_refused(x, mr_region(pd, huge, MEM_HUGE), -EFAULT);
	check(!live_pinned() && !live_vmpin(), "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	munmap(huge, MEM_HUGE);
out:
}

static bool set_huge_pages(int n)
{
	int fd = open("/proc/sys/vm/nr_hugepages", O_RDWR | O_CLOEXEC);
	char text[16];
	ssize_t len;

	dprintf(fd, "%d", n);
	len = pread(fd, text, sizeof(text) - 1, 0);
	close(fd);
	text[len > 0 ? len : 0] = 0;
	return atoi(text) >= n;
}

TEST(memory_hugetlb, "R1 R7", "a hugetlb page is one table entry")
{
	struct xroce *x = live_open();
	char *mem;

	if (!x)
		return;
	if (!set_huge_pages(4)) {
		skip("no huge pages available");
		goto out;
	}
	mem = mmap(NULL, 3 * MEM_HUGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1,
		   0);
	if (check(mem != MAP_FAILED, "%s", strerror(errno)))
		huge_parts(x, mem, 3);
	munmap(mem, 3 * MEM_HUGE);
out:
	live_close(x);
	set_huge_pages(0);
}

/* A region over a file keeps its pages after munmap(). */
static void file(struct xroce *x, int fd, __u64 size, __u64 offset, __u64 length)
{
	struct xroce_mr_reg r = { .access = LW, .length = length };
	char *map;

	if (!check(fd >= 0 && !ftruncate(fd, size), "%s", strerror(errno)))
		return;
	r.pd = live_pd(x);
	check_is(xroce_mr_reg_file(x, fd, offset, &r), 0);
	check(r.length == (length ? length : size - offset), "length %llu",
	      r.length);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_POPULATE, fd, 0);
	check(map != MAP_FAILED, "mmap: %s", strerror(errno));
	mr_check_blocks(x, r.mr, map + offset);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check(!live_pinned(), "%ld pages pinned", live_pinned());
	munmap(map, size);

	r = (struct xroce_mr_reg){ .pd = r.pd, .length = size - offset + 1 };
	check_is(xroce_mr_reg_file(x, fd, offset, &r), -ERANGE, "a byte past the end");
	r.length = 1;
	check_is(xroce_mr_reg_file(x, fd, size, &r), -ERANGE, "behind the end");
}

HANDLE_TEST(memory_files, "R1", "files of memfd and tmpfs")
{
	int fd;

	fd = memfd_create("region", MFD_CLOEXEC);
	file(x, fd, 100000, 0, 0);
	file(x, fd, 100000, 4097, 50001);
	close(fd);
	fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	file(x, fd, 1 << 20, 4095, 0);
	close(fd);
}

TEST(memory_huge_files, "R1", "files of memfd and hugetlbfs with huge pages")
{
	struct xroce *x = live_open();
	int fd;

	if (!x)
		return;
	if (!set_huge_pages(4)) {
		skip("no huge pages available");
	} else {
		fd = memfd_create("region", MFD_CLOEXEC | MFD_HUGETLB);
		file(x, fd, 2 * MEM_HUGE, 0, 0);
		file(x, fd, 2 * MEM_HUGE, MEM_HUGE - 1, 2);
		close(fd);
		fd = open("/dev/hugepages", O_TMPFILE | O_RDWR | O_CLOEXEC,
			  0600);
		file(x, fd, 2 * MEM_HUGE, 4097, 0);
		close(fd);
	}
	live_close(x);
	set_huge_pages(0);
}

/* Memory that the caller may not write can only be registered for reading. */
PD_TEST(memory_protection, "R2",
	"memory that the caller may not write is not registered for writing")
{
	int fd = memfd_create("region", MFD_CLOEXEC), ro;
	char *mem = mem_map(3), *shared;
	struct xroce_mr_reg r;
	char path[64];

	if (!mem)
		return;
	mprotect(mem + MEM_PAGE, MEM_PAGE, PROT_READ);
	r = mr_region(pd, mem, 3 * MEM_PAGE);
	mr_refused(x, r, -EFAULT);
	check(!live_pinned(), "%ld pages left pinned", live_pinned());
	r.access = RR;
	mr_accepted(x, r);
	r.access = 0;
	mr_accepted(x, r);
	mprotect(mem + MEM_PAGE, MEM_PAGE, PROT_NONE);
	mr_refused(x, r, -EFAULT);
	mprotect(mem + MEM_PAGE, MEM_PAGE, PROT_READ | PROT_WRITE);
	r.access = LW;
	mr_accepted(x, r);
	munmap(mem, 3 * MEM_PAGE);

	check(!ftruncate(fd, MEM_PAGE), "ftruncate");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ro = open(path, O_RDONLY | O_CLOEXEC);
	shared = mmap(NULL, MEM_PAGE, PROT_READ, MAP_SHARED, ro, 0);
	mr_refused(x, mr_region(pd, shared, MEM_PAGE), -EFAULT);
	r = mr_region(pd, shared, MEM_PAGE);
	r.access = RR;
	mr_accepted(x, r);
	r = mr_region(pd, NULL, MEM_PAGE);
	check(xroce_mr_reg_file(x, ro, 0, &r) == -EACCES, "read-only file");
	r.access = RR;
	check(!xroce_mr_reg_file(x, ro, 0, &r), "read-only file, for reading");
	munmap(shared, MEM_PAGE);
	close(ro);
	close(fd);
}

PD_TEST(memory_hole, "R1", "a hole in the mapping: all pages are pinned, or none")
{
	long before = live_vmpin();
	char *mem = mem_map(1300);

	if (!mem)
		return;
	mr_accepted(x, mr_region(pd, mem, 1300 * MEM_PAGE));
	munmap(mem + 1200 * MEM_PAGE, MEM_PAGE);
	mr_refused(x, mr_region(pd, mem, 1300 * MEM_PAGE), -EFAULT);
	check(!live_pinned(), "%ld pages left pinned", live_pinned());
	check(live_vmpin() == before, "VmPin %ld", live_vmpin());
	mr_accepted(x, mr_region(pd, mem, 1200 * MEM_PAGE));
	mr_refused(x, mr_region(pd, mem + 1200 * MEM_PAGE, 1), -EFAULT);
	mr_accepted(x, mr_region(pd, mem + 1201 * MEM_PAGE, 99 * MEM_PAGE));
	munmap(mem, 1300 * MEM_PAGE);
}

/* A refusal by RLIMIT_MEMLOCK has a count of its own, and no other moves. */
static void memlock_refused(struct xroce *x, struct xroce_mr_reg r)
{
	struct xroce_limit_query was = { .link = xroce_link(x) }, is = was;
	int of;

	check(!xroce_limit_query(&was), "LIMIT_QUERY");
	mr_refused(x, r, -ENOMEM);
	check(!xroce_limit_query(&is), "LIMIT_QUERY");
	for (of = 0; of < XROCE_REFUSED; of++)
		check(is.refused[of] - was.refused[of] == (of == XROCE_COUNT_MEMLOCK),
		      "refused[%d]: %llu, then %llu", of, was.refused[of], is.refused[of]);
}

/* RLIMIT_MEMLOCK of sixteen pages, without CAP_IPC_LOCK, in one region or in several. */
TEST(memory_limit, "R1", "RLIMIT_MEMLOCK is respected")
{
	struct rlimit old, limit;
	struct xroce *x = live_open();
	char *mem = mem_map(20);
	struct xroce_mr_reg a, b;
	__u32 pd;

	if (!x || !mem)
		return;
	pd = live_pd(x);
	getrlimit(RLIMIT_MEMLOCK, &old);
	limit = (struct rlimit){ 16 * MEM_PAGE + 100, old.rlim_max };
	check(!setrlimit(RLIMIT_MEMLOCK, &limit), "%s", strerror(errno));
	live_drop_cap(CAP_IPC_LOCK);

	memlock_refused(x, mr_region(pd, mem, 17 * MEM_PAGE));
	memlock_refused(x, mr_region(pd, mem + 1, 16 * MEM_PAGE));
	check(!live_vmpin() && !live_pinned(), "VmPin %ld, %ld pinned",
	      live_vmpin(), live_pinned());
	mr_accepted(x, mr_region(pd, mem, 16 * MEM_PAGE));
	a = mr_region(pd, mem, 8 * MEM_PAGE);
	check(!xroce_mr_reg(x, &a), "8 pages");
	/* The same pages count again. */
	b = mr_region(pd, mem, 8 * MEM_PAGE);
	check(!xroce_mr_reg(x, &b), "8 pages more");
	check(live_vmpin() == 64, "VmPin %ld", live_vmpin());
	memlock_refused(x, mr_region(pd, mem, 1));
	check(live_vmpin() == 64, "VmPin %ld", live_vmpin());
	check(!xroce_mr_dereg(x, a.mr), "dereg");
	check(live_vmpin() == 32, "VmPin %ld", live_vmpin());
	memlock_refused(x, mr_region(pd, mem, 9 * MEM_PAGE));
	mr_accepted(x, mr_region(pd, mem, 8 * MEM_PAGE));
	live_restore_caps();
	mr_accepted(x, mr_region(pd, mem, 20 * MEM_PAGE));

	setrlimit(RLIMIT_MEMLOCK, &old);
	xroce_close(x);
	check(!live_vmpin(), "VmPin %ld after close", live_vmpin());
	live_check_idle(LIVE_DEV);
	munmap(mem, 20 * MEM_PAGE);
}

PD_TEST(memory_overlap, "R8", "overlapping regions pin separately")
{
	char *mem = mem_map(8);
	struct xroce_mr_reg a, b, c;
	uint64_t pfn;

	if (!mem)
		return;
	a = mr_region(pd, mem, 6 * MEM_PAGE);
	b = mr_region(pd, mem + 4 * MEM_PAGE, 4 * MEM_PAGE);
	c = mr_region(live_pd(x), mem + 5 * MEM_PAGE, 1);
	check(!xroce_mr_reg(x, &a) && !xroce_mr_reg(x, &b) &&
	      !xroce_mr_reg(x, &c), "MR_REG");
	check(live_pinned() == 11, "%ld pages pinned, not 6 + 4 + 1",
	      live_pinned());
	check(!xroce_mr_dereg(x, a.mr), "dereg");
	check(live_pinned() == 5, "%ld pages pinned, not 4 + 1", live_pinned());
	mr_check_blocks(x, b.mr, mem + 4 * MEM_PAGE);
	mr_check_blocks(x, c.mr, mem + 5 * MEM_PAGE);
	check(!xroce_mr_dereg(x, b.mr), "dereg");
	check(live_pinned() == 1, "%ld pages pinned, not 1", live_pinned());

	/* The last region holds a page that is no longer mapped. */
	pfn = mem_pfn(mem + 5 * MEM_PAGE);
	munmap(mem, 8 * MEM_PAGE);
	check(pfn && live_pinned() == 1, "%ld pages pinned after munmap",
	      live_pinned());
	check(!xroce_mr_dereg(x, c.mr), "dereg");
	check(!live_pinned(), "%ld pages pinned", live_pinned());
}

/* The same, for regions over a huge page and parts of it. */
PD_TEST(memory_huge_overlap, "R8", "overlapping regions over a huge page pin separately")
{
	struct xroce_mr_reg a, b, c;
	char *huge = mem_huge();

	if (!huge) {
		skip("no transparent huge page available");
		goto out;
	}
	a = b = mr_region(pd, huge, MEM_HUGE);
	c = mr_region(pd, huge + 3 * MEM_PAGE, 4 * MEM_PAGE);
	check(!xroce_mr_reg(x, &a) && !xroce_mr_reg(x, &b) &&
	      !xroce_mr_reg(x, &c), "MR_REG");
	check(live_pinned() == 6 && live_vmpin() == 4 * (512 + 512 + 4),
	      "%ld pinned, VmPin %ld", live_pinned(), live_vmpin());
	munmap(huge, MEM_HUGE);
	check(!xroce_mr_dereg(x, a.mr), "dereg");
	check(live_pinned() == 5, "%ld pinned", live_pinned());
	check(!xroce_mr_dereg(x, c.mr), "dereg");
	check(live_pinned() == 1, "%ld pinned", live_pinned());
	check(!xroce_mr_dereg(x, b.mr), "dereg");
	check(!live_pinned() && !live_vmpin(), "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
out:
}

TEST_MAIN(live_main_no_packets);
