// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of freeing a table and allocating another while many are live: by the pool, the list
 * and the kernel's genalloc. bench/pool.sh loads this on a machine where a nanosecond is
 * one instruction, and reads the parameter "result".
 *
 * Tables have 1 to 128 entries, in the last row up to 32,768, with short and long ones
 * equally frequent. First more tables are allocated than shall live, and the surplus is
 * freed at random places. In the last row there is no surplus, but six exchanges for each
 * table, to show how much memory is taken. Then some exchanges warm up and 2,000 are
 * measured. All allocators get the same random numbers; the cost of drawing them is
 * subtracted.
 */
#include <linux/bitops.h>
#include <linux/genalloc.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>

#include "list.h"
#include "pool.h"

#define EXTENTS		24
#define LIVE_MAX	100000
#define MORE_MAX	50000
#define EXCHANGES	2000

static const struct row {
	u32 live;
	u32 more;
	u32 longest;
	u32 warm_up;
} rows[] = {
	{ 10, 5, 128, 500 },
	{ 1000, 500, 128, 500 },
	{ LIVE_MAX, MORE_MAX, 128, 500 },
	{ 3000, 0, 32768, 18000 },
};

struct table {
	u64 *entry;
	u32 at;
	u32 count;
};

static char result[1024];
module_param_string(result, result, sizeof(result), 0444);
MODULE_PARM_DESC(result, "out: a line a row");

static u64 *extents[EXTENTS];
/* Extents in use; all allocators grow as the pool does. */
static int used;
static struct table *tables;
static struct rnd_state random;
static DEFINE_SPINLOCK(lock);

/* --- The pool, with the lock that the module takes around it. */

static struct xr_pool pool;
static u64 *pool_extents[EXTENTS];

static void pool_add(u64 *extent)
{
	if (!used)
		memset(&pool, 0, sizeof(pool));
	pool.extent = pool_extents;
	pool.room = EXTENTS;
	xr_pool_add(&pool, used, extent);
}

static bool pool_alloc(struct table *t)
{
	spin_lock(&lock);
	t->at = xr_pool_alloc(&pool, t->count);
	if (t->at != XR_POOL_RUN_NONE)
		t->entry = xr_pool_at(&pool, t->at);
	spin_unlock(&lock);
	return t->at != XR_POOL_RUN_NONE;
}

static void pool_free(const struct table *t)
{
	spin_lock(&lock);
	xr_pool_free(&pool, t->at, t->count);
	spin_unlock(&lock);
}

/* --- The list, first fit and best fit. */

static struct piece *list;

static void list_add_extent(u64 *extent)
{
	if (!used)
		list = NULL;
	spin_lock(&lock);
	list_free(&list, extent, XR_EXTENT_ENTRIES);
	spin_unlock(&lock);
}

static bool first_alloc(struct table *t)
{
	spin_lock(&lock);
	t->entry = list_alloc(&list, t->count, false);
	spin_unlock(&lock);
	return t->entry;
}

static bool best_alloc(struct table *t)
{
	spin_lock(&lock);
	t->entry = list_alloc(&list, t->count, true);
	spin_unlock(&lock);
	return t->entry;
}

static void first_free(const struct table *t)
{
	spin_lock(&lock);
	list_free(&list, t->entry, t->count);
	spin_unlock(&lock);
}

/* --- The kernel's genalloc; it has no lock. */

static struct gen_pool *gen;

static void gen_add(u64 *extent)
{
	if (!used)
		gen = gen_pool_create(ilog2(sizeof(u64)), NUMA_NO_NODE);
	if (gen)
		gen_pool_add(gen, (unsigned long)extent, XR_EXTENT_BYTES,
			     NUMA_NO_NODE);
}

static bool gen_alloc(struct table *t)
{
	t->entry = (u64 *)gen_pool_alloc(gen, t->count * sizeof(u64));
	return t->entry;
}

static void gen_free(const struct table *t)
{
	gen_pool_free(gen, (unsigned long)t->entry, t->count * sizeof(u64));
}

/* --- Nothing: the cost of the measurement itself. */

static void none_add(u64 *extent)
{
}

static bool none_alloc(struct table *t)
{
	return true;
}

static void none_free(const struct table *t)
{
}

static const struct allocator {
	const char *name;
	void (*add)(u64 *extent);
	bool (*alloc)(struct table *t);
	void (*free)(const struct table *t);
} allocators[] = {
	{ "none", none_add, none_alloc, none_free },
	{ "xroce", pool_add, pool_alloc, pool_free },
	{ "list", list_add_extent, first_alloc, first_free },
	{ "list_best", list_add_extent, best_alloc, first_free },
	{ "genalloc", gen_add, gen_alloc, gen_free },
};

static bool take(const struct allocator *a, const struct row *row,
		 struct table *t)
{
	u32 power = prandom_u32_state(&random) % fls(row->longest);

	t->count = 1 + prandom_u32_state(&random) % (1 << power);
	while (!a->alloc(t)) {
		if (used == EXTENTS)
			return false;
		a->add(extents[used]);
		used++;
	}
	return true;
}

/* From the highest address to the lowest: the fastest order for a list. */
static int descending(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	return x->entry < y->entry ? 1 : x->entry > y->entry ? -1 : 0;
}

static bool fill(const struct allocator *a, const struct row *row)
{
	u32 live = row->live, more = live + row->more, i;
	struct table swap;

	for (i = 0; i < more; i++)
		if (!take(a, row, &tables[i]))
			return false;
	for (i = more - 1; i; i--) {
		u32 k = prandom_u32_state(&random) % (i + 1);

		swap = tables[i];
		tables[i] = tables[k];
		tables[k] = swap;
	}
	sort(tables + live, more - live, sizeof(*tables), descending, NULL);
	for (i = live; i < more; i++)
		a->free(&tables[i]);
	return true;
}

static bool exchange(const struct allocator *a, const struct row *row,
		     u32 times)
{
	struct table *t;

	while (times--) {
		t = &tables[prandom_u32_state(&random) % row->live];
		a->free(t);
		if (!take(a, row, t))
			return false;
	}
	return true;
}

/* Return: tenths of an instruction for an exchange; 0: it failed. */
static u64 measure(const struct allocator *a, const struct row *row)
{
	u64 start, end;
	u32 i;

	prandom_seed_state(&random, 12345);
	a->add(extents[0]);
	used = 1;
	if (!fill(a, row) || !exchange(a, row, row->warm_up))
		return 0;
	preempt_disable();
	start = ktime_get_ns();
	if (!exchange(a, row, EXCHANGES))
		start = 0;
	end = ktime_get_ns();
	preempt_enable();
	/* Only genalloc has memory to free; the other allocators' state is dropped. */
	if (gen) {
		for (i = 0; i < row->live; i++)
			a->free(&tables[i]);
		gen_pool_destroy(gen);
		gen = NULL;
	}
	return start ? (end - start) * 10 / EXCHANGES : 0;
}

static int run(void)
{
	u64 none[ARRAY_SIZE(rows)], cost;
	int i, k, n = 0, id;

	for (i = 0; i < ARRAY_SIZE(allocators); i++) {
		for (k = 0; k < ARRAY_SIZE(rows); k++) {
			used = 0;
			for (id = 0; id < EXTENTS; id++)
				memset(extents[id], 0, XR_EXTENT_BYTES);
			cost = measure(&allocators[i], &rows[k]);
			if (!cost)
				return -ENOSPC;
			if (!i)
				none[k] = cost;
			else
				n += scnprintf(result + n, sizeof(result) - n,
					       "%s %u %u %llu %d\n",
					       allocators[i].name, rows[k].live,
					       rows[k].longest,
					       (cost - none[k]) / 10, used);
			cond_resched();
		}
	}
	return 0;
}

static int __init pool_bench_init(void)
{
	int i, ret = -ENOMEM;

	tables = kvcalloc(LIVE_MAX + MORE_MAX, sizeof(*tables), GFP_KERNEL);
	if (!tables)
		return ret;
	for (i = 0; i < EXTENTS; i++) {
		extents[i] = (u64 *)__get_free_pages(GFP_KERNEL,
						     get_order(XR_EXTENT_BYTES));
		if (!extents[i])
			goto out;
	}
	ret = run();
out:
	while (i--)
		free_pages((unsigned long)extents[i],
			   get_order(XR_EXTENT_BYTES));
	kvfree(tables);
	return ret;
}

static void __exit pool_bench_exit(void)
{
}

module_init(pool_bench_init);
module_exit(pool_bench_exit);

MODULE_DESCRIPTION("xroce: the pool of translation tables beside others");
MODULE_AUTHOR("xroce maintainers");
MODULE_LICENSE("GPL");
