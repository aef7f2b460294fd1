// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of registering and deregistering memory, compared with rxe. Run by bench.sh.
 *
 *   regions [-o FILE] [SIZE_IN_KIB]...
 *
 * -o writes the table as JSON; the arguments select sizes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <json-c/json.h>
#include <sys/mman.h>

#include "clock.h"
#include "harness.h"
#include "libxroce.h"
#include "median.h"
#include "responder.h"
#include "verbs_device.h"

#define PAGE		4096ull
#define HUGE_PAGE	(2ull << 20)
#define LARGEST		(1ull << 30)
#define WARM_UP		2
#define ROUNDS		5	/* the median is reported */
#define MANY		10000	/* regions at the same time */
#define ACCESS		(XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE | \
			 XROCE_ACCESS_REMOTE_READ)

enum { XROCE, RXE, WHO };

static const uint32_t sizes[] = { 4, 64, 1024, 16384, 262144, 1048576 };

/* Instructions for one size. */
struct cost {
	double reg;
	double dereg;
};

static struct xroce *x;
static uint32_t pd;
static struct ibv_context *ctx;
static struct ibv_pd *ibv_pd;

static bool fail(const char *who, const char *what, int err)
{
	fprintf(stderr, "bench: %s: %s: %s\n", who, what, strerror(err));
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
		return fail("xroce", "open", errno);
	err = xroce_pd_add(x, 0, &pd);
	return !err || fail("xroce", "protection domain", -err);
}

static bool open_rxe(void)
{
	ctx = verbs_device_open(RESPONDER_RXE);
	ibv_pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	return ibv_pd || fail("rxe", RESPONDER_RXE, errno);
}

/* Register and deregister once. Return: false after a message. */
static bool once_xroce(void *memory, uint64_t size, bool huge, struct cost *c)
{
	struct xroce_mr_reg r = {
		.pd = pd,
		.access = ACCESS,
		.addr = (uintptr_t)memory,
		.length = size,
		.iova = (uintptr_t)memory,
	};
	struct xroce_mr_query q = {};
	double a, b;
	int err;

	a = clock_raw_ns();
	err = xroce_mr_reg(x, &r);
	c->reg = clock_raw_ns() - a;
	if (err)
		return fail("xroce", "register", -err);
	q.mr = r.mr;
	err = xroce_mr_query(x, &q);
	if (err || (huge && q.page_shift < 21)) {
		fprintf(stderr, "bench: xroce: no huge pages: query %d, page_shift %u\n",
			err, q.page_shift);
		return false;
	}
	b = clock_raw_ns();
	err = xroce_mr_dereg(x, r.mr);
	c->dereg = clock_raw_ns() - b;
	return !err || fail("xroce", "deregister", -err);
}

static bool once_rxe(void *memory, uint64_t size, struct cost *c)
{
	double a = clock_raw_ns(), b;
	struct ibv_mr *mr;
	int err;

	mr = ibv_reg_mr(ibv_pd, memory, size, ACCESS);
	b = clock_raw_ns();
	c->reg = b - a;
	if (!mr)
		return fail("rxe", "register", errno);
	b = clock_raw_ns();
	err = ibv_dereg_mr(mr);
	c->dereg = clock_raw_ns() - b;
	return !err || fail("rxe", "deregister", err);
}

static bool measure(int who, void *memory, uint64_t size, bool huge,
		    struct cost *median_cost)
{
	double reg[ROUNDS], dereg[ROUNDS];
	struct cost c;
	int i;

	for (i = -WARM_UP; i < ROUNDS; i++) {
		if (who == XROCE ? !once_xroce(memory, size, huge, &c) :
				   !once_rxe(memory, size, &c))
			return false;
		if (i < 0)
			continue;
		reg[i] = c.reg;
		dereg[i] = c.dereg;
	}
	median_cost->reg = median(reg, ROUNDS);
	median_cost->dereg = median(dereg, ROUNDS);
	return true;
}

static json_object *json_cost(const struct cost *c)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "register", json_object_new_int64(c->reg));
	json_object_object_add(o, "deregister",
			       json_object_new_int64(c->dereg));
	return o;
}

static void report(json_object *all, const char *what, uint64_t pages,
		   uint64_t kib, const struct cost cost[WHO])
{
	double own = (cost[XROCE].reg + cost[XROCE].dereg) / pages;
	double rival = (cost[RXE].reg + cost[RXE].dereg) / pages;
	json_object *o = json_object_new_object();

	printf("%-8s %8llu %11.0f %11.0f %10.0f %10.0f %9.1f %9.1f %9.3f\n", what,
	       (unsigned long long)kib, cost[XROCE].reg, cost[RXE].reg,
	       cost[XROCE].dereg, cost[RXE].dereg, own, rival, own / rival);
	fflush(stdout);
	json_object_object_add(o, "pages", json_object_new_string(what));
	json_object_object_add(o, "kib", json_object_new_int64(kib));
	json_object_object_add(o, "xroce", json_cost(&cost[XROCE]));
	json_object_object_add(o, "rxe", json_cost(&cost[RXE]));
	json_object_array_add(all, o);
}

static bool chosen(char **sizes, uint32_t kib)
{
	char **s;

	for (s = sizes; *s; s++)
		if (strtoul(*s, NULL, 0) == kib)
			return true;
	return s == sizes;
}

static void *map(bool huge)
{
	uint8_t *p;

	p = mmap(NULL, LARGEST + HUGE_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	p += -(uintptr_t)p % HUGE_PAGE;
	madvise(p, LARGEST, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return p;
}

/*
 * The last bytes of a large area are measured: the kernel fills its beginning with free pages from
 * here and there, and the rest with pages that are next to each other, which cost less.
 */
static bool sizes_of(bool huge, char **words, json_object *all)
{
	uint8_t *area = map(huge), *memory;
	struct cost cost[WHO];
	uint64_t size;
	size_t i;

	if (!area)
		return fail("memory", "mmap", errno);
	memset(area, 1, LARGEST);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size = sizes[i] * 1024ull;
		if (!chosen(words, sizes[i]) || (huge && size < HUGE_PAGE))
			continue;
		memory = area + LARGEST - size;
		if (!measure(XROCE, memory, size, huge, &cost[XROCE]) ||
		    !measure(RXE, memory, size, huge, &cost[RXE]))
			return false;
		report(all, huge ? "2 MiB" : "4 KiB", size / PAGE, sizes[i],
		       cost);
	}
	munmap(area, LARGEST);
	return true;
}

/* Many regions of one page, all at the same time. */
static bool many(json_object *all)
{
	static struct xroce_mr_reg reg[MANY];
	static struct ibv_mr *mr[MANY];
	struct cost cost[WHO];
	double t[3];
	uint8_t *page = map(false);
	int i, err = 0;

	if (!page)
		return fail("memory", "mmap", errno);
	*page = 1;
	t[0] = clock_raw_ns();
	for (i = 0; i < MANY && !err; i++) {
		reg[i] = (struct xroce_mr_reg){
			.pd = pd,
			.access = ACCESS,
			.addr = (uintptr_t)page,
			.length = PAGE,
		};
		err = xroce_mr_reg(x, &reg[i]);
	}
	t[1] = clock_raw_ns();
	for (i = 0; i < MANY && !err; i++)
		err = xroce_mr_dereg(x, reg[i].mr);
	t[2] = clock_raw_ns();
	if (err)
		return fail("xroce", "many", -err);
	cost[XROCE] = (struct cost){ (t[1] - t[0]) / MANY, (t[2] - t[1]) / MANY };

	t[0] = clock_raw_ns();
	for (i = 0; i < MANY; i++) {
		mr[i] = ibv_reg_mr(ibv_pd, page, PAGE, ACCESS);
		if (!mr[i])
			return fail("rxe", "many", errno);
	}
	t[1] = clock_raw_ns();
	for (i = 0; i < MANY; i++)
		ibv_dereg_mr(mr[i]);
	t[2] = clock_raw_ns();
	cost[RXE] = (struct cost){ (t[1] - t[0]) / MANY, (t[2] - t[1]) / MANY };
	report(all, "10000 of", 1, PAGE / 1024, cost);
	return true;
}

/*
 * Many regions of 2 MiB at the same time, over the same memory of small pages: pinned, and
 * on-demand with everything resident.
 */
static bool many_demand(void)
{
	static struct xroce_mr_reg reg[MANY];
	static const __u32 kind[] = { 0, XROCE_ACCESS_ON_DEMAND };
	struct xroce_mr_advise advise;
	uint8_t *memory = map(false);
	double t[4];
	size_t k;
	int i, err = 0;

	if (!memory)
		return fail("memory", "mmap", errno);
	memset(memory, 1, HUGE_PAGE);
	for (k = 0; k < 2; k++) {
		t[0] = clock_raw_ns();
		for (i = 0; i < MANY && !err; i++) {
			reg[i] = (struct xroce_mr_reg){
				.pd = pd,
				.access = ACCESS | kind[k],
				.addr = (uintptr_t)memory,
				.length = HUGE_PAGE,
			};
			err = xroce_mr_reg(x, &reg[i]);
		}
		t[1] = clock_raw_ns();
		for (i = 0; i < MANY && kind[k] && !err; i++) {
			advise = (struct xroce_mr_advise){
				.mr = reg[i].mr,
				.advice = XROCE_ADVISE_PREFETCH_WRITE,
				.length = HUGE_PAGE,
			};
			err = xroce_mr_advise(x, &advise);
		}
		t[2] = clock_raw_ns();
		for (i = 0; i < MANY && !err; i++)
			err = xroce_mr_dereg(x, reg[i].mr);
		t[3] = clock_raw_ns();
		if (err)
			return fail("xroce", "many on demand", -err);
		printf("10000 of %8llu %s: register %.0f, advise %.0f, deregister %.0f\n",
		       HUGE_PAGE / 1024, kind[k] ? "on demand" : "pinned",
		       (t[1] - t[0]) / MANY, (t[2] - t[1]) / MANY,
		       (t[3] - t[2]) / MANY);
	}
	munmap(memory, LARGEST);
	return true;
}

int main(int argc, char **argv)
{
	json_object *all = json_object_new_array();
	char error[XROCE_ERROR_MAX];
	const char *out = NULL;
	bool ok;
	int opt;

	while ((opt = getopt(argc, argv, "o:")) != -1) {
		if (opt != 'o') {
			fprintf(stderr, "usage: regions [-o FILE] [SIZE_IN_KIB]...\n");
			return 2;
		}
		out = optarg;
	}
	ok = open_xroce() && open_rxe();
	if (ok)
		printf("%-8s %8s %11s %11s %10s %10s %9s %9s %9s\n", "pages",
		       "KiB", "xroce reg", "rxe reg", "x. dereg", "rxe dereg",
		       "x. a page", "rxe", "xroce/rxe");
	ok = ok && sizes_of(false, argv + optind, all) &&
	     sizes_of(true, argv + optind, all) && many(all) && many_demand();
	xroce_close(x);
	if (x && xroce_detach(RESPONDER_DEV, 0, error)) {
		fprintf(stderr, "bench: xroce: detach: %s\n", error);
		ok = false;
	}
	if (out && json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY))
		ok = fail("regions", out, errno);
	json_object_put(all);
	return !ok;
}
