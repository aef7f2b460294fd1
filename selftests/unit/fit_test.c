// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much memory the choice of a free run costs: the pool, from the module's own source,
 * compared with first fit and best fit over a sorted array of free runs. All three get the
 * same tables, each of which is replaced six times on average, and one more extent whenever
 * no run is long enough. The seed is printed; $XROCE_SEED repeats a run, $XROCE_RUNS sets
 * the number of rounds.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "harness.h"

#include "../../kmod/mem/pool.h"
#include "setting.h"

#define EXTENTS		64u
#define RUNS_MAX	100000
#define ROUNDS		20

enum policy { POOL, FIRST, BEST, POLICIES };

static const char *const names[] = { "the pool", "first fit", "best fit" };

struct run {
	u32 at;
	u32 count;
};

static struct xr_pool pool;
static u64 *memory[EXTENTS];
static struct run free_runs[RUNS_MAX];
static u32 nr_free, extents;

static bool twin_find(enum policy policy, u32 count, u32 *found)
{
	bool any = false;
	u32 i;

	for (i = 0; i < nr_free; i++) {
		if (free_runs[i].count < count ||
		    (any && free_runs[i].count >= free_runs[*found].count))
			continue;
		*found = i;
		any = true;
		if (policy == FIRST)
			break;
	}
	return any;
}

static void twin_move(u32 to, u32 from)
{
	memmove(free_runs + to, free_runs + from,
		(nr_free - from) * sizeof(*free_runs));
	nr_free += to - from;
}

static u32 twin_take(enum policy policy, u32 count)
{
	struct run *run;
	u32 i = 0;

	if (!twin_find(policy, count, &i)) {
		i = nr_free++;
		free_runs[i] = (struct run){ extents++ * XR_EXTENT_ENTRIES,
					     XR_EXTENT_ENTRIES };
	}
	run = &free_runs[i];
	run->count -= count;
	run->at += count;
	if (run->count)
		return run->at - count;
	count = run->at - count;
	twin_move(i, i + 1);
	return count;
}

static bool joins(u32 at, const struct run *next)
{
	return at == next->at && at % XR_EXTENT_ENTRIES;
}

static void twin_give(u32 at, u32 count)
{
	u32 low = 0, high = nr_free, i;

	while (low < high) {
		i = (low + high) / 2;
		if (free_runs[i].at < at)
			low = i + 1;
		else
			high = i;
	}
	twin_move(low + 1, low);
	free_runs[low] = (struct run){ at, count };
	if (low + 1 < nr_free && joins(at + count, &free_runs[low + 1])) {
		free_runs[low].count += free_runs[low + 1].count;
		twin_move(low + 1, low + 2);
	}
	if (low && joins(free_runs[low - 1].at + free_runs[low - 1].count,
			 &free_runs[low])) {
		free_runs[low - 1].count += free_runs[low].count;
		twin_move(low, low + 1);
	}
}

static u32 take(enum policy policy, u32 count)
{
	u32 at;

	if (policy != POOL)
		return twin_take(policy, count);
	at = xr_pool_alloc(&pool, count);
	if (at != XR_POOL_RUN_NONE)
		return at;
	xr_pool_add(&pool, extents++, calloc(XR_EXTENT_ENTRIES, sizeof(u64)));
	return xr_pool_alloc(&pool, count);
}

static void give(enum policy policy, u32 at, u32 count)
{
	if (policy == POOL)
		xr_pool_free(&pool, at, count);
	else
		twin_give(at, count);
}

/* Lengths of tables: powers of two, or any. */
static u32 powers(void)
{
	static const u32 lengths[] = { 1, 2, 4, 16, 64, 256, 512, 1024, 4096 };

	return lengths[rng_below(ARRAY_SIZE(lengths))];
}

static u32 any(void)
{
	return 1 + rng_below(1u << rng_below(16));
}

/* Return: number of extents that were needed. */
static u32 trial(enum policy policy, u32 (*length)(void), u32 live)
{
	struct run *tables = calloc(live, sizeof(*tables)), *t;
	u32 i;

	memset(&pool, 0, sizeof(pool));
	pool.extent = memory;
	pool.room = EXTENTS;
	nr_free = extents = 0;
	for (i = 0; i < 7 * live; i++) {
		t = &tables[i < live ? i : rng_below(live)];
		if (t->count)
			give(policy, t->at, t->count);
		t->count = length();
		t->at = take(policy, t->count);
	}
	for (i = 0; i < EXTENTS; i++) {
		free(memory[i]);
		memory[i] = NULL;
	}
	free(tables);
	return extents;
}

static void compare(u32 (*length)(void), u32 live)
{
	unsigned long rounds = setting("XROCE_RUNS", ROUNDS), i;
	u32 seed = rng_below(1u << 31), sum[POLICIES] = {};
	enum policy policy;

	for (i = 0; i < rounds; i++) {
		for (policy = POOL; policy < POLICIES; policy++) {
			rng_seed(seed + i);
			sum[policy] += trial(policy, length, live);
		}
	}
	for (policy = POOL; policy < POLICIES; policy++)
		note("%s: %.2f extents", names[policy],
		     (double)sum[policy] / rounds);
	check(sum[POOL] <= sum[FIRST] + sum[FIRST] / 50,
	      "more extents than first fit");
	check(sum[POOL] <= sum[BEST] + sum[BEST] / 20,
	      "over 5%% more extents than best fit");
}

TEST(fit_powers, "T3", "tables of powers of two: hardly more extents than best fit")
{
	compare(powers, 4000);
}

TEST(fit_any, "T3", "tables of any length: hardly more extents than best fit")
{
	compare(any, 3000);
}

TEST_MAIN(fuzz_main);
