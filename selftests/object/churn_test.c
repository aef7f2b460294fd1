// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many regions, and memory that changes while it is being registered.
 *
 * Environment: XROCE_REGIONS is the number of simultaneous regions (100000); XROCE_SEED
 * seeds the random numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_mr.h"
#include "mem.h"
#include "setting.h"

#define REGIONS		100000
#define MPT_ENTRIES	(1u << 17)
#define ROUNDS		400	/* rounds of a race */
#define PATIENCE	(50 * ROUNDS)	/* rounds, if no registration has succeeded yet */
#define PAGES		300	/* pages of memory in a race */

static __u32 seed;

static __u32 draw(__u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (__u64)seed * below >> 32;
}

/*
 * Register a region of a random kind: shared, physical or virtual. @pins: the pages pinned
 * so far, updated.
 */
static int register_some(struct xroce *x, __u32 pd, char *mem, __u32 last,
			 __u32 *mr, long *pins)
{
	struct xroce_mr_reg_shared s = {
		.from = last, .pd = pd, .access = XROCE_ACCESS_LOCAL_WRITE,
	};
	__u32 pages = 1 + draw(3), kind = draw(8);
	struct xroce_mr_reg_phys p = {
		.pd = pd, .npages = 1, .page_shift = MEM_PAGE_SHIFT,
		.length = 1 + draw(MEM_PAGE),
	};
	struct xroce_mr_reg r = mr_region(pd, mem, pages * MEM_PAGE);
	__u64 page;
	int ret;

	if (!kind && last) {
		ret = xroce_mr_reg_shared(x, &s);
		*mr = s.mr;
	} else if (kind == 1) {
		page = mem_pfn(mem) * MEM_PAGE;
		p.pages = (uintptr_t)&page;
		ret = xroce_mr_reg_phys(x, &p);
		*mr = p.mr;
	} else {
		ret = xroce_mr_reg(x, &r);
		*mr = r.mr;
		*pins += pages;
	}
	return ret;
}

/* Deregister them in random order and check that nothing is left. */
TEST(churn_many, "R7 R8 R9", "100,000 regions, deregistered in random order")
{
	__u32 n = setting("XROCE_REGIONS", REGIONS), i, j, *mr, last = 0;
	char *mem = mem_map(3);
	struct xroce_link_query q;
	struct xroce *x = NULL;
	long pins = 0;
	__u32 pd;
	int ret;

	seed = setting("XROCE_SEED", getpid());
	note("%u regions, seed %u", n, seed);
	mr = calloc(n, sizeof(*mr));
	ret = live_attach(LIVE_SPARE, MPT_ENTRIES, LIVE_SPARE_ENTRIES);
	if (!ret)
		x = xroce_open(LIVE_SPARE);
	if (!check(x && mem && mr && n < MPT_ENTRIES, "attach: %d", ret)) {
		free(mr);
		return;
	}
	pd = live_pd(x);
	for (i = 0; i < n; i++) {
		if (!check_is(register_some(x, pd, mem, last, &mr[i], &pins), 0, "region %u", i))
			break;
		last = mr[i];
	}
	check(!xroce_link_find(LIVE_SPARE, &q) && q.mrs == n, "%u regions",
	      q.mrs);
	check(live_pinned() == pins && live_vmpin() == 4 * pins,
	      "%ld pages pinned, VmPin %ld, not %ld pages", live_pinned(),
	      live_vmpin(), pins);
	for (i = n; i > 1; i--) {
		__u32 swap = mr[i - 1];

		j = draw(i);
		mr[i - 1] = mr[j];
		mr[j] = swap;
	}
	for (i = 0; i < n; i++) {
		if (!check_is(xroce_mr_dereg(x, mr[i]), 0, "dereg %u", i))
			break;
	}
	check(!live_pinned() && !live_vmpin(), "%ld pages pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	xroce_close(x);
	live_check_idle(LIVE_SPARE);
	check(!live_detach(LIVE_SPARE, 0), "detach");
	munmap(mem, 3 * MEM_PAGE);
	free(mr);
}

/**
 * struct race - memory that changes while it is registered
 * @mem: PAGES pages of memory
 * @fd: file that @mem maps, or -1
 * @stop: tells the thread that makes the changes to end
 * @changes: changes made so far
 */
struct race {
	char *mem;
	int fd;
	bool stop;
	unsigned long changes;
};

static bool goes_on(struct race *r)
{
	__atomic_fetch_add(&r->changes, 1, __ATOMIC_RELAXED);
	return !__atomic_load_n(&r->stop, __ATOMIC_RELAXED);
}

static void *unmap(void *arg)
{
	struct race *r = arg;

	while (goes_on(r)) {
		munmap(r->mem + 100 * MEM_PAGE, 50 * MEM_PAGE);
		madvise(r->mem, 100 * MEM_PAGE, MADV_DONTNEED);
		mmap(r->mem + 100 * MEM_PAGE, 50 * MEM_PAGE,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return NULL;
}

static void *fork_and_exit(void *arg)
{
	struct race *r = arg;
	pid_t pid;

	while (goes_on(r)) {
		pid = fork();
		if (!pid) {
			memset(r->mem, 3, 20 * MEM_PAGE);
			_exit(0);
		}
		memset(r->mem, 4, 40 * MEM_PAGE);
		waitpid(pid, NULL, 0);
	}
	return NULL;
}

static void *punch(void *arg)
{
	struct race *r = arg;

	while (goes_on(r)) {
		fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  10 * MEM_PAGE, 200 * MEM_PAGE);
		if (ftruncate(r->fd, 250 * MEM_PAGE) ||
		    ftruncate(r->fd, PAGES * MEM_PAGE))
			break;
	}
	return NULL;
}

/*
 * Register again and again while @change runs. Each attempt succeeds or fails with -EFAULT,
 * and no pin is left. Return: the number of successes.
 */
static int race(struct race *r, void *(*change)(void *), pid_t pid)
{
	struct xroce *x = live_open();
	pthread_t thread;
	int i, ret, worked = 0;
	__u32 pd;

	if (!x)
		return 0;
	pd = live_pd(x);
	pthread_create(&thread, NULL, change, r);
	for (i = 0; i < ROUNDS || r->changes < 20 || (!worked && i < PATIENCE); i++) {
		struct xroce_mr_reg reg = mr_region(pd, r->mem + draw(5000),
						    200 * MEM_PAGE);

		reg.flags = pid ? XROCE_F_PID : 0;
		reg.pid = pid;
		ret = xroce_mr_reg(x, &reg);
		worked += !ret;
		if (!check(!ret || ret == -EFAULT, "round %d: %d", i, ret))
			break;
		if (!ret && draw(2))
			ret = xroce_mr_dereg(x, reg.mr);
		/*
		 * Half of the regions stay for some rounds and hold pages that are unmapped
		 * meanwhile.
		 */
		if (i % 16 == 15) {
			xroce_close(x);
			x = live_open();
			if (!x)
				break;
			pd = live_pd(x);
		}
	}
	r->stop = true;
	pthread_join(thread, NULL);
	live_close(x);
	check(!live_vmpin(), "VmPin %ld", live_vmpin());
	note("%d of %d registered, %lu changes", worked, i, r->changes);
	return worked;
}

TEST(churn_munmap, "R1 R8", "registering while the memory is unmapped")
{
	struct race r = { .mem = mem_map(PAGES), .fd = -1 };

	if (!r.mem)
		return;
	check(race(&r, unmap, 0), "nothing was registered");
	munmap(r.mem, PAGES * MEM_PAGE);
}

TEST(churn_fork, "R1 R8", "registering while the process forks")
{
	struct race r = { .mem = mem_map(PAGES), .fd = -1 };

	if (!r.mem)
		return;
	check(race(&r, fork_and_exit, 0) >= ROUNDS, "not all were registered");
	munmap(r.mem, PAGES * MEM_PAGE);
}

TEST(churn_punch, "R1 R8", "registering while holes are punched into the file")
{
	struct race r = { .fd = memfd_create("punched", MFD_CLOEXEC) };

	check(!ftruncate(r.fd, PAGES * MEM_PAGE), "ftruncate");
	r.mem = mmap(NULL, PAGES * MEM_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		     r.fd, 0);
	if (!check(r.mem != MAP_FAILED, "mmap"))
		return;
	check(race(&r, punch, 0), "nothing was registered");
	munmap(r.mem, PAGES * MEM_PAGE);
	close(r.fd);
}

/* Memory of processes that are killed meanwhile. */
TEST(churn_exit, "R1 R8", "registering while the owner of the memory is killed")
{
	struct xroce *x = live_open();
	char *mem = mem_map(PAGES);
	struct xroce_mr_reg reg;
	int i, ret, worked = 0;
	pid_t pid;
	__u32 pd;

	if (!x || !mem)
		return;
	pd = live_pd(x);
	for (i = 0; i < 150; i++) {
		pid = fork();
		if (!pid) {
			usleep(draw(2) ? 1 : 2000);
			_exit(0);
		}
		reg = mr_region(pd, mem, PAGES * MEM_PAGE);
		reg.flags = XROCE_F_PID;
		reg.pid = pid;
		if (i & 1)
			kill(pid, SIGKILL);
		ret = xroce_mr_reg(x, &reg);
		worked += !ret;
		check(!ret || ret == -ESRCH || ret == -EFAULT, "round %d: %d", i,
		      ret);
		waitpid(pid, NULL, 0);
		if (!ret && i & 2)
			check(!xroce_mr_dereg(x, reg.mr), "dereg");
	}
	note("%d of %d registered", worked, i);
	check(worked, "nothing was registered");
	live_close(x);
	munmap(mem, PAGES * MEM_PAGE);
}

static void sparse_part(struct xroce *x, __u32 pd, int fd, __u64 offset,
			__u64 length)
{
	struct xroce_mr_reg r = mr_region(pd, NULL, length);
	int ret = xroce_mr_reg_file(x, fd, offset, &r);
	long pages = (offset % MEM_PAGE + length + MEM_PAGE - 1) / MEM_PAGE;

	check(!ret && live_pinned() == pages, "%llu bytes at %llu: %d, %ld pinned",
	      length, offset, ret, live_pinned());
	if (!ret)
		check(!xroce_mr_dereg(x, r.mr), "dereg");
}

/*
 * A sparse file of more than 4 GiB on a file system of 16 MiB: small parts can be
 * registered at any offset. Registering all of it fails, and nothing stays pinned.
 */
TEST(churn_sparse, "R1", "parts of a sparse file of 4 GiB can be registered, all of it cannot")
{
	const __u64 size = (4ull << 30) + 12345;
	char dir[] = "/tmp/sparse-XXXXXX", path[64];
	struct xroce *x = live_open();
	struct xroce_mr_reg r;
	__u32 pd;
	int fd;

	if (!x || !mkdtemp(dir))
		return;
	check(!mount("sparse", dir, "tmpfs", 0, "size=16m"), "mount: %s",
	      strerror(errno));
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	check(!ftruncate(fd, size), "ftruncate: %s", strerror(errno));
	pd = live_pd(x);
	sparse_part(x, pd, fd, 0, 1);
	sparse_part(x, pd, fd, size - 1, 1);
	sparse_part(x, pd, fd, (1ull << 32) - 1, 2);
	sparse_part(x, pd, fd, (1ull << 32) - 100001, 112344);
	sparse_part(x, pd, fd, (2ull << 30) - MEM_PAGE, 2 * MEM_PAGE);
	r = mr_region(pd, NULL, 0);
	check_is(xroce_mr_reg_file(x, fd, 0, &r), -EFAULT, "the whole file");
	check(!live_pinned() && !live_vmpin(), "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	close(fd);
	live_close(x);
	umount(dir);
	rmdir(dir);
}

TEST_MAIN(live_main_no_packets);
