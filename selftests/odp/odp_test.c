// SPDX-License-Identifier: GPL-2.0-only
/* On-demand regions: missing pages are brought in, or the access is refused. */
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "live_mr.h"
#include "mem.h"
#include "odp.h"
#include "on_cpu.h"

static const char zeros[8 * MEM_PAGE];

/* Packets are deferred for so long that none is refused because the host is busy. */
static bool patient_open(struct odp *o, size_t pages)
{
	live_parameter("odp_defer_ms", 60000);
	return odp_open(o, pages);
}

static void patient_close(struct odp *o)
{
	odp_close(o);
	live_parameter("odp_defer_ms", 20);
}

#define PATIENT_TEST(name, ids, about, pages) \
	TEST_OPENED(odp, o, patient_open(&o, pages), patient_close, name, ids, about)

/*
 * Nothing is resident at first, and nothing is ever pinned. A resident page causes no
 * fault.
 */
PATIENT_TEST(odp_cold, "O1 O3 O10", "a WRITE to memory that is not resident", 1024)
{
	struct xroce_mr_query q;
	long pinned;

	pinned = live_pinned();
	check(pinned == WIRE_BYTES / MEM_PAGE, "%ld pages pinned", pinned);
	check(!mem_pfn(o->mem + 8 * MEM_PAGE), "resident before the first access");
	q = odp_query(o);
	check(q.access & XROCE_ACCESS_ON_DEMAND && !q.odp_resident &&
	      !q.odp_faults && q.pages == 1024 && q.page_shift == 12,
	      "access %#x, %llu resident, %llu faults", q.access, q.odp_resident,
	      q.odp_faults);
	ACKED(odp_write(o, 8 * MEM_PAGE, 1000, 0x21));
	check(!o->rnr, "%u RNR NAKs", o->rnr);
	odp_is(o->mem + 8 * MEM_PAGE, 1000, 0x21);
	q = odp_query(o);
	check(q.odp_resident == 1 && q.odp_faults == 1 && q.odp_pages == 1 &&
	      !q.odp_failed && !q.odp_invalidated,
	      "%llu resident, %llu faults, %llu pages, %llu failed, %llu invalidated",
	      q.odp_resident, q.odp_faults, q.odp_pages, q.odp_failed,
	      q.odp_invalidated);
	ACKED(odp_write(o, 8 * MEM_PAGE + 7, 1001, 0x22));
	check(!o->rnr, "RNR NAK for a resident page");
	odp_is(o->mem + 8 * MEM_PAGE + 7, 1001, 0x22);
	check(live_pinned() == pinned, "%ld pages pinned", live_pinned());
}

/* The same for READs: the response is late, but there is no RNR NAK. */
PATIENT_TEST(odp_read, "O3", "READs of memory that is not resident", 16)
{
	static char buf[8 * MEM_PAGE];
	size_t i;

	ACKED(odp_read(o, 3, 64, buf));
	check(!memcmp(buf, zeros, 64), "not zeros");
	ACKED(odp_read(o, 2 * MEM_PAGE, 8 * MEM_PAGE, buf));
	check(!memcmp(buf, zeros, sizeof(buf)), "not zeros");
	for (i = 0; i < 8 * MEM_PAGE; i++)
		o->mem[2 * MEM_PAGE + i] = i * 31 + i / 4096;
	ACKED(odp_read(o, 2 * MEM_PAGE, 8 * MEM_PAGE, buf));
	check(!memcmp(buf, o->mem + 2 * MEM_PAGE, sizeof(buf)), "other bytes");
	check(!o->rnr, "%u RNR NAKs", o->rnr);
}

PATIENT_TEST(odp_atomic, "O3", "atomics on memory that is not resident", 4)
{
	uint64_t *word;

	word = (uint64_t *)(o->mem + MEM_PAGE);
	o->w.req.opcode = XROCE_RC_FETCH_ADD;
	o->w.req.payload = 0;
	o->w.req.va = ODP_IOVA + MEM_PAGE;
	o->w.req.rkey = o->mr.rkey;
	o->w.req.swap = 5;
	ACKED(odp_request(o));
	check(!o->rnr, "%u RNR NAKs", o->rnr);
	ACKED(odp_request(o));
	check(*word == 10, "%llu", (unsigned long long)*word);
}

/* All pages of a packet must be resident before a byte is written. */
PATIENT_TEST(odp_straddle, "O3", "a packet is executed completely or not at all", 4)
{
	munmap(o->mem + 2 * MEM_PAGE, MEM_PAGE);
	ACKED(odp_write(o, MEM_PAGE - 500, 1000, 0x31));
	odp_is(o->mem + MEM_PAGE - 500, 1000, 0x31);
	REFUSED(odp_write(o, 2 * MEM_PAGE - 500, 1000, 0x77));
	check(!memcmp(o->mem + 2 * MEM_PAGE - 500, zeros, 500),
	      "half of it was written");
}

/* Registered over unmapped memory: accesses are refused until it is mapped. */
ODP_TEST(odp_unmapped, "O1 O6", "an access error where nothing is mapped", 8)
{
	struct xroce_mr_query q;
	static char buf[4 * MEM_PAGE];

	munmap(o->mem, o->bytes);
	REFUSED(odp_write(o, 5, 64, 1));
	q = odp_query(o);
	check(q.odp_failed == 1 && !q.odp_faults, "%llu failed, %llu faults",
	      q.odp_failed, q.odp_faults);
	if (!odp_again(o))
		return;
	REFUSED(odp_read(o, 5, 64, buf));
	if (!odp_again(o))
		return;
	check(mmap(o->mem, 2 * MEM_PAGE, PROT_READ | PROT_WRITE, MAP_FIXED |
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == o->mem, "mmap");
	ACKED(odp_write(o, 5, 64, 0x51));
	odp_is(o->mem + 5, 64, 0x51);
	/* A response of several packets that ends with a NAK. */
	REFUSED(odp_read(o, 0, 4 * MEM_PAGE, buf));
}

ODP_TEST(odp_readonly, "O7", "rights are those of the mapping", 4)
{
	char buf[64];

	strcpy(o->mem, "content");
	mprotect(o->mem, o->bytes, PROT_READ);
	ACKED(odp_read(o, 0, 64, buf));
	check(!strcmp(buf, "content"), "other bytes");
	REFUSED(odp_write(o, 0, 64, 0x61));
	check(!strcmp(o->mem, "content"), "the page was written");
	if (!odp_again(o))
		return;
	mprotect(o->mem, o->bytes, PROT_READ | PROT_WRITE);
	ACKED(odp_write(o, 0, 64, 0x62));
	odp_is(o->mem, 64, 0x62);
	/* It was writable when it was brought in. */
	mprotect(o->mem, o->bytes, PROT_READ);
	REFUSED(odp_write(o, 0, 64, 0x63));
	odp_is(o->mem, 64, 0x62);
	if (!odp_again(o))
		return;
	mprotect(o->mem, o->bytes, PROT_NONE);
	REFUSED(odp_read(o, 0, 64, buf));
}

/* Pages that the kernel takes away are gone, and new pages are found. */
ODP_TEST(odp_invalidate, "O4 O6 O10", "pages are unmapped, moved, dropped", 8)
{
	struct xroce_mr_query q;
	static char buf[MEM_PAGE];
	char *to;
	int i;

	for (i = 0; i < 8; i++)
		ACKED(odp_write(o, i * MEM_PAGE, 512, 0x70 + i));
	q = odp_query(o);
	check(q.odp_resident == 8, "%llu resident", q.odp_resident);
	madvise(o->mem, 2 * MEM_PAGE, MADV_DONTNEED);
	q = odp_query(o);
	check(q.odp_resident == 6 && q.odp_invalidated == 2,
	      "%llu resident, %llu invalidated", q.odp_resident,
	      q.odp_invalidated);
	ACKED(odp_read(o, MEM_PAGE, 512, buf));
	check(!memcmp(buf, zeros, 512), "not zeros");

	/* mremap() moves the page. */
	to = mmap(NULL, MEM_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(mremap(o->mem + 4 * MEM_PAGE, MEM_PAGE, MEM_PAGE,
		     MREMAP_MAYMOVE | MREMAP_FIXED, to) == to, "mremap");
	odp_is(to, 512, 0x74);
	check(mmap(o->mem + 4 * MEM_PAGE, MEM_PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	      o->mem + 4 * MEM_PAGE, "mmap");
	ACKED(odp_write(o, 4 * MEM_PAGE, 512, 0x44));
	odp_is(to, 512, 0x74);
	odp_is(o->mem + 4 * MEM_PAGE, 512, 0x44);
	munmap(to, MEM_PAGE);

	munmap(o->mem + 5 * MEM_PAGE, MEM_PAGE);
	REFUSED(odp_write(o, 5 * MEM_PAGE, 512, 1));
	q = odp_query(o);
	check(q.odp_resident <= 6, "%llu resident", q.odp_resident);
}

/* A forked child has the old bytes; the region's pages are the parent's. */
ODP_TEST(odp_fork, "O4 O6", "copy on write after a fork", 2)
{
	static char buf[64];
	int pipes[2][2];
	pid_t pid;
	char c;

	if (pipe(pipes[0]) || pipe(pipes[1]))
		return;
	ACKED(odp_write(o, 0, 64, 0x11));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(pipes[0][0], &c, 1) != 1)
			_exit(2);
		c = odp_is(o->mem, 64, 0x11) ? 'y' : 'n';
		o->mem[0] = 'c';
		_exit(write(pipes[1][1], &c, 1) != 1);
	}
	ACKED(odp_write(o, 0, 64, 0x12));
	odp_is(o->mem, 64, 0x12);
	check(write(pipes[0][1], "x", 1) == 1 &&
	      read(pipes[1][0], &c, 1) == 1 && c == 'y',
	      "the child sees what was written later");
	waitpid(pid, NULL, 0);
	ACKED(odp_read(o, 0, 64, buf));
	odp_is(buf, 64, 0x12);
	close(pipes[0][0]);
	close(pipes[0][1]);
	close(pipes[1][0]);
	close(pipes[1][1]);
}

/* A page with MADV_FREE is dropped if it is clean. A peer's WRITE must make it dirty. */
TEST(odp_dirty, "O4 O6", "a WRITE makes its page dirty")
{
	cpu_set_t all;
	struct odp o;
	int i;

	/*
	 * MADV_FREE passes over a page that is not in the LRU lists yet. It first
	 * moves there the pages of this CPU's batch only.
	 */
	if (!check(!sched_getaffinity(0, sizeof(all), &all), "%s", strerror(errno)) ||
	    !on_cpu(0, 0) || !odp_open(&o, 4))
		return;
	memset(o.mem, 1, o.bytes);
	madvise(o.mem, o.bytes, MADV_FREE);
	ACKED(odp_write(&o, MEM_PAGE, 512, 0x55));
	/* The page may be in another CPU's LRU batch; compaction drains these. */
	for (i = 0; i < 100 && mem_pfn(o.mem + 2 * MEM_PAGE); i++) {
		if (i && system("echo 1 >/proc/sys/vm/compact_memory"))
			break;
		madvise(o.mem, o.bytes, MADV_PAGEOUT);
	}
	check(!mem_pfn(o.mem + 2 * MEM_PAGE), "nothing was dropped");
	odp_is(o.mem + MEM_PAGE, 512, 0x55);
	odp_close(&o);
	sched_setaffinity(0, sizeof(all), &all);
}

/* Memory that even the kernel has no mapping of. */
TEST(odp_secret, "O4", "secret memory is inaccessible")
{
	int fd = syscall(SYS_memfd_secret, 0);
	char buf[64];
	struct odp o;

	if (fd < 0) {
		skip("memfd_secret: %s", strerror(errno));
		return;
	}
	if (!odp_open(&o, 4))
		return;
	check(!ftruncate(fd, o.bytes) &&
	      mmap(o.mem, o.bytes, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_FIXED, fd, 0) == o.mem, "mmap");
	strcpy(o.mem, "secret");
	REFUSED(odp_read(&o, 0, 64, buf));
	close(fd);
	odp_close(&o);
}

/* The process ends; its region stays, but all accesses are refused. */
ODP_TEST(odp_ended, "O4 O6", "the process with the memory ends", 4)
{
	pid_t pid;

	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	odp_register_of(o, pid);
	ACKED(odp_write(o, 0, 64, 0x13));
	check(!o->mem[0], "the parent's memory was written");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	REFUSED(odp_write(o, 0, 64, 0x14));
	check(live_wait(odp_empty, o), "%llu pages resident",
	      odp_query(o).odp_resident);
	check(!xroce_mr_dereg(o->w.x, o->mr.mr), "dereg");
}

/* Which regions can be registered, and what they count as. */
HANDLE_TEST(odp_reg, "O1 O9", "registration pins nothing")
{
	const struct rlimit small = { 16 * MEM_PAGE, 16 * MEM_PAGE };
	struct rlimit before;
	struct xroce_mr_reg r;
	char *mem;

	/* More than the machine's memory, and nothing is mapped there. */
	mem = mmap(NULL, 64ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
		   MAP_NORESERVE, -1, 0);
	munmap(mem, 64ul << 30);
	r = mr_region(live_pd(x), mem, 64ul << 30);
	r.access |= XROCE_ACCESS_ON_DEMAND;
	check(!xroce_mr_reg(x, &r), "64 GiB");
	check(!live_pinned(), "%ld pages pinned", live_pinned());
	check(live_vmpin() == (64 << 20) / 512, "VmPin %ld", live_vmpin());
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check(!live_vmpin(), "VmPin %ld", live_vmpin());

	getrlimit(RLIMIT_MEMLOCK, &before);
	setrlimit(RLIMIT_MEMLOCK, &small);
	live_drop_cap(CAP_IPC_LOCK);
	r.length = 16 * 512 * MEM_PAGE;
	mr_accepted(x, r);
	r.length++;
	mr_refused(x, r, -ENOMEM);
	live_restore_caps();
	setrlimit(RLIMIT_MEMLOCK, &before);

	r.length = 1ull << 62;
	mr_refused(x, r, -EFAULT);
	r.length = 0;
	mr_refused(x, r, -EINVAL);
}

TEST_MAIN(live_main);
