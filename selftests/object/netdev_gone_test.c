// SPDX-License-Identifier: GPL-2.0-only
/*
 * A netdev that goes down or is deleted while its link serves, and a module that is
 * unloaded. Peers of that link wait, and peers of another link are not affected. No byte is
 * wrong, and nothing is left.
 */
#include <errno.h>
#include <unistd.h>

#include "setting.h"
#include "siblings.h"

#define ROUNDS	2	/* with one link at the end, and with two */

TEST(netdev_down_up, "D1", "a netdev goes down and up again under traffic")
{
	int i;

	if (!siblings_start())
		return;
	for (i = 0; i < 8 && !test_failed(); i++) {
		check_sh("ip link set " LIVE_DEV " down");
		siblings_silence();
		check_sh("ip link set " LIVE_DEV " up");
		checked_goes_on(&sibling_changed, 5);
	}
	siblings_stop();
}

static bool is_dead(void *arg)
{
	struct xroce_link_query q;

	return !xroce_link_find(arg, &q) && q.flags & XROCE_F_DEAD;
}

/*
 * Users of the dead link keep their objects until they exit; a netdev of the same name gets
 * a new link.
 */
TEST(netdev_deleted, "D1 R7", "a netdev is deleted under traffic and made again")
{
	int i;

	if (!siblings_start())
		return;
	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		check_sh("ip link del " LIVE_DEV);
		check(is_dead((void *)LIVE_DEV), "the link is not dead");
		siblings_says(" dead ", true, "link show dev " LIVE_DEV);
		siblings_says("program uses it", false, "link del dev " LIVE_DEV);
		siblings_silence();
		checked_stop(&sibling_changed);
		if (i & 1)
			siblings_says("", true, "link del dev " LIVE_DEV);
		check(!live_veth_add(LIVE_DEV, "c0"), "make it again");
		check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES),
		      "attach again");
		if (!(i & 1)) {
			siblings_says(" dead ", true, "link show");
			check(!live_detach(LIVE_DEV, 0), "the live one");
			check(!live_detach(LIVE_DEV, 0), "the dead one");
			check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES,
					   LIVE_QP_ENTRIES), "attach once more");
		}
		if (!checked_start(&sibling_changed, NULL, NULL))
			return;
	}
	siblings_stop();
}

/* The module stays while it is in use; then it is unloaded and loaded again. */
TEST(module_in_use, "U6", "a module in use is not unloaded; unloading leaves nothing behind")
{
	int i, rounds = amount(1, 2);

	for (i = 0; i < rounds && !test_failed(); i++) {
		if (!siblings_start())
			return;
		check(live_module_refused() == -EAGAIN, "unloaded in use");
		siblings_says("1 program uses it", false, "link del dev " LIVE_DEV);
		siblings_says("1 program uses it", false, "link del dev " LIVE_DEV " force");
		siblings_stop();
		check(live_module_refused() == -EAGAIN, "unloaded with a link");
		check(!live_detach(LIVE_DEV, 0), "detach");
		check(!live_module_unload(), "not unloaded");
		siblings_says("the module is not loaded", false, "link show");
		siblings_says("the module is not loaded", false, "link add dev " LIVE_DEV);
		check(access(XROCE_PIN_DIR "/" LIVE_DEV, F_OK), "pins are left");
		check(!live_module_load() &&
		      !live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES),
		      "load and attach again");
	}
}

TEST_MAIN(live_main);
