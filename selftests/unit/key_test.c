// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drawing keys, from the module's own source, compared with a model ("twin") that records
 * when each index was given back, and the key bytes it had. The seed is printed;
 * $XROCE_SEED repeats a run, $XROCE_RUNS sets the number of operations.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "harness.h"

#include <linux/bitops.h>
#include <linux/slab.h>

#include "../../kmod/obj/key.h"
#include "setting.h"

#define RUNS	3000000ul

int kernel_memory = -1;

/* The model's record of an index. */
struct place {
	bool taken;
	u32 given;	/* @nr_given when the index was given back; 0: never */
	u8 had[XR_KEY_BYTES];
	u32 nr_had;
	u32 at;		/* position in @held */
};

static struct xr_keys keys;
static struct place *places;
static u32 *held;
static u32 entries, nr_held, nr_given;
/* Number of held indices that are not in the reserve. */
static u32 nr_open;
/* @nr_given when the last index without the reserve was drawn from waiting ones only. */
static u32 hurried;

static void start(u32 n)
{
	check(!xr_keys_init(&keys, n), "%u: no memory", n);
	entries = n;
	places = calloc(n, sizeof(*places));
	held = calloc(n, sizeof(*held));
	nr_held = nr_given = nr_open = hurried = 0;
}

static void stop(void)
{
	xr_keys_exit(&keys);
	free(places);
	free(held);
}

/* Number of indices that are not in the reserve. */
static u32 nr_common(void)
{
	return entries - 1 - entries / 8;
}

/* Number of others that are given back before an index is drawn again, if possible. */
static u32 key_patience(void)
{
	return entries >= 16 * XR_KEY_WAIT ? XR_KEY_WAIT : entries / 16;
}

/* Draw a key and compare it with the model. Return: false: refused. */
static bool take_from(bool reserve)
{
	u32 left = reserve ? entries - 1 - nr_held : nr_common() - nr_open;
	u32 index = xr_key_take(&keys, reserve), i;
	struct place *p;
	u8 byte;

	if (!reserve && left <= key_patience())
		hurried = nr_given;
	if (!index)
		return false;
	if (!check(index < entries, "index %#x", index))
		return false;
	p = &places[index];
	check(!p->taken, "index %#x given twice", index);
	check(reserve || !test_bit(index, keys.reserved), "index %#x of the reserve",
	      index);
	/* If others were free, the index must have been given back long enough ago. */
	if (p->given && left > key_patience() &&
	    (p->given > hurried || !test_bit(index, keys.reserved)))
		check(nr_given - p->given >= key_patience(),
		      "index %#x back after %u", index, nr_given - p->given);
	p->taken = true;
	byte = xr_key_byte(&keys, index);
	for (i = 0; i < XR_KEY_BYTES && i < p->nr_had; i++)
		check(p->had[(p->nr_had - 1 - i) % XR_KEY_BYTES] != byte,
		      "index %#x: byte %#x, %u back", index, byte, i + 1);
	p->had[p->nr_had++ % XR_KEY_BYTES] = byte;
	p->at = nr_held;
	held[nr_held++] = index;
	nr_open += !test_bit(index, keys.reserved);
	return true;
}

static bool take(void)
{
	return take_from(true);
}

static void give(u32 index)
{
	struct place *p = &places[index];

	xr_key_put(&keys, index);
	p->taken = false;
	nr_open -= !test_bit(index, keys.reserved);
	p->given = ++nr_given;
	held[p->at] = held[--nr_held];
	places[held[p->at]].at = p->at;
}

/* Every index except 0 once, then none; and all of them again. */
TEST(key_exhaust, "R9", "each index is drawn once, and again after it is given back")
{
	static const u32 sizes[] = { 16, 32, 64, 4096, 65536, 1u << 20 };
	size_t i;
	int round;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		start(sizes[i]);
		for (round = 0; round < 3; round++) {
			while (take())
				;
			check(nr_held == entries - 1, "%u of %u", nr_held,
			      entries);
			check(!places[0].taken, "index 0");
			check(!take(), "one more than there are");
			/* The only index given back is drawn again. */
			give(held[rng_below(nr_held)]);
			check(take() && !take(), "%u: the last one", entries);
			while (nr_held)
				give(held[rng_below(nr_held)]);
		}
		stop();
	}
}

static u32 take_all(bool reserve)
{
	u32 n = 0;

	while (take_from(reserve))
		n++;
	return n;
}

static void give_all(void)
{
	while (nr_held)
		give(held[rng_below(nr_held)]);
}

/*
 * A user without the reserve never gets an index of it, whatever others do meanwhile. With
 * the reserve all indices can be drawn. It differs between tables, and is spread over them.
 */
TEST(key_reserve, "R9 R10", "users without the reserve never get an index of it")
{
	static const u32 sizes[] = { 16, 64, 4096, 65536 };
	u32 i, n, same = 0, low = 0;
	unsigned long *first;
	size_t size;
	int round;

	for (size = 0; size < ARRAY_SIZE(sizes); size++) {
		start(sizes[size]);
		for (round = 0; round < 5; round++) {
			n = take_all(false);
			check(n == nr_common(), "%u of %u", n, nr_common());
			n = take_all(true);
			check(n == entries / 8, "%u of the reserve", n);
			give_all();
			/* Now only indices of the reserve are free or wait. */
			n = take_all(true);
			check(n == entries - 1, "%u of %u", n, entries);
			for (i = 1; i < entries; i++)
				if (test_bit(i, keys.reserved))
					give(i);
			check(!take_from(false), "one of the reserve");
			give_all();
		}
		if (size + 1 < ARRAY_SIZE(sizes))
			stop();
	}
	first = calloc(BITS_TO_LONGS(entries), sizeof(*first));
	memcpy(first, keys.reserved, BITS_TO_LONGS(entries) * sizeof(*first));
	stop();
	start(65536);
	for (i = 1; i < entries; i++) {
		if (!test_bit(i, keys.reserved))
			continue;
		same += test_bit(i, first);
		low += i < entries / 2;
	}
	note("of %u, %u as before, %u in the lower half", entries / 8, same, low);
	/* By chance: 1,024 the same, deviation 28; 4,096 low ones, deviation 42. */
	check(same > 800 && same < 1250 && low > 3750 && low < 4450, "not at random");
	free(first);
	stop();
}

/* The only free index, again and again: four other bytes before a key repeats. */
TEST(key_last_place, "R9", "a full table does not repeat a key at once")
{
	u32 i, index, nr[256] = {}, least = ~0u, most = 0;

	start(16);
	while (take())
		;
	index = held[0];
	for (i = 0; i < 256 * 400 && !test_failed(); i++) {
		give(index);
		if (!check(take() && held[nr_held - 1] == index, "another index"))
			break;
		nr[places[index].had[(places[index].nr_had - 1) %
				     XR_KEY_BYTES]]++;
	}
	for (i = 0; i < 256; i++) {
		least = nr[i] < least ? nr[i] : least;
		most = nr[i] > most ? nr[i] : most;
	}
	/* 400 each on average, deviation 20. */
	check(least > 280 && most < 520, "bytes come %u to %u times", least,
	      most);
	stop();
}

/*
 * How evenly indices, bytes and differences of successive indices are drawn: chi square
 * over 256 columns has mean 255 and deviation 23.
 */
static double chi_square(const u32 *nr, u32 columns, double each)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < columns; i++)
		sum += (nr[i] - each) * (nr[i] - each) / each;
	return sum;
}

TEST(key_spread, "R9", "indices and bytes are drawn evenly")
{
	u32 first[256] = {}, byte[256] = {}, step[256] = {};
	u32 i, key, prev = 0, draws = 256 * 2000;
	double x[3];

	start(65536);
	for (i = 0; i < draws; i++) {
		if (nr_held == 1000)
			give(held[rng_below(nr_held)]);
		take();
		key = held[nr_held - 1];
		first[key >> 8]++;
		step[((key - prev) >> 8) & 255]++;
		prev = key;
		byte[places[key].had[(places[key].nr_had - 1) %
				     XR_KEY_BYTES]]++;
	}
	x[0] = chi_square(first, 256, draws / 256.);
	x[1] = chi_square(step, 256, draws / 256.);
	x[2] = chi_square(byte, 256, draws / 256.);
	note("chi square: indices %.0f, differences %.0f, bytes %.0f",
	     x[0], x[1], x[2]);
	for (i = 0; i < 3; i++)
		check(x[i] < 255 + 7 * 23 && (i || x[i] > 1), "chi square %.0f",
		      x[i]);
	/* Two tables do not begin with the same index. */
	key = held[0];
	stop();
	start(65536);
	take();
	check(held[0] != key || (take() && held[1] != key), "the same first index");
	stop();
}

/* Random operations on tables that get fuller and emptier, compared with the model. */
TEST(key_model, "R9", "no index twice, no index or byte again too soon")
{
	unsigned long runs = setting("XROCE_RUNS", RUNS), i;
	static const u32 sizes[] = { 16, 256, 4096, 1u << 17 };
	unsigned long no;
	u32 fuller, size;

	for (size = 0; size < ARRAY_SIZE(sizes); size++) {
		start(sizes[size]);
		no = 0;
		fuller = 50;
		for (i = 0; i < runs / 4 && !test_failed(); i++) {
			if (i % (4 * sizes[size]) == 0)
				fuller = 20 + rng_below(60);
			if (rng_below(100) < fuller) {
				bool all = rng_below(2);

				if (!take_from(all)) {
					no++;
					check(nr_open == nr_common() &&
					      (!all || nr_held == entries - 1),
					      "refused with %u and %u of %u", nr_open,
					      nr_held, entries);
				}
			} else if (nr_held) {
				give(held[rng_below(nr_held)]);
			}
		}
		note("%u entries: %u given back, %lu refused", entries,
		     nr_given, no);
		while (nr_held)
			give(held[nr_held - 1]);
		while (take())
			;
		check(nr_held == entries - 1, "%u of %u", nr_held, entries);
		stop();
	}
}

/* Without memory xr_keys_init() fails, and xr_keys_exit() frees the rest. */
TEST(key_memory, "R9", "a table without memory is an error")
{
	int n;

	for (n = 0; n < 4; n++) {
		kernel_memory = n;
		check(xr_keys_init(&keys, 4096) == -ENOMEM, "with %d", n);
		xr_keys_exit(&keys);
	}
	kernel_memory = -1;
}

TEST_MAIN(fuzz_main);
