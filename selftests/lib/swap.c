// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/sysinfo.h>

#include "harness.h"
#include "mem.h"
#include "swap.h"

#define DEVICE		"/dev/zram0"
#define PAGEMAP_SWAP	(1ull << 62)
#define ROUNDS		20

bool swap_on(void)
{
	if (system("modprobe zram && echo 1 >/sys/block/zram0/reset && "
		   "echo 256M >/sys/block/zram0/disksize && "
		   "mkswap " DEVICE " >/dev/null"))
		return false;
	return check(!swapon(DEVICE, 0), "swapon: %s", strerror(errno));
}

void swap_off(void)
{
	check(!swapoff(DEVICE), "swapoff: %s", strerror(errno));
	check(!system("echo 1 >/sys/block/zram0/reset"), "reset");
}

bool swap_has(const void *addr)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;
	ssize_t n;

	n = pread(fd, &entry, sizeof(entry),
		  (uintptr_t)addr / MEM_PAGE * sizeof(entry));
	close(fd);
	return n == sizeof(entry) && entry & PAGEMAP_SWAP;
}

size_t swap_used(void)
{
	struct sysinfo info = {};

	sysinfo(&info);
	return (info.totalswap - info.freeswap) * info.mem_unit / MEM_PAGE;
}

size_t swap_out(void *addr, size_t pages)
{
	size_t i, n = 0;
	int round;

	for (round = 0; round < ROUNDS && n < pages; round++) {
		/* Compaction empties the per-CPU lists, whose pages cannot be paged out. */
		if (round && system("echo 1 >/proc/sys/vm/compact_memory"))
			break;
		madvise(addr, pages * MEM_PAGE, MADV_PAGEOUT);
		for (i = n = 0; i < pages; i++)
			n += !mem_pfn((char *)addr + i * MEM_PAGE);
	}
	return n;
}
