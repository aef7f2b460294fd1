// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to a netdev while its link serves: peers of that link wait, those of
 * another one notice nothing, and nobody finds a wrong byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "checked.h"
#include "live.h"

#define ROUNDS	8

static struct checked served, beside;

static bool ip(const char *words)
{
	char command[128];

	snprintf(command, sizeof(command), "ip link set %s", words);
	return check(!system(command), "%s", command);
}

static bool start(void)
{
	return check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES,
				  LIVE_SPARE_ENTRIES), "attach") &&
	       checked_start(&beside, LIVE_SPARE, "c1") &&
	       checked_start(&served, NULL, NULL);
}

static void stop(void)
{
	checked_goes_on(&served, 10);
	checked_goes_on(&beside, 10);
	checked_stop(&served);
	checked_stop(&beside);
	check(!live_detach(LIVE_SPARE, 0), "detach");
	live_check_idle(LIVE_DEV);
}

/* Nobody is answered meanwhile, but for the others. */
static void silence(void)
{
	__u64 done;

	/* What was on its way may still arrive. */
	usleep(100000);
	done = served.seen->done;
	checked_goes_on(&beside, 3);
	check(served.seen->done == done, "%llu answers",
	      (unsigned long long)(served.seen->done - done));
}

static void down_up(void)
{
	int i;

	if (!start())
		return;
	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		ip(LIVE_DEV " down");
		silence();
		ip(LIVE_DEV " up");
		checked_goes_on(&served, 5);
	}
	stop();
}

static const struct test tests[] = {
	{ "life_down_up", "D1", "down and up again under traffic", down_up },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
