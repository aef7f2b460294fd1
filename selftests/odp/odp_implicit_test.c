// SPDX-License-Identifier: GPL-2.0-only
/* Implicit on-demand regions: a whole address space behind one key. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "live_mr.h"
#include "mem.h"
#include "odp_implicit.h"
#include "rng.h"

static char data[3 * MEM_PAGE];

/*
 * What a query returns, what the region costs when nothing is resident, invalid arguments.
 */
IMPLICIT_TEST(space_reg, "O2", "register an address space; invalid arguments", 1, NULL)
{
	struct xroce_mr_query q;
	struct xroce_mr_reg r;
	__u64 entry;

	q = odp_query(o);
	check(!q.iova && !q.addr && q.length == ~0ull && !q.pages &&
	      q.page_shift == 12 && q.pid == (__u32)getpid(),
	      "iova %#llx, addr %#llx, length %#llx, %llu pages", q.iova, q.addr,
	      q.length, q.pages);
	check(!q.odp_resident && !q.odp_children && q.odp_bytes < 4 * MEM_PAGE,
	      "%llu resident, %llu children, %llu bytes", q.odp_resident, q.odp_children,
	      q.odp_bytes);
	check(live_vmpin() == WIRE_BYTES / 1024, "VmPin %ld", live_vmpin());
	check(xroce_mtt_read(o->w.x, o->mr.mr, 0, &entry, 1) == -ERANGE,
	      "the region has a table");

	r = o->mr;
	r.iova = 1;
	mr_refused(o->w.x, r, -EINVAL);
	r.iova = 4096;
	mr_refused(o->w.x, r, -EINVAL);
	r.iova = 0;
	r.addr = 4096;
	mr_refused(o->w.x, r, -EINVAL);
	r.addr = 0;
	r.length--;
	mr_refused(o->w.x, r, -EFAULT);
	r.length++;
	r.access &= ~XROCE_ACCESS_ON_DEMAND;
	mr_refused(o->w.x, r, -EFAULT);
	r.access |= XROCE_ACCESS_ON_DEMAND;
	mr_accepted(o->w.x, r);
}

/* Heap, stack, data and a file mapping: the virtual address is enough. */
IMPLICIT_TEST(implicit_any, "O2 O3 O7", "one key reaches any address", 4, NULL)
{
	char stack[2 * MEM_PAGE], buf[2 * MEM_PAGE], *heap, *file;
	char *const *at, *const all[] = { stack, data, NULL };
	int fd;

	heap = malloc(2 * MEM_PAGE);
	fd = memfd_create("file", MFD_CLOEXEC);
	check(!ftruncate(fd, 2 * MEM_PAGE), "ftruncate");
	file = mmap(NULL, 2 * MEM_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (at = all; *at && !test_failed(); at++) {
		ACKED(odp_write(o, implicit_at(*at + 3), 1001, 0x21));
		odp_is(*at + 3, 1001, 0x21);
		ACKED(odp_read(o, implicit_at(*at + 3), 1001, buf));
		odp_is(buf, 1001, 0x21);
	}
	ACKED(odp_write(o, implicit_at(heap + 2000), 1024, 0x22));
	odp_is(heap + 2000, 1024, 0x22);
	ACKED(odp_write(o, implicit_at(file + 4090), 12, 0x23));
	odp_is(file + 4090, 12, 0x23);
	check(pread(fd, buf, 12, 4090) == 12 && odp_is(buf, 12, 0x23), "file");
	ACKED(odp_write(o, implicit_at(o->mem + 7), 64, 0x24));
	odp_is(o->mem + 7, 64, 0x24);
	o->rnr = 0;
	ACKED(odp_write(o, implicit_at(o->mem + 7), 64, 0x25));
	check(!o->rnr, "RNR NAK for a resident page");
	/* Code can be read but not written. */
	ACKED(odp_read(o, implicit_at((void *)(uintptr_t)test_implicit_any), 64, buf));
	check(!memcmp(buf, (void *)(uintptr_t)test_implicit_any, 64), "other bytes");
	REFUSED(odp_write(o, implicit_at((void *)(uintptr_t)test_implicit_any), 4, 1));
	munmap(file, 2 * MEM_PAGE);
	close(fd);
	free(heap);
}

/* Unmapped addresses: an access error, and no memory is used for them. */
TEST(implicit_nothing, "O2", "an access error where nothing is mapped")
{
	static const uint64_t never[] = {
		0, 64, 1ull << 46,
		/* Between the libraries and the stack. */
		(1ull << 47) - (64 << 20),
		/* The last page: that of the stack, without random addresses. */
		(1ull << 47) - 8192,
		/* User addresses only with five-level page tables. */
		(1ull << 47) - 4096 - 32, 1ull << 47, 1ull << 52, (1ull << 56) - 8192,
		/* Never user addresses. */
		(1ull << 56) - 4096, 1ull << 63, 0xffff888000000000, -4096ull,
		-65ull,
	};
	struct xroce_mr_query q;
	unsigned char resident;
	char buf[64];
	struct odp o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(never); i++) {
		if (!mincore((void *)never[i], MEM_PAGE, &resident))
			continue;
		if (!implicit_open(&o, 1, NULL))
			return;
		REFUSED(odp_read(&o, implicit_at((void *)never[i]), 64, buf));
		q = odp_query(&o);
		check(q.odp_failed >= (never[i] <= (1ull << 47) - 8192) &&
		      q.odp_failed <= (never[i] < (1ull << 56) - 4096) &&
		      !q.odp_resident, "%#llx: %llu failed, %llu resident",
		      (unsigned long long)never[i], q.odp_failed,
		      q.odp_resident);
		implicit_expect_children(&o, 0);
		odp_close(&o);
		if (test_failed())
			return;
	}
}

/* Memory is mapped and unmapped, while the key stays valid. */
IMPLICIT_TEST(implicit_mapped, "O2 O4 O6", "memory is mapped after registration, and unmapped", 1,
	      NULL)
{
	char buf[64], *mem;

	mem = o->mem;
	munmap(mem, MEM_PAGE);
	REFUSED(odp_write(o, implicit_at(mem), 64, 0x31));
	if (!implicit_again(o))
		return;
	check(mmap(mem, MEM_PAGE, PROT_READ | PROT_WRITE, MAP_FIXED |
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == mem, "mmap");
	ACKED(odp_write(o, implicit_at(mem), 64, 0x32));
	odp_is(mem, 64, 0x32);
	check(odp_query(o).odp_children == 1, "%llu children",
	      odp_query(o).odp_children);
	mprotect(mem, MEM_PAGE, PROT_READ);
	ACKED(odp_read(o, implicit_at(mem), 64, buf));
	odp_is(buf, 64, 0x32);
	munmap(mem, MEM_PAGE);
	implicit_expect_children(o, 0);
	REFUSED(odp_read(o, implicit_at(mem), 64, buf));
}

/*
 * A packet that spans two children, and a READ that spans many. Packets are executed
 * completely or not at all.
 */
TEST(implicit_straddle, "O2 O3", "packets that span two children")
{
	const size_t bytes = 6 * IMPLICIT_CHILD;
	static char buf[60000], zeros[512];
	struct odp o;
	char *edge;
	size_t i;

	if (!implicit_open(&o, bytes / MEM_PAGE, NULL))
		return;
	edge = o.mem + (-(uintptr_t)o.mem & (IMPLICIT_CHILD - 1)) + IMPLICIT_CHILD;
	ACKED(odp_write(&o, implicit_at(edge - 500), 1000, 0x41));
	odp_is(edge - 500, 1000, 0x41);
	check(odp_query(&o).odp_children == 2, "%llu children",
	      odp_query(&o).odp_children);
	ACKED(odp_read(&o, implicit_at(edge - 500), 1000, buf));
	odp_is(buf, 1000, 0x41);

	for (i = 0; i < bytes; i++)
		o.mem[i] = i * 37 + i / 4096;
	madvise(o.mem, bytes, MADV_PAGEOUT);
	for (i = 77; i + sizeof(buf) < bytes && !test_failed(); i += sizeof(buf)) {
		ACKED(odp_read(&o, implicit_at(o.mem + i), sizeof(buf), buf));
		check(!memcmp(buf, o.mem + i, sizeof(buf)), "other bytes");
	}
	check(odp_query(&o).odp_children >= 6, "%llu children",
	      odp_query(&o).odp_children);

	memset(edge + IMPLICIT_CHILD - 512, 0, 512);
	munmap(edge + IMPLICIT_CHILD, MEM_PAGE);
	REFUSED(odp_write(&o, implicit_at(edge + IMPLICIT_CHILD - 500), 1000, 0x77));
	check(!memcmp(edge + IMPLICIT_CHILD - 512, zeros, 512),
	      "half of it was written");
	odp_close(&o);
}

static int advise(struct odp *o, __u32 advice, const void *addr, __u64 length,
		  __u64 *pages)
{
	struct xroce_mr_advise a = {
		.mr = o->mr.mr,
		.advice = advice,
		.iova = (uintptr_t)addr,
		.length = length,
	};
	int ret = xroce_mr_advise(o->w.x, &a);

	*pages = a.pages;
	return ret;
}

/* Children are freed when their pages are gone. */
TEST(implicit_reclaim, "O2 O10", "children without pages are freed")
{
	const size_t parts = 400, bytes = parts * IMPLICIT_CHILD;
	uint64_t empty, one;
	__u64 pages = 0;
	struct xroce_mr_query q;
	struct odp o;
	char *mem;
	size_t i;

	if (!implicit_open(&o, bytes / MEM_PAGE + 64, NULL))
		return;
	empty = implicit_empty_bytes(&o);
	mem = o.mem + (-(uintptr_t)o.mem & (IMPLICIT_CHILD - 1));
	for (i = 0; i < parts; i++)
		mem[i * IMPLICIT_CHILD + (i % 64) * MEM_PAGE] = i;
	check(!advise(&o, XROCE_ADVISE_PREFETCH_NO_FAULT, mem, bytes, &pages) &&
	      pages == parts, "%llu pages", pages);
	implicit_expect_children(&o, parts);
	q = odp_query(&o);
	one = (q.odp_bytes - empty) / parts;
	check(q.odp_resident == parts && one > 512 && one < 768 &&
	      q.odp_bytes == empty + parts * one, "%llu bytes, %llu each",
	      q.odp_bytes, (unsigned long long)one);
	note("%zu children with a page each: %llu bytes each", parts,
	     (unsigned long long)one);

	madvise(mem, bytes / 2, MADV_DONTNEED);
	implicit_expect_children(&o, parts / 2);
	munmap(mem + bytes / 2, bytes / 2);
	implicit_expect_children(&o, 0);
	q = odp_query(&o);
	check(q.odp_bytes == empty && !q.odp_resident &&
	      q.odp_invalidated == parts, "%llu bytes", q.odp_bytes);
	ACKED(odp_write(&o, implicit_at(mem + 5), 64, 0x51));
	odp_is(mem + 5, 64, 0x51);
	check(odp_query(&o).odp_children == 1, "number of children");
	odp_close(&o);
}

/* A mapping much larger than memory, of which few pages are touched. */
IMPLICIT_TEST(implicit_sparse, "O1 O2 O5", "a few pages of a TiB are resident", 1, NULL)
{
	const uint64_t bytes = 1ull << 40;
	const unsigned int touched = 2000;
	struct xroce_mr_query q;
	unsigned int i;
	__u64 pages = 0;
	char *mem;

	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!check(mem != MAP_FAILED, "mmap: %s", strerror(errno)))
		return;
	madvise(mem, bytes, MADV_NOHUGEPAGE);
	rng_seed(7);
	for (i = 0; i < touched && !test_failed(); i++) {
		char *at = mem + ((uint64_t)rng_below(1u << 28) << MEM_PAGE_SHIFT);

		if (i % 8)
			check(!advise(o, XROCE_ADVISE_PREFETCH_WRITE, at,
				      MEM_PAGE, &pages) && pages == 1,
			      "%llu pages", pages);
		else
			ACKED(odp_write(o, implicit_at(at), 64, i));
	}
	q = odp_query(o);
	check(q.odp_resident <= touched && q.odp_resident > touched - 10 &&
	      q.odp_children <= q.odp_resident && q.odp_bytes < touched * 768,
	      "%llu resident, %llu children, %llu bytes", q.odp_resident, q.odp_children,
	      q.odp_bytes);
	note("%llu pages of a TiB: %llu children, %llu bytes", q.odp_resident,
	     q.odp_children, q.odp_bytes);
	/* A range to the end of all addresses, with nothing more to bring in. */
	check(!advise(o, XROCE_ADVISE_PREFETCH_NO_FAULT, mem + bytes - MEM_PAGE,
		      -(uintptr_t)(mem + bytes - MEM_PAGE) - 1, &pages),
	      "prefetch to the end of addresses");
	munmap(mem, bytes);
	q = odp_query(o);
	check(q.odp_resident < touched, "%llu resident", q.odp_resident);
}

TEST_MAIN(live_main);
