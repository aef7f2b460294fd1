// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of a netdev while its link serves: name, MTU, network namespace. Peers of that
 * link at most wait, and peers of another link are not affected. No byte is wrong, and the
 * command finds the link. doc/operations.md says what happens to each object.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "siblings.h"

#define ROUNDS	2

/* The command finds the link by its new name only. */
TEST(netdev_renamed, "D1 U1", "a netdev is renamed under traffic")
{
	int i;

	if (!siblings_start())
		return;
	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		check_sh("ip link set " LIVE_DEV " name y0");
		siblings_says("dev y0 ", true, "link show dev y0");
		siblings_says("pins /sys/fs/bpf/xroce/" LIVE_DEV, true, "-d link show dev y0");
		siblings_says("no such network device", false, "link show dev " LIVE_SPARE "x");
		siblings_says("write ", true, "stat show dev y0");
		checked_goes_on(&sibling_changed, 5);
		checked_goes_on(&sibling_quiet, 3);
		check_sh("ip link set y0 name " LIVE_DEV);
		siblings_says("dev " LIVE_DEV " ", true, "link show dev " LIVE_DEV);
		checked_goes_on(&sibling_changed, 5);
	}
	siblings_stop();
}

/*
 * Making a link on a new device with the old name fails: the pins belong to another
 * device's link. Both can be deleted.
 */
TEST(netdev_old_name, "D1 U1", "another netdev takes the old name")
{
	struct xroce_link_query q;

	if (!siblings_start())
		return;
	check_sh("ip link set " LIVE_SPARE " name y1");
	check_sh("ip link add " LIVE_SPARE " type dummy");
	siblings_says("belongs to another device's link", false,
	     "link add dev " LIVE_SPARE " mpt 16 qp 16");
	siblings_says("it has no link", false, "link del dev " LIVE_SPARE);
	checked_goes_on(&sibling_quiet, 5);
	check_sh("ip link del " LIVE_SPARE);
	checked_stop(&sibling_quiet);
	siblings_says("", true, "link del dev y1");
	check(access(XROCE_PIN_DIR "/" LIVE_SPARE, F_OK), "pins are left");
	check(xroce_link_find("y1", &q) == -ENOENT, "it has a link");
	check_sh("ip link set y1 name " LIVE_SPARE);
	checked_goes_on(&sibling_changed, 5);
	checked_stop(&sibling_changed);
	live_check_idle(LIVE_DEV);
}

/* Requests of 1024 bytes do not fit while the MTU is small. */
TEST(netdev_mtu, "D1", "the MTU changes under traffic")
{
	static const int mtus[] = { 1300, 4300, 600, 1500, 68, 9000 };
	size_t i;

	if (!siblings_start())
		return;
	for (i = 0; i < ARRAY_SIZE(mtus) && !test_failed(); i++) {
		check_sh("ip link set " LIVE_DEV " mtu %d", mtus[i]);
		if (mtus[i] > 1100)
			checked_goes_on(&sibling_changed, 10);
		checked_goes_on(&sibling_quiet, 3);
	}
	check_sh("ip link set " LIVE_DEV " mtu 4300");
	siblings_stop();
}

/**
 * struct nets - two network namespaces
 * @home: the namespace of the test
 * @there: another one
 */
struct nets {
	int home;
	int there;
};

static int this_net(void)
{
	return open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static bool nets_open(struct nets *n)
{
	n->home = this_net();
	if (!check(!unshare(CLONE_NEWNET), "%s", strerror(errno)))
		return false;
	n->there = this_net();
	return check(!setns(n->home, CLONE_NEWNET), "%s", strerror(errno));
}

static void nets_close(struct nets *n)
{
	check(!setns(n->home, CLONE_NEWNET), "%s", strerror(errno));
	close(n->there);
	close(n->home);
}

/* Move a device to another namespace and enter that namespace. */
static void go(const char *dev, int net)
{
	check_sh("ip link set %s netns /proc/%d/fd/%d", dev, getpid(), net);
	check(!setns(net, CLONE_NEWNET), "%s", strerror(errno));
	check_sh("ip link set %s up", dev);
}

/* Move the device away and back; it serves in both namespaces. */
TEST(netdev_moved, "D1 R10", "a netdev moves to another network namespace and back")
{
	struct nets n;
	int i;

	if (!nets_open(&n))
		return;
	if (!siblings_start())
		goto out;
	for (i = 0; i < ROUNDS && !test_failed(); i++) {
		go(LIVE_DEV, n.there);
		siblings_says("mode native", true, "link show dev " LIVE_DEV);
		checked_goes_on(&sibling_changed, 5);
		setns(n.home, CLONE_NEWNET);
		siblings_says("no such network device", false, "link del dev " LIVE_DEV);
		siblings_says("dev " LIVE_DEV " ", true, "link show");
		checked_goes_on(&sibling_changed, 5);
		setns(n.there, CLONE_NEWNET);
		go(LIVE_DEV, n.home);
		siblings_says("mode native", true, "link show dev " LIVE_DEV);
		checked_goes_on(&sibling_changed, 5);
	}
	/* Delete the link there, by the device's name there. */
	checked_stop(&sibling_quiet);
	go(LIVE_SPARE, n.there);
	check_sh("ip link set " LIVE_SPARE " name y1");
	siblings_says("", true, "link del dev y1");
	check(access(XROCE_PIN_DIR "/" LIVE_SPARE, F_OK), "pins are left");
	check_sh("ip link set y1 name " LIVE_SPARE);
	go(LIVE_SPARE, n.home);
	checked_goes_on(&sibling_changed, 5);
	checked_stop(&sibling_changed);
	live_check_idle(LIVE_DEV);
out:
	nets_close(&n);
}

/*
 * A device in another namespace with the same ifindex is a different device, whatever its
 * name was.
 */
TEST(netdev_same_index, "D1 R10", "a netdev of the same ifindex in another namespace")
{
	struct xroce_link_query q;
	struct nets n;
	__u32 index;

	if (!nets_open(&n))
		return;
	if (!siblings_start() || !check(!xroce_link_find(LIVE_DEV, &q), "link"))
		goto out;
	index = q.ifindex;
	setns(n.there, CLONE_NEWNET);
	check_sh("ip link add d0 index %u type dummy", index);
	siblings_says("", true, "link add dev d0 mpt 16 qp 16");
	check_sh("ip link set d0 name " LIVE_DEV);
	siblings_says("pins /sys/fs/bpf/xroce/d0", true, "-d link show dev " LIVE_DEV);
	setns(n.home, CLONE_NEWNET);
	check_sh("ip link set " LIVE_DEV " name d0");
	siblings_says("pins /sys/fs/bpf/xroce/" LIVE_DEV, true, "-d link show dev d0");
	setns(n.there, CLONE_NEWNET);
	siblings_says("", true, "link del dev " LIVE_DEV);
	check(access(XROCE_PIN_DIR "/d0", F_OK), "its pins are left");
	check(!access(XROCE_PIN_DIR "/" LIVE_DEV, F_OK), "LIVE_DEV's pins are gone");
	setns(n.home, CLONE_NEWNET);
	siblings_says("mode native", true, "link show dev d0");
	check_sh("ip link set d0 name " LIVE_DEV);
	siblings_stop();
out:
	nets_close(&n);
}

/* A namespace with a BPF file system of its own and a device of the same name. */
static void container(void)
{
	struct checked c;

	if (check(!unshare(CLONE_NEWNET | CLONE_NEWNS) &&
		  !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		  !mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL), "%s",
		  strerror(errno)) &&
	    check(!live_veth_add(LIVE_DEV, "c0") &&
		  !live_attach(LIVE_DEV, LIVE_SPARE_ENTRIES,
			       LIVE_SPARE_ENTRIES), "attach") &&
	    checked_start(&c, NULL, NULL)) {
		siblings_says("pins /sys/fs/bpf/xroce/" LIVE_DEV, true,
			  "-d link show dev " LIVE_DEV);
		checked_goes_on(&c, 10 * ROUNDS);
		checked_stop(&c);
		check(!live_detach(LIVE_DEV, 0), "detach");
		check(access(XROCE_PIN_DIR "/" LIVE_DEV, F_OK), "pins are left");
	}
	fflush(NULL);
	_exit(test_failed());
}

/* Several such namespaces, as for containers, served at the same time as LIVE_DEV. */
TEST(netdev_containers, "D1 R10",
     "links of one name in several namespaces, each with its own pins")
{
	pid_t pid[3];
	int status;
	size_t i;

	if (!siblings_start())
		return;
	fflush(NULL);
	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		pid[i] = fork();
		if (!pid[i])
			container();
	}
	for (i = 0; i < ARRAY_SIZE(pid); i++) {
		checked_goes_on(&sibling_changed, 3);
		check(waitpid(pid[i], &status, 0) == pid[i] && !status,
		      "container %zu: status %#x", i, status);
	}
	siblings_says("pins /sys/fs/bpf/xroce/" LIVE_DEV, true,
		  "-d link show dev " LIVE_DEV);
	checked_goes_on(&sibling_changed, 5);
	siblings_stop();
}

TEST_MAIN(live_main);
