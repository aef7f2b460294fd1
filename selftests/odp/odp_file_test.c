// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-demand memory over files that change while a peer writes and reads: the peer's bytes
 * arrive in the file, and bytes removed from the file are gone for the peer. Then memory in
 * swap that only the peer has written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "mem.h"
#include "odp_shadow.h"
#include "swap.h"

#define RW		(PROT_READ | PROT_WRITE)
#define PAGES		128u
#define BYTES		(PAGES * MEM_PAGE)
#define MOST		8u
#define ACCESSES	1500u
#define MOUNT		"/tmp/odp_file_test"

static struct mm_churn churn;
static int file = -1;

static bool enough(void)
{
	return atomic_load(&churn.done) >= 100 && odp_accesses >= ACCESSES;
}

/* Map the file at the region's addresses. */
static bool map_file(int fd)
{
	file = fd;
	return check(fd >= 0 && !ftruncate(fd, BYTES) &&
		     mmap(odp.mem, BYTES, RW, MAP_SHARED | MAP_FIXED, fd, 0) ==
		     odp.mem, "file: %s", strerror(errno));
}

static void churn_by(bool (*change)(unsigned int *seed))
{
	churn = (struct mm_churn){ .change = change };
	odp_shadow_run(&churn, 1, enough);
	note("%u changes, %u of them without effect", churn.done, churn.failed);
	check(odp_query(&odp).odp_invalidated, "nothing was invalidated");
}

/* read(2) returns the bytes of the mapping, which have been compared with the model. */
static void compare_file(int fd)
{
	char *buf = aligned_alloc(MEM_PAGE, BYTES);

	check(pread(fd, buf, BYTES, 0) == (ssize_t)BYTES, "read: %s",
	      strerror(errno));
	check(!memcmp(buf, odp.mem, BYTES), "the file differs from its mapping");
	free(buf);
}

static bool open_memory(void)
{
	return odp_shadow_open(PAGES) &&
	       map_file(memfd_create("odp", MFD_CLOEXEC));
}

static void close_memory(void)
{
	compare_file(file);
	close(file);
	odp_shadow_close();
}

static bool punch(unsigned int *seed)
{
	size_t n = 1 + odp_below(seed, MOST);
	size_t first = odp_below(seed, PAGES - n + 1);
	bool done;

	if (odp_below(seed, 2))
		odp_bring(first, n);
	odp_shadow_begin(first, n, ODP_LOSES, 0);
	done = !fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  first * MEM_PAGE, n * MEM_PAGE);
	odp_shadow_end(first, n, RW);
	usleep(1000 * odp_below(seed, 10));
	return check(done, "fallocate: %s", strerror(errno));
}

TEST(odp_hole, "O4 O6", "holes are punched into the file")
{
	if (!open_memory())
		return;
	churn_by(punch);
	check(!odp_refusals, "%u accesses were refused", odp_refusals);
	close_memory();
}

/*
 * Truncate the file, so that the memory behind its end is inaccessible, and extend it
 * again.
 */
static bool resize(unsigned int *seed)
{
	size_t n = 1 + odp_below(seed, PAGES / 2), first = PAGES - n;
	bool done;

	odp_bring(first, n);
	odp_shadow_begin(first, n, ODP_LOSES, 0);
	done = !ftruncate(file, first * MEM_PAGE);
	odp_shadow_end(first, n, PROT_NONE);
	usleep(1000 * odp_below(seed, 20));
	odp_shadow_begin(first, n, ODP_LOSES, 0);
	done = !ftruncate(file, BYTES) && done;
	odp_shadow_end(first, n, RW);
	usleep(1000 * odp_below(seed, 20));
	return check(done, "ftruncate: %s", strerror(errno));
}

TEST(odp_truncate, "O4 O6", "the file is truncated and extended")
{
	if (!open_memory())
		return;
	churn_by(resize);
	check(odp_refusals, "no access was refused");
	close_memory();
}

static void unmount(void)
{
	check(!umount(MOUNT), "umount: %s", strerror(errno));
	rmdir(MOUNT);
}

/* A file system on a RAM disk. */
static bool mount_disk(void)
{
	if (system("modprobe brd rd_nr=1 rd_size=32768 && modprobe ext4 && "
		   "mkfs.ext4 -q -F /dev/ram0 2>/dev/null"))
		return false;
	mkdir(MOUNT, 0700);
	return check(!mount("/dev/ram0", MOUNT, "ext4", 0, NULL), "mount: %s",
		     strerror(errno));
}

/* Write back to the disk: later writes must make the pages dirty again. */
static bool write_back(unsigned int *seed)
{
	bool done = !msync(odp.mem, BYTES, MS_SYNC);

	if (!odp_below(seed, 4))
		done = !posix_fadvise(file, 0, BYTES, POSIX_FADV_DONTNEED) &&
		       done;
	if (!odp_below(seed, 4))
		madvise(odp.mem, BYTES, MADV_PAGEOUT);
	usleep(1000 * odp_below(seed, 20));
	return check(done, "msync: %s", strerror(errno));
}

TEST(odp_file, "O4 O6", "the file is written back to a disk")
{
	int disk;

	if (!mount_disk()) {
		skip("no RAM disk with ext4");
		return;
	}
	if (odp_shadow_open(PAGES) &&
	    map_file(open(MOUNT "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0600))) {
		check(!fallocate(file, 0, 0, BYTES), "fallocate");
		churn_by(write_back);
		check(!odp_refusals, "%u accesses were refused", odp_refusals);
		check(!fsync(file), "fsync: %s", strerror(errno));
		disk = open(MOUNT "/file", O_RDONLY | O_DIRECT | O_CLOEXEC);
		compare_file(disk);
		close(disk);
		close(file);
		odp_shadow_close();
	}
	unmount();
}

/* Only the peer writes to the memory. */
static void write_all(struct odp *o, uint8_t pattern)
{
	size_t i;

	for (i = 0; i < PAGES && !test_failed(); i++)
		ACKED(odp_write(o, i * MEM_PAGE + 3, 512, pattern + i));
}

static void look_at_all(struct odp *o, uint8_t pattern)
{
	char buf[512];
	size_t i;

	for (i = 0; i < PAGES && !test_failed(); i++) {
		if (i % 3) {
			ACKED(odp_read(o, i * MEM_PAGE + 3, sizeof(buf), buf));
			odp_is(buf, sizeof(buf), pattern + i);
		}
		if (!(i % 2))
			odp_is(o->mem + i * MEM_PAGE + 3, 512, pattern + i);
	}
}

/*
 * Page out, then in for a READ, which leaves the page clean and in swap. A WRITE after that
 * must survive when the page is paged out again.
 */
static void out_and_in(struct odp *o)
{
	size_t i, out;

	for (i = 1; i < 5 && !test_failed(); i++) {
		write_all(o, 50 * i);
		out = swap_out(o->mem, PAGES);
		check(out > PAGES / 2 && swap_used() >= out,
		      "%zu pages paged out, %zu in swap", out, swap_used());
		look_at_all(o, 50 * i);
	}
	note("%llu pages brought in", odp_query(o).odp_pages);
}

static void swapped(bool shared)
{
	if (!swap_on()) {
		skip("no zram");
		return;
	}
	if (odp_open(&odp, PAGES)) {
		if (shared)
			map_file(memfd_create("odp", MFD_CLOEXEC));
		out_and_in(&odp);
		odp_close(&odp);
		if (shared)
			close(file);
	}
	swap_off();
}

TEST(odp_swap, "O4 O6", "the peer's bytes survive in swap") { swapped(false); }

TEST(odp_swap_shared, "O4 O6", "the peer's bytes in shared memory survive in swap")
{
	swapped(true);
}

TEST_MAIN(live_main);
