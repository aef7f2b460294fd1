// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-demand memory under traffic: while a peer writes and reads, another thread makes the
 * kernel take pages away and move them, in ways that keep their bytes. A model of the
 * memory tells what each READ must find.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>

#include "live_mr.h"
#include "mem.h"
#include "odp.h"
#include "rng.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

#define PAGES		1024u
#define OPS		3000u
#define SLOT		64u	/* bytes that a peer writes at a time */

static struct odp odp;
static atomic_bool stop;
static bool swap;
/* The pattern that was written to each slot last; 0: none. */
static uint8_t model[PAGES * MEM_PAGE / SLOT];

enum { OUT, PROTECT, COMPACT, HUGE, SMALL, FORK, COLD, KINDS };
static const char *const kind_names[KINDS] = {
	"paged out", "protected", "compacted", "made huge", "made small",
	"forked", "made cold",
};
static unsigned int done[KINDS];

static void tell(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, word, strlen(word)) < 0)
		note("%s: cannot be written", path);
	close(fd);
}

/* The random numbers of the second thread. */
static uint32_t below(unsigned int *seed, uint32_t n)
{
	return (uint32_t)rand_r(seed) % n;
}

static void upset(unsigned int *seed)
{
	size_t first = below(seed, PAGES), n = 1 + below(seed, 64);
	char *at = odp.mem + first * MEM_PAGE;
	size_t len = (first + n > PAGES ? PAGES - first : n) * MEM_PAGE;
	char *huge = odp.mem + below(seed, PAGES / 512) * MEM_HUGE;
	int kind = below(seed, KINDS);
	pid_t pid;

	/* The expensive ones less often. */
	if ((kind == COMPACT || kind == FORK || kind == PROTECT) && below(seed, 16))
		return;
	switch (kind) {
	case OUT:
		madvise(at, len, MADV_PAGEOUT);
		break;
	case PROTECT:
		/* An access that waits for the page finds its old rights. */
		mprotect(at, len, PROT_READ);
		mprotect(at, len, PROT_READ | PROT_WRITE);
		break;
	case COMPACT:
		tell("/proc/sys/vm/compact_memory", "1");
		break;
	case HUGE:
		madvise(huge, MEM_HUGE, MADV_HUGEPAGE);
		madvise(huge, MEM_HUGE, MADV_COLLAPSE);
		break;
	case SMALL:
		/* mprotect() of one page splits its huge page. */
		madvise(huge, MEM_HUGE, MADV_NOHUGEPAGE);
		mprotect(at, MEM_PAGE, PROT_READ);
		mprotect(at, MEM_PAGE, PROT_READ | PROT_WRITE);
		break;
	case FORK:
		pid = fork();
		if (!pid) {
			memset(odp.mem, 0xee, 16 * MEM_PAGE);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		break;
	case COLD:
		madvise(at, len, MADV_COLD);
		break;
	}
	done[kind]++;
}

static void *upsetter(void *arg)
{
	unsigned int seed = 2;

	(void)arg;
	while (!atomic_load(&stop))
		upset(&seed);
	return NULL;
}

static bool write_slot(void)
{
	size_t slot = rng_below(ARRAY_SIZE(model));
	uint8_t pattern = 1 + rng_below(255);
	int syndrome = odp_write(&odp, slot * SLOT, SLOT, pattern);

	/* Between the two calls of mprotect() a WRITE is refused, and has no effect. */
	if (syndrome == XROCE_SYN_ACK)
		model[slot] = pattern;
	return syndrome == XROCE_SYN_ACK;
}

static bool is_slot(const uint8_t *bytes, size_t slot)
{
	static const uint8_t zeros[SLOT];

	if (model[slot])
		return odp_is(bytes, SLOT, model[slot]);
	return check(!memcmp(bytes, zeros, SLOT), "not zeros");
}

static bool read_slot(void)
{
	size_t slot = rng_below(ARRAY_SIZE(model));
	uint8_t buf[SLOT];
	int syndrome = odp_read(&odp, slot * SLOT, SLOT, buf);

	return syndrome == XROCE_SYN_ACK && is_slot(buf, slot);
}

static void swap_on(void)
{
	int fd;

	swap = false;
	if (system("modprobe zram && echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null"))
		return;
	fd = swapon("/dev/zram0", 0);
	swap = !fd;
}

TEST(odp_traffic, "O4 O6", "the kernel takes pages away under traffic")
{
	struct xroce_mr_query q;
	unsigned int i, errors = 0;
	pthread_t thread;
	size_t slot;

	swap_on();
	if (!swap)
		note("no zram: nothing can be paged out");
	if (!odp_open(&odp, PAGES))
		return;
	rng_seed(1);
	memset(model, 0, sizeof(model));
	atomic_store(&stop, false);
	check(!pthread_create(&thread, NULL, upsetter, NULL), "thread");
	for (i = 0; i < OPS && !test_failed(); i++) {
		if (rng_below(2) ? write_slot() : read_slot())
			continue;
		errors++;
		/* The queue pair is in the error state; the memory is unchanged. */
		if (!test_failed() && !odp_again(&odp))
			break;
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	for (slot = 0; slot < ARRAY_SIZE(model) && !test_failed(); slot++)
		is_slot((uint8_t *)odp.mem + slot * SLOT, slot);
	q = odp_query(&odp);
	for (i = 0; i < KINDS; i++)
		note("%s: %u times", kind_names[i], done[i]);
	note("%u operations, %u access errors; since the last one: %llu faults, %llu invalidated",
	     OPS, errors, q.odp_faults, q.odp_invalidated);
	odp_close(&odp);
	if (swap)
		swapoff("/dev/zram0");
}

TEST_MAIN(live_main);
