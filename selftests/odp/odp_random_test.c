// SPDX-License-Identifier: GPL-2.0-only
/*
 * On-demand memory that several threads change at random, while a peer writes and reads at
 * random. Each access must end as the model predicts, and find what it predicts.
 * XROCE_ODP_INVALIDATIONS: invalidated entries after which the test ends.
 */
#include "clock.h"
#include "mm_churn.h"
#include "setting.h"
#include "swap.h"

#define INVALIDATIONS	20000
#define ACCESSES	1500u
#define PAGES		512u
#define PROGRESS	60		/* seconds between progress notes */

static uint64_t wanted;
static double begun, told;

static bool enough(void)
{
	uint64_t got = odp_query(&odp).odp_invalidated;

	if (clock_now() - told > PROGRESS) {
		told = clock_now();
		note("%.0f s: %llu invalidated, %u accesses", told - begun,
		     (unsigned long long)got, odp_accesses);
	}
	return got >= wanted && odp_accesses >= ACCESSES;
}

static bool change(unsigned int *seed)
{
	switch (odp_below(seed, 32)) {
	case 0:
		return odp_fork(seed);
	case 1 ... 4:
		return odp_protect(seed);
	case 5 ... 8:
		return odp_unmap(seed);
	case 9 ... 12:
		return odp_move(seed);
	case 13 ... 20:
		return odp_page_out(seed);
	default:
		return odp_drop(seed);
	}
}

/* Bring in pages, so that they can be taken away again. */
static bool bring(unsigned int *seed)
{
	odp_bring(odp_below(seed, 4) * PAGES / 4, PAGES / 4);
	odp_rest(seed, 4);
	return true;
}

TEST(odp_random, "O4 O6 O7 O10", "memory changes at random under traffic")
{
	struct mm_churn churn[4] = {
		{ .change = change }, { .change = change }, { .change = change },
		{ .change = bring },
	};
	bool swap = swap_on();
	double seconds;

	if (!swap)
		note("no zram: nothing is paged out");
	wanted = setting("XROCE_ODP_INVALIDATIONS", INVALIDATIONS);
	odp_rest_ms = 2;
	begun = told = clock_now();
	if (mm_churn_open() && odp_shadow_open(PAGES)) {
		odp_shadow_run(churn, ARRAY_SIZE(churn), enough);
		seconds = clock_now() - begun;
		note("%u changes, %.0f invalidations a second",
		     churn[0].done + churn[1].done + churn[2].done,
		     odp_query(&odp).odp_invalidated / seconds);
		check(odp_refusals, "no access was refused");
		odp_shadow_close();
		mm_churn_close();
	}
	if (swap)
		swap_off();
}

TEST_MAIN(live_main);
