// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits of a control group, by the kernel's rdma controller.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "group.h"
#include "limit.h"
#include "mem.h"

#define RDMA_CGROUP	"/sys/module/xroce/parameters/rdma_cgroup"

/* Make the link again, with or without the controller. Return: whether that worked. */
static bool with_group(bool on)
{
	struct xroce_limit_query q;

	live_parameter("rdma_cgroup", on);
	check(!live_detach(LIVE_DEV, 0), "detach");
	if (!check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES), "attach"))
		return false;
	q = limit_used_by(0, 0);
	return check(!!q.device[0] == on, "with the controller: %d", !on);
}

/* Return: whether there is a group and the link is one of its devices. */
static bool group_begin(void)
{
	struct xroce_limit_query q = limit_used_by(0, 0);

	if (access(RDMA_CGROUP, F_OK)) {
		skip("the kernel has no controller for RDMA");
		return false;
	}
	/* Links do not register with the controller by default. */
	check(!q.device[0], "%.16s", q.device);
	return group_open("rdma") && with_group(true);
}

/* Return: whether a file of the group has a line that begins with @want. */
static bool group_line(const char *file, const char *want)
{
	char text[512] = "", *at, *end;
	bool is;

	group_get(file, text, sizeof(text));
	at = strstr(text, want);
	end = at ? at + strlen(want) : NULL;
	is = at && (at == text || at[-1] == '\n') && (*end == ' ' || *end == '\n');
	if (!is)
		note("%s: %s", file, text);
	return is;
}

static void used_in_group(const char *device, int handles, int objects)
{
	char line[64];

	snprintf(line, sizeof(line), "%s hca_handle=%d hca_object=%d", device,
		 handles, objects);
	check(group_line("rdma.current", line), "not %s", line);
}

/* A process in the group: makes objects up to the limit, and gets -EAGAIN past it. */
static void in_group(int told, int tell)
{
	struct xroce *x, *y;
	__u32 pd, id, what;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!group_join(0))
		_exit(1);
	limit_memory = mem_map(2);
	x = live_open();
	pd = x ? live_pd(x) : 0;
	for (what = XROCE_COUNT_MR; what < XROCE_COUNT_PINNED; what++)
		limit_expect(x, what, 0, pd, 0, "the group");
	/* The seventh object is persistent, and is charged to the group all the same. */
	check(!limit_make(x, XROCE_COUNT_PD, XROCE_F_PERSISTENT, 0, &id), "persistent");
	for (what = 0; what < XROCE_COUNT_PINNED; what++)
		limit_expect(x, what, 0, pd, -EAGAIN, "the group, past its limit");
	y = xroce_open(LIVE_DEV);
	check(!y && errno == EAGAIN, "a second handle: %s", strerror(errno));
	if (write(tell, &id, sizeof(id)) != sizeof(id) || read(told, &c, 1) != 1)
		_exit(2);
	fflush(NULL);
	_exit(test_failed() ? 3 : 0);
}

/*
 * Lift the limits before the group is deleted: if an rdma device is unregistered after a
 * group that had limits for it, the kernel uses freed memory; see kmod/own/limit.c.
 */
static void group_end(const char *device)
{
	char line[64];

	snprintf(line, sizeof(line), "%s hca_handle=max hca_object=max", device);
	check(group_put("rdma.max", line), "rdma.max: %s", strerror(errno));
	group_close();
	with_group(false);
}

TEST(limit_group, "R7 R10", "the limit of the control group holds")
{
	struct xroce_limit_query q, none = {};
	int to[2], from[2], status;
	struct xroce *x;
	__u32 pd = 0;
	char device[sizeof(q.device) + 1], line[64];
	pid_t child;

	if (!group_begin())
		return;
	q = limit_used_by(0, 0);
	snprintf(device, sizeof(device), "%.*s", (int)sizeof(q.device), q.device);
	check(!pipe(to) && !pipe(from), "pipe");
	snprintf(line, sizeof(line), "%s hca_handle=1 hca_object=7", device);
	check(group_put("rdma.max", line), "rdma.max: %s", strerror(errno));
	fflush(NULL);
	child = fork();
	if (!child)
		in_group(to[0], from[1]);
	check(read(from[0], &pd, sizeof(pd)) == sizeof(pd), "the child");
	used_in_group(device, 1, 7);
	/* Processes outside the group are not charged to it. */
	x = live_open();
	if (x) {
		live_pd(x);
		check(!xroce_pd_del(x, pd), "PD_DEL of the persistent one");
	}
	used_in_group(device, 1, 6);
	check(write(to[1], "", 1) == 1, "the child");
	waitpid(child, &status, 0);
	check(!status, "the child's status %#x", status);
	used_in_group(device, 0, 0);
	live_close(x);
	q = limit_used_by(0, 0);
	check(limit_same(&q, &none), "something is still counted");
	group_end(device);
}

/* Two links have two device names, even if their netdevs have had the same name. */
TEST(limit_group_names, "R10", "each link has its own device name in the controller")
{
	struct xroce_limit_query q = {}, other = {};
	char line[64];

	if (!group_begin())
		return;
	q = limit_used_by(0, 0);
	check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES),
	      "attach");
	check(live_rename(LIVE_SPARE, "renamed"), "rename");
	other.link = limit_link("renamed");
	check(!xroce_limit_query(&other) && strcmp(other.device, q.device),
	      "both are %s", q.device);
	snprintf(line, sizeof(line), "%s hca_handle=0 hca_object=0", other.device);
	check(group_line("rdma.current", line), "no %s", line);
	check(live_rename("renamed", LIVE_SPARE), "rename");
	check(!live_detach(LIVE_SPARE, 0), "detach");
	check(!group_line("rdma.current", line), "%s is still there", line);
	used_in_group(q.device, 0, 0);
	group_close();
	with_group(false);
}

TEST_MAIN(live_main_no_packets);
