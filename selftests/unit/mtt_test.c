// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of translation tables, from the module's own source, compared with a model
 * ("twin") that has a word for each entry. The seed is printed; $XROCE_SEED repeats a run,
 * $XROCE_RUNS sets the number of operations.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "harness.h"

#include "../../kmod/mem/pool.h"
#include "setting.h"

#define EXTENTS		4u
#define KEPT		2u
#define ALL		(EXTENTS * XR_EXTENT_ENTRIES)
#define TABLES		200000u
#define RUNS		10000000ul
/* Operations between checks of the whole pool. */
#define LOOK		50000ul

struct table {
	u32 at;
	u32 count;
};

static struct xr_pool pool;
static u64 *extents[EXTENTS];
/* For each entry, the number of the table that uses it, or 0. */
static u32 *twin;
static struct table *tables;
static u32 nr_tables;

/* Words before and after an extent, which are not the pool's, but look like free runs. */
#define BESIDE	(~0ull << 2 | XR_POOL_RUN_SINGLE)

static void extent_add(u32 id)
{
	u64 *memory = calloc(XR_EXTENT_ENTRIES + 2, sizeof(*memory));

	memory[0] = memory[XR_EXTENT_ENTRIES + 1] = BESIDE;
	xr_pool_add(&pool, id, memory + 1);
}

static void extent_free(u64 *memory)
{
	if (!memory)
		return;
	check(memory[-1] == BESIDE && memory[XR_EXTENT_ENTRIES] == BESIDE,
	      "written beside: %#llx %#llx", memory[-1],
	      memory[XR_EXTENT_ENTRIES]);
	free(memory - 1);
}

/* Make a pool of @n extents without tables. */
static void start(u32 n)
{
	u32 id;

	memset(&pool, 0, sizeof(pool));
	memset(extents, 0, sizeof(extents));
	pool.extent = extents;
	pool.room = EXTENTS;
	for (id = 0; id < n; id++)
		extent_add(id);
	twin = calloc(ALL, sizeof(*twin));
	tables = calloc(TABLES, sizeof(*tables));
	nr_tables = 0;
}

static void stop(void)
{
	u32 id;

	for (id = 0; id < EXTENTS; id++)
		extent_free(extents[id]);
	free(twin);
	free(tables);
}

/* A value that an entry of a table can have: the two low bits are clear. */
static u64 mark(u32 number, u32 i)
{
	return ((u64)number << 32 | i) << 2;
}

/* Allocate a table and compare it with the model. Return: false: refused. */
static bool take(u32 count)
{
	u32 at = xr_pool_alloc(&pool, count), i;
	u64 *entry;

	if (at == XR_POOL_RUN_NONE)
		return false;
	if (!check(at < ALL && extents[at >> XR_EXTENT_SHIFT],
		   "entry %u of no extent", at) ||
	    !check(at >> XR_EXTENT_SHIFT ==
		   (at + count - 1) >> XR_EXTENT_SHIFT,
		   "%u entries at %u: two extents", count, at))
		exit(1);
	entry = xr_pool_at(&pool, at);
	for (i = 0; i < count; i++) {
		if (!check(!twin[at + i], "entry %u belongs to %u", at + i,
			   twin[at + i]) ||
		    !check(!(entry[i] & XR_POOL_RUN_KIND),
			   "entry %u is marked: %#llx", at + i, entry[i]))
			exit(1);
		twin[at + i] = nr_tables + 1;
		entry[i] = mark(at, i);
	}
	tables[nr_tables++] = (struct table){ at, count };
	return true;
}

static bool give(u32 number)
{
	struct table t = tables[number];
	u64 *entry = xr_pool_at(&pool, t.at);
	u32 i;

	for (i = 0; i < t.count; i++) {
		if (!check(entry[i] == mark(t.at, i),
			   "entry %u of %u at %u was written over: %#llx", i,
			   t.count, t.at, entry[i]))
			exit(1);
		twin[t.at + i] = 0;
	}
	tables[number] = tables[--nr_tables];
	return xr_pool_free(&pool, t.at, t.count);
}

/* Length of the model's next free run in the extent; @at: from there on; out: its end. */
static u32 twin_run(u32 *at)
{
	u32 end = (*at | (XR_EXTENT_ENTRIES - 1)) + 1, first;

	while (*at < end && twin[*at])
		++*at;
	first = *at;
	while (*at < end && !twin[*at])
		++*at;
	return *at - first;
}

static u32 twin_longest(void)
{
	u32 at, longest = 0, length;

	for (at = 0; at < ALL;) {
		if (!extents[at >> XR_EXTENT_SHIFT]) {
			at += XR_EXTENT_ENTRIES;
			continue;
		}
		length = twin_run(&at);
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Check bits and links of the lists. Return: the number of runs in all lists. */
static u64 look_at_lists(void)
{
	u32 class, at, prev;
	u64 found = 0, head;
	bool has;

	for (class = 0; class < XR_POOL_CLASSES; class++) {
		has = pool.has[class / 64] >> class % 64 & 1;
		check(!has || pool.some >> class / 64 & 1, "class %u hidden",
		      class);
		if (!has)
			continue;
		prev = XR_POOL_RUN_NONE;
		for (at = pool.first[class]; at != XR_POOL_RUN_NONE; prev = at,
		     at = head >> 2 & XR_POOL_RUN_NONE) {
			head = *xr_pool_at(&pool, at);
			if (!check(head >> 33 == prev, "%u after %u says %llu",
				   at, prev, head >> 33))
				return 0;
			found++;
		}
	}
	for (class = 0; class < XR_POOL_WORDS; class++)
		check((pool.some >> class & 1) == !!pool.has[class],
		      "word %u: %#llx", class, pool.has[class]);
	return found;
}

/* Compare the whole pool with the model: the same runs, no other entry marked as free. */
static void look(void)
{
	u32 id, at, seen, length, other, end, i;
	u64 runs = 0, used = 0, free = 0, *entry;

	for (id = 0; id < EXTENTS; id++) {
		if (!extents[id])
			continue;
		at = seen = id * XR_EXTENT_ENTRIES;
		end = at + XR_EXTENT_ENTRIES;
		while ((length = xr_pool_next(&pool, &at, end))) {
			other = twin_run(&seen);
			if (!check(other == length && seen == at + length,
				   "%u free at %u, should be %u up to %u",
				   length, at, other, seen))
				return;
			entry = xr_pool_at(&pool, at);
			for (i = 2; i + 1 < length; i++)
				if (!check(!(entry[i] & XR_POOL_RUN_KIND),
					   "marked: %u of %u at %u", i, length,
					   at))
					return;
			runs++;
			free += length;
			at += length;
		}
		check(at == end && (seen == end || !twin_run(&seen)),
		      "extent %u: a run at the end is missing", id);
		used += XR_EXTENT_ENTRIES;
	}
	used -= free;
	check(pool.used == used && pool.runs == runs &&
	      pool.taken == nr_tables,
	      "used %llu runs %llu taken %llu, should be %llu, %llu, %u",
	      pool.used, pool.runs, pool.taken, used, runs, nr_tables);
	check(look_at_lists() == runs, "lists do not have all %llu", runs);
}

/* Check that the pool is as it was at first: each extent is one free run. */
static void look_empty(u32 n)
{
	u32 id, at;

	for (id = 0; id < n; id++) {
		at = id * XR_EXTENT_ENTRIES;
		check(xr_pool_next(&pool, &at, at + XR_EXTENT_ENTRIES) ==
		      XR_EXTENT_ENTRIES, "extent %u is not whole", id);
		check(at == id * XR_EXTENT_ENTRIES, "starts at %u", at);
	}
	check(pool.extents == n && pool.runs == n && !pool.used && !pool.taken,
	      "%u extents %llu runs %llu used %llu taken", pool.extents,
	      pool.runs, pool.used, pool.taken);
	look();
}

TEST(mtt_reserve, "T1", "each extent is one free run; more is refused")
{
	start(KEPT);
	look_empty(KEPT);
	check(take(XR_EXTENT_ENTRIES) && take(XR_EXTENT_ENTRIES),
	      "no whole extents");
	check(!take(1), "more than there are");
	look();
	give(0);
	give(0);
	look_empty(KEPT);
	/* Remove an extent and add it again. */
	extent_free(xr_pool_remove(&pool, 0));
	check(pool.extents == 1 && pool.runs == 1, "%u extents", pool.extents);
	check(take(XR_EXTENT_ENTRIES) && !take(1), "the remaining extent");
	extent_add(0);
	check(take(1), "the added extent");
	look();
	stop();
}

/* Tables from one entry to an extent; free runs that are divided between two tables. */
TEST(mtt_lengths, "T2 T3", "tables of any length are contiguous, and the rest is usable")
{
	u32 count, have;

	start(1);
	for (count = 1; count <= XR_EXTENT_ENTRIES;
	     count += count < 70 ? 1 : count / 7) {
		check(take(count), "%u entries", count);
		give(0);
		look_empty(1);
	}
	/* A free run of @have entries: a table of @count, and one of the rest. */
	for (have = 1; have <= 400; have += have < 70 ? 1 : 37) {
		take(XR_EXTENT_ENTRIES - have);
		for (count = 1; count <= have; count++) {
			check(take(count), "%u of %u", count, have);
			check(have == count || take(have - count),
			      "the other %u of %u", have - count, have);
			check(!take(1), "%u of %u: one more", count, have);
			while (nr_tables > 1)
				give(1 + rng_below(nr_tables - 1));
			check(pool.runs == 1, "%u of %u: %llu runs", count,
			      have, pool.runs);
		}
		look();
		give(0);
	}
	look_empty(1);
	stop();
}

/* Three adjacent tables, freed in several orders: free runs are merged. */
TEST(mtt_merge, "T3", "free runs are merged with the one before and the one after")
{
	static const struct {
		const char *about;
		u32 order[3];
		u64 runs[3];
	} rows[] = {
		/* Tables are allocated from the end: by address, free rest, 2, 1, 0. */
		{ "up", { 0, 1, 2 }, { 2, 2, 1 } },
		{ "down", { 2, 1, 0 }, { 1, 1, 1 } },
		{ "the middle last", { 0, 2, 1 }, { 2, 2, 1 } },
		{ "the middle first", { 1, 0, 2 }, { 2, 2, 1 } },
	};
	size_t i, j, k;
	u32 lengths[3];

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (k = 0; k < 500; k++) {
			u32 at[3], n;

			start(1);
			for (j = 0; j < 3; j++) {
				lengths[j] = 1 + rng_below(k < 250 ? 4 : 5000);
				take(lengths[j]);
				at[j] = tables[j].at;
			}
			for (j = 0; j < 3; j++) {
				for (n = 0; n < nr_tables; n++)
					if (tables[n].at == at[rows[i].order[j]])
						break;
				give(n);
				check(pool.runs == rows[i].runs[j],
				      "%s, step %zu: %llu runs", rows[i].about,
				      j, pool.runs);
				if (!k)
					look();
			}
			check(pool.runs == 1 && !pool.used, "%s: %llu runs",
			      rows[i].about, pool.runs);
			stop();
		}
	}
}

/* A random length; short ones are as frequent as long ones. */
static u32 some_length(u32 most)
{
	return 1 + rng_below(1u << rng_below(most));
}

/*
 * A refusal is right if no free run is long enough. From 64 entries on, it is also right if
 * the longest run is longer by about 1/32 at most.
 */
static void refused(u32 count)
{
	u32 longest = twin_longest();

	check(longest < count || (count >= 64 && longest < count + count / 31),
	      "refused %u, there is %u", count, longest);
}

static bool grow(void)
{
	u32 id;

	for (id = KEPT; id < EXTENTS; id++) {
		if (!extents[id]) {
			extent_add(id);
			return true;
		}
	}
	return false;
}

/*
 * Allocate and free tables, with changing probabilities. After a refusal an extent is added;
 * an extent that gets empty is removed.
 */
TEST(mtt_model, "T1 T2 T3 T4", "random operations agree with a model, entry for entry")
{
	unsigned long runs = setting("XROCE_RUNS", RUNS), i, no = 0, most = 0;
	u32 count, number, id, fuller = 60;

	start(KEPT);
	for (i = 0; i < runs && !test_failed(); i++) {
		if (i % LOOK == 0) {
			look();
			fuller = 30 + rng_below(50);
		}
		if (nr_tables < TABLES && rng_below(100) < fuller) {
			count = some_length(fuzz_once_in(5000) ? 20 : 8);
			if (count > XR_EXTENT_ENTRIES)
				count = XR_EXTENT_ENTRIES;
			if (!take(count)) {
				no++;
				refused(count);
				fuller = 30;
				check(grow() == take(count),
				      "%u entries, an extent more", count);
			}
		} else if (nr_tables) {
			number = rng_below(nr_tables);
			id = tables[number].at >> XR_EXTENT_SHIFT;
			if (give(number) && id >= KEPT)
				extent_free(xr_pool_remove(&pool, id));
		}
		if (nr_tables > most)
			most = nr_tables;
	}
	note("%lu operations, up to %lu tables, %lu refused", runs, most, no);
	look();
	while (nr_tables && !test_failed()) {
		number = rng_below(nr_tables);
		id = tables[number].at >> XR_EXTENT_SHIFT;
		if (give(number) && id >= KEPT)
			extent_free(xr_pool_remove(&pool, id));
	}
	look_empty(KEPT);
	stop();
}

/* The pool is filled to the last entry with short tables, which are freed at random. */
TEST(mtt_full, "T2 T3", "100,000 tables fill the pool; freed, they leave it empty")
{
	u32 count;

	start(KEPT);
	while (take(1 + rng_below(16)))
		;
	for (count = 16; count; count--)
		while (take(count))
			;
	check(pool.used == KEPT * XR_EXTENT_ENTRIES && !pool.runs,
	      "%llu used, %llu free runs", pool.used, pool.runs);
	check(nr_tables > 100000, "%u tables", nr_tables);
	note("%u tables of %llu entries; %zu bytes beside them", nr_tables,
	     pool.used, sizeof(pool) + sizeof(extents));
	/* The pool takes no byte of the tables' extents, and little beside them. */
	check((sizeof(pool) + sizeof(extents)) * 100 < pool.used * sizeof(u64),
	      "%zu bytes", sizeof(pool) + sizeof(extents));
	look();
	while (nr_tables)
		give(rng_below(nr_tables));
	look_empty(KEPT);
	stop();
}

/* Free entries in short runs: a longer table is refused. All freed: one run again. */
TEST(mtt_fragments, "T3 T4", "a table longer than any free run is refused")
{
	u32 i;

	start(1);
	for (i = 0; i < XR_EXTENT_ENTRIES / 8; i++)
		take(8);
	check(!take(1), "more than there are");
	/* Free every second table, so that runs of 8 lie between tables. */
	for (i = XR_EXTENT_ENTRIES / 8; i-- > 0;)
		if (tables[i].at / 8 % 2)
			give(i);
	check(pool.runs == XR_EXTENT_ENTRIES / 16, "%llu runs", pool.runs);
	check(!take(9), "9 where 8 are free");
	look();
	check(take(8) && take(8), "8 where 8 are free");
	while (nr_tables)
		give(nr_tables - 1);
	look_empty(1);
	stop();
}

TEST_MAIN(fuzz_main);
