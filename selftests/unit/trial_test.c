// SPDX-License-Identifier: GPL-2.0-only
/* Trials of the moderation of a completion queue, with loads that gain by it or do not. */
#include <stdint.h>

#include "harness.h"

#include "../../kmod/obj/trial.h"

#define USEC		200
#define PERIOD_NS	(USEC * 1000)
#define MANY		1000000u

/*
 * A load: nanoseconds from one completion to the next, and how many a period has; 0: enough come
 * before it is over.
 */
struct load {
	uint32_t gap;
	uint32_t gap_held;
	uint32_t held;
};

static struct xr_trial trial;
static uint64_t now;
static uint32_t tail;

u64 ktime_get_ns(void)
{
	return now;
}

/* @n completions of a queue that is always armed. Return: those that were held. */
static uint32_t complete(const struct load *load, uint32_t n)
{
	uint32_t held = 0, in_period = 0;

	while (n--) {
		now += trial.holds ? load->gap_held : load->gap;
		tail++;
		if (!xr_trial_holds(&trial, tail, USEC)) {
			in_period = 0;
			continue;
		}
		held++;
		if (!load->held || ++in_period < load->held)
			continue;
		xr_trial_period(&trial, in_period, USEC);
		in_period = 0;
	}
	return held;
}

static void begin(void)
{
	trial = (struct xr_trial){};
	/* Tails are modulo 2^32. */
	tail = UINT32_MAX - 1000;
	now = 1;
}

TEST(trial_pays, "V6", "events are held while completions come faster with that")
{
	static const struct load loads[] = { { 1000, 800, 0 }, { 50000, 40000, 5 } };
	uint32_t held;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		begin();
		held = complete(&loads[i], MANY);
		check(held > MANY / 100 * 95, "load %zu: %u of %u are held", i, held, MANY);
	}
}

/* Loads that gain too little, nothing, or lose. */
TEST(trial_not, "V6", "events are not held if that is not faster by a sixteenth")
{
	static const struct load loads[] = {
		{ 1000, 960, 0 },
		{ 1000, 1000, 0 },
		{ 1000, 4000, 0 },
		{ 50000, 150000, 2 },
	};
	uint32_t held;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		begin();
		complete(&loads[i], MANY);
		check(!trial.holds || trial.step % 2, "load %zu: held", i);
		/* By then trials are rare. */
		held = complete(&loads[i], MANY);
		check(held < MANY / 100, "load %zu: %u of %u are held", i, held, MANY);
	}
}

TEST(trial_slow, "V6", "a window of a trial that takes longer than one without ends it")
{
	const struct load load = { 25000, 125000, 2 };
	uint64_t without;
	uint32_t held;

	begin();
	/* The first completion begins the trial, whose first window does not hold. */
	held = complete(&load, 1 + 255);
	check(!held && !trial.holds, "too early");
	without = now;
	held = complete(&load, 256);
	check(held && !trial.holds, "%u are held, and the trial goes on", held);
	check(now - without < 4 * 256 * (uint64_t)load.gap, "%llu ns",
	      (unsigned long long)(now - without));
}

TEST(trial_wasted, "V6", "periods with one completion each end the trial, and end holding")
{
	const struct load alone = { 50000, 250000, 1 }, many = { 1000, 800, 0 };
	uint32_t held;

	begin();
	held = complete(&alone, 4 * 256);
	check(held > 0 && held <= 2, "%u are held", held);

	begin();
	complete(&many, MANY);
	check(trial.holds || trial.step < 6, "many are not held");
	complete(&many, 6 * 256);
	/* At once, and in some trials. */
	held = complete(&alone, MANY / 10);
	check(held <= 4 * 8, "%u are held", held);
	/* And it is found again. */
	complete(&many, MANY * 3);
	held = complete(&many, MANY);
	check(held > MANY / 100 * 90, "%u of %u are held", held, MANY);
}

/* A job ends, the next one begins slowly, and has few requests. */
TEST(trial_again, "V6", "a load that pays again is soon found again")
{
	const struct load alone = { 50000, 250000, 1 }, many = { 1000, 800, 0 };
	uint32_t held;
	int i;

	begin();
	complete(&many, 10000);
	for (i = 0; i < 5; i++) {
		complete(&alone, 20);
		held = complete(&many, 10000);
		check(held > 10000 / 2, "job %d: %u are held", i, held);
	}
}

TEST(trial_rare, "V6", "nothing is held if less than two completions come in a period")
{
	const struct load load = { PERIOD_NS / 2 + 100, 1000, 2 };

	begin();
	check_is(complete(&load, MANY), 0, "held");
}

/* The same load without pauses, and with one in each third window. */
TEST(trial_pauses, "V6", "pauses of the load do not look like a loss or a gain")
{
	static const struct load loads[] = { { 1000, 800, 0 }, { 1000, 1000, 0 } };
	uint32_t held;
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		begin();
		for (n = held = 0; n < MANY; n += 700) {
			held += complete(&loads[i], 700);
			now += 1000000000;
		}
		check(i ? held < MANY / 10 : held > MANY / 2, "load %zu: %u of %u are held",
		      i, held, MANY);
	}
}

TEST_MAIN(harness_main);
