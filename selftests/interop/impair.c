// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "impair.h"

/*
 * Matches the opcode behind the IP and UDP headers: 0x0d to 0x0f, READ responses of several
 * packets (0x0c is a request, which c0 does not receive), and 0x11, acknowledgements. A
 * match without an action ends the search and lets the packet in.
 */
#define FILTER	"tc filter add dev c0 ingress prio "
static const char *const pass_by[] = {
	FILTER "1 protocol ip u32 match u8 0x0c 0xfc at 28 flowid 1:1",
	FILTER "1 protocol ip u32 match u8 0x11 0xff at 28 flowid 1:1",
	FILTER "2 protocol ipv6 u32 match u8 0x0c 0xfc at 48 flowid 1:1",
	FILTER "2 protocol ipv6 u32 match u8 0x11 0xff at 48 flowid 1:1",
};

static bool both_ways(const char *how)
{
	static const char *const devs[] = { "c0", "i0" };
	char command[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devs); i++) {
		snprintf(command, sizeof(command),
			 "tc qdisc replace dev %s root netem limit 20000 %s",
			 devs[i], how);
		if (!check_sh("%s", command))
			return false;
	}
	return true;
}

bool impair(const char *how, bool streams)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pass_by) && !streams; i++)
		if (!check_sh("%s", pass_by[i]))
			return false;
	return both_ways(how);
}

void impair_no_more(void)
{
	both_ways("");
	/* There may be no filter. */
	system("tc filter del dev c0 ingress prio 1 2>/dev/null");
	system("tc filter del dev c0 ingress prio 2 2>/dev/null");
}
