// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel memory that an implicit on-demand region takes when 1 GiB of it is resident:
 * random pages in ranges of several sizes. Run by bench.sh.
 *
 *   implicit [-o FILE] [GIB]...
 *
 * "parts" are the module's children of 64 pages with their entries; "tree" is the memory of
 * their index, from /proc/slabinfo. For comparison: the kernel's own page tables (VmPTE),
 * and the size of a table over the whole range. "fault" is MR_ADVISE of one page with the
 * kernel's page fault; "dereg" is deregistration, divided by the number of parts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>
#include <sys/mman.h>

#include "clock.h"
#include "harness.h"
#include "libxroce.h"
#include "responder.h"

#define PAGE	4096ull
#define PAGES	(1u << 18)	/* 1 GiB */
#define GIB	(1ull << 30)

static const unsigned long ranges[] = { 1, 4, 16, 64, 1024 };

/* Cost for a range. */
struct cost {
	uint64_t pages;
	uint64_t parts;
	uint64_t bytes;
	uint64_t tree;
	uint64_t tables;
	double fault;
	double dereg;
};

static struct xroce *x;
static uint32_t pd;

static bool fail(const char *what, int err)
{
	fprintf(stderr, "bench: xroce: %s: %s\n", what, strerror(err));
	return false;
}

static bool open_xroce(void)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };
	int err;

	if (xroce_attach(RESPONDER_DEV, &opts)) {
		fprintf(stderr, "bench: xroce: attach: %s\n", opts.error);
		return false;
	}
	x = xroce_open(RESPONDER_DEV);
	if (!x)
		return fail("open", errno);
	err = xroce_pd_add(x, 0, &pd);
	return !err || fail("protection domain", -err);
}

/* Return: the number (or product of two) after @word at the start of a line of a file. */
static uint64_t look(const char *path, const char *word, const char *format)
{
	FILE *f = fopen(path, "re");
	unsigned long long a = 0, b = 1;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, word, strlen(word)) &&
		    // cppcheck-suppress wrongPrintfScanfArgNum
		    sscanf(line + strlen(word), format, &a, &b) >= 1)
			break;
	if (f)
		fclose(f);
	return a * b;
}

/* Return: bytes of the nodes of all trees in the kernel. */
static uint64_t nodes(void)
{
	return look("/proc/slabinfo", "radix_tree_node", "%llu %*u %llu");
}

static uint64_t page_tables(void)
{
	return look("/proc/self/status", "VmPTE:", "%llu") * 1024;
}

/* Return: element @i of a random permutation of the numbers below @n. */
static uint64_t nth(uint64_t i, uint64_t n)
{
	uint64_t bits = 63 - __builtin_clzll(n), half = (bits + 1) / 2;
	uint64_t left, right, mask = (1ull << half) - 1, t;
	int round;

	/* A Feistel network over a power of two, repeated until the result is below @n. */
	do {
		left = i >> half;
		right = i & mask;
		for (round = 0; round < 4; round++) {
			t = left ^ (((right + round) * 0x9e3779b97f4a7c15ull >> 29) &
				    mask);
			left = right;
			right = t;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

static bool measure(uint8_t *memory, uint64_t range, struct cost *c)
{
	struct xroce_mr_reg r = {
		.pd = pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE |
			  XROCE_ACCESS_ON_DEMAND,
		.length = XROCE_LENGTH_ALL,
	};
	struct xroce_mr_advise a = {
		.advice = XROCE_ADVISE_PREFETCH_WRITE,
		.length = 1,
	};
	struct xroce_mr_query q = {};
	uint64_t i, n = range / PAGE, base, tree, tables;
	double t;
	int err;

	err = xroce_mr_reg(x, &r);
	if (err)
		return fail("register", -err);
	a.mr = q.mr = r.mr;
	err = xroce_mr_query(x, &q);
	base = q.odp_bytes;
	tree = nodes();
	tables = page_tables();
	t = clock_raw_ns();
	for (i = 0; i < PAGES && !err; i++) {
		a.iova = (uintptr_t)memory + nth(i, n) * PAGE;
		err = xroce_mr_advise(x, &a);
	}
	c->fault = (clock_raw_ns() - t) / PAGES;
	if (err)
		return fail("advise", -err);
	c->tree = nodes() - tree;
	c->tables = page_tables() - tables;
	err = xroce_mr_query(x, &q);
	if (err)
		return fail("query", -err);
	c->pages = q.odp_resident;
	c->parts = q.odp_children;
	c->bytes = q.odp_bytes - base;
	t = clock_raw_ns();
	err = xroce_mr_dereg(x, r.mr);
	c->dereg = (clock_raw_ns() - t) / c->parts;
	return !err || fail("deregister", -err);
}

static void report(json_object *all, unsigned long gib, const struct cost *c)
{
	json_object *o = json_object_new_object();

	printf("%-9lu %9llu %9llu %12llu %12llu %9.2f %13llu %13llu %9.0f %9.0f\n",
	       gib, (unsigned long long)c->pages, (unsigned long long)c->parts,
	       (unsigned long long)c->bytes, (unsigned long long)c->tree,
	       (double)(c->bytes + c->tree) / c->pages,
	       (unsigned long long)c->tables, gib * GIB / PAGE * 8, c->fault,
	       c->dereg);
	fflush(stdout);
	json_object_object_add(o, "gib", json_object_new_int64(gib));
	json_object_object_add(o, "pages", json_object_new_int64(c->pages));
	json_object_object_add(o, "parts", json_object_new_int64(c->parts));
	json_object_object_add(o, "parts_bytes", json_object_new_int64(c->bytes));
	json_object_object_add(o, "tree_bytes", json_object_new_int64(c->tree));
	json_object_object_add(o, "page_tables_bytes",
			       json_object_new_int64(c->tables));
	json_object_object_add(o, "fault", json_object_new_int64(c->fault));
	json_object_object_add(o, "deregister", json_object_new_int64(c->dereg));
	json_object_array_add(all, o);
}

static bool one(json_object *all, unsigned long gib)
{
	uint8_t *memory = mmap(NULL, gib * GIB, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct cost c;
	bool ok;

	if (memory == MAP_FAILED)
		return fail("mmap", errno);
	madvise(memory, gib * GIB, MADV_NOHUGEPAGE);
	ok = measure(memory, gib * GIB, &c);
	if (ok)
		report(all, gib, &c);
	munmap(memory, gib * GIB);
	return ok;
}

static bool chosen(char **words, unsigned long gib)
{
	char **s;

	for (s = words; *s; s++)
		if (strtoul(*s, NULL, 0) == gib)
			return true;
	return s == words;
}

int main(int argc, char **argv)
{
	json_object *all = json_object_new_array();
	char error[XROCE_ERROR_MAX];
	const char *out = NULL;
	size_t i;
	bool ok;
	int opt;

	while ((opt = getopt(argc, argv, "o:")) != -1) {
		if (opt != 'o') {
			fprintf(stderr, "usage: implicit [-o FILE] [GIB]...\n");
			return 2;
		}
		out = optarg;
	}
	ok = open_xroce();
	if (ok)
		printf("%-9s %9s %9s %12s %12s %9s %13s %13s %9s %9s\n", "range GiB",
		       "pages", "parts", "bytes", "tree", "a page", "page tables",
		       "a table", "fault", "dereg");
	for (i = 0; i < ARRAY_SIZE(ranges) && ok; i++)
		if (chosen(argv + optind, ranges[i]))
			ok = one(all, ranges[i]);
	xroce_close(x);
	if (x && xroce_detach(RESPONDER_DEV, 0, error)) {
		fprintf(stderr, "bench: xroce: detach: %s\n", error);
		ok = false;
	}
	if (out && json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY))
		ok = fail(out, errno);
	json_object_put(all);
	return !ok;
}
