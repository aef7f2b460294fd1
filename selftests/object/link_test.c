// SPDX-License-Identifier: GPL-2.0-only
/* Links: the commands that make, find and delete them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "live.h"

static int dev_open(void)
{
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);

	check(fd >= 0, XROCE_DEV_PATH ": %s", strerror(errno));
	return fd;
}

static int link_add(int fd, __u32 ifindex, __u32 *link)
{
	struct xroce_link_add a = { .size = sizeof(a), .ifindex = ifindex };
	int ret = live_ioctl(fd, XROCE_CMD_LINK_ADD, &a);

	if (link)
		*link = a.link;
	return ret;
}

static int link_maps_all(int fd, __u32 link, int mpt_fd, int qp_fd,
			 int mr_stat_fd, int prog_fd)
{
	struct xroce_link_maps a = {
		.size = sizeof(a),
		.link = link,
		.mpt_fd = mpt_fd,
		.qp_fd = qp_fd,
		.mr_stat_fd = mr_stat_fd,
		.prog_fd = prog_fd,
	};

	return live_ioctl(fd, XROCE_CMD_LINK_MAPS, &a);
}

/* LINK_MAPS without per-region counters and without a program. */
static int link_maps(int fd, __u32 link, int mpt_fd, int qp_fd)
{
	return link_maps_all(fd, link, mpt_fd, qp_fd, -1, -1);
}

static int link_del(int fd, __u32 link, __u32 flags)
{
	struct xroce_link_del a = {
		.size = sizeof(a), .flags = flags, .link = link,
	};

	return live_ioctl(fd, XROCE_CMD_LINK_DEL, &a);
}

static int link_use(int fd, __u32 ifindex)
{
	struct xroce_link_use a = { .size = sizeof(a), .ifindex = ifindex };

	return live_ioctl(fd, XROCE_CMD_LINK_USE, &a);
}

static __u32 spare(void)
{
	return if_nametoindex(LIVE_SPARE);
}

static bool spare_has_link(void)
{
	struct xroce_link_query q;

	return !xroce_link_find(LIVE_SPARE, &q);
}

static int array(__u32 value_size, __u32 entries)
{
	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "t", 4, value_size, entries,
			      NULL);
}

TEST(link_add_errors, "D1", "LINK_ADD needs a netdev that has no link")
{
	int fd = dev_open(), ret;
	__u32 link;

	check_is(link_add(fd, 0, NULL), -ENODEV, "ifindex 0");
	check_is(link_add(fd, 0x7ffffff0, NULL), -ENODEV, "no such ifindex");
	check_is(link_add(fd, 0xffffffff, NULL), -ENODEV, "ifindex -1");
	check_is(link_add(fd, if_nametoindex(LIVE_DEV), NULL), -EEXIST, "it has one");
	live_drop_cap(CAP_NET_ADMIN);
	ret = link_add(fd, spare(), NULL);
	live_restore_caps();
	check(ret == -EPERM, "without CAP_NET_ADMIN: %d", ret);
	ret = link_add(fd, spare(), &link);
	check(!ret && link < 256, "right: %d, link %u", ret, link);
	check_is(link_add(fd, spare(), NULL), -EEXIST, "twice");
	close(fd);
}

/* Until LINK_MAPS, a link belongs to the file that made it. */
TEST(link_maker_closes, "D1", "a link without maps ends with the file that made it")
{
	int fd = dev_open(), other = dev_open(), ret;
	__u32 link;

	ret = link_add(fd, spare(), &link);
	check(!ret && spare_has_link(), "LINK_ADD: %d", ret);
	check_is(link_use(other, spare()), -ENOENT, "LINK_USE of a link without maps");
	check_is(link_del(other, link, XROCE_F_FORCE), -EBUSY, "LINK_DEL of a link without maps");
	close(other);
	check(spare_has_link(), "closing another descriptor deleted it");
	close(fd);
	check(!spare_has_link(), "it outlives its maker");
}

TEST(link_maps, "U2", "LINK_MAPS accepts only arrays of the right shape")
{
	const __u32 mpt_size = sizeof(struct xroce_mpt);
	const __u32 qp_size = sizeof(struct xroce_qp);
	int mpt = array(mpt_size, 16), qp = array(qp_size, 16);
	const struct {
		const char *what;
		int mpt, qp, want;
	} bad[] = {
		{ "no descriptor", -1, qp, -EBADF },
		{ "no second descriptor", mpt, -1, -EBADF },
		{ "not a map", open("/dev/null", O_RDONLY), qp, -EINVAL },
		{ "second not a map", mpt, open("/dev/null", O_RDONLY),
		  -EINVAL },
		{ "exchanged", qp, mpt, -EINVAL },
		{ "a hash", bpf_map_create(BPF_MAP_TYPE_HASH, "t", 4, mpt_size,
					   16, NULL), qp, -EINVAL },
		{ "a per-CPU array", bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY,
						    "t", 4, mpt_size, 16, NULL),
		  qp, -EINVAL },
		{ "small values", array(mpt_size - 8, 16), qp, -EINVAL },
		{ "large values", array(mpt_size + 8, 16), qp, -EINVAL },
		{ "second of large values", mpt, array(qp_size + 8, 16),
		  -EINVAL },
		{ "17 entries", array(mpt_size, 17), qp, -EINVAL },
		{ "8 entries", array(mpt_size, 8), qp, -EINVAL },
		{ "second of 48 entries", mpt, array(qp_size, 48), -EINVAL },
		{ "second of 2^17 entries", mpt, array(qp_size, 1 << 17),
		  -EINVAL },
	};
	int fd = dev_open(), other = dev_open(), ret;
	__u32 link = 0;
	size_t i;

	check_is(link_add(fd, spare(), &link), 0, "LINK_ADD");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = link_maps(fd, link, bad[i].mpt, bad[i].qp);
		check(ret == bad[i].want, "%s: %d, not %d", bad[i].what, ret,
		      bad[i].want);
		if (bad[i].mpt != mpt && bad[i].mpt != qp)
			close(bad[i].mpt);
		if (bad[i].qp != qp && bad[i].qp != mpt)
			close(bad[i].qp);
	}
	check_is(link_maps(fd, 255, mpt, qp), -ENOENT, "no such link");
	check_is(link_maps(fd, 0xffffffff, mpt, qp), -ENOENT, "no such link");
	check_is(link_maps(other, link, mpt, qp), -EEXIST, "another's link");
	live_drop_cap(CAP_NET_ADMIN);
	ret = link_maps(fd, link, mpt, qp);
	live_restore_caps();
	check(ret == -EPERM, "without CAP_NET_ADMIN: %d", ret);

	check_is(link_maps(fd, link, mpt, qp), 0, "right");
	check_is(link_maps(fd, link, mpt, qp), -EEXIST, "twice");
	close(fd);
	check(spare_has_link(), "with maps it should outlive its maker");
	ret = link_del(other, link, 0);
	check(!ret && !spare_has_link(), "LINK_DEL: %d", ret);
	close(other);
	close(mpt);
	close(qp);
}

/* LINK_MAPS with @paths of the spare device. Return: 0, and @shown of LINK_QUERY; or -errno. */
static int link_paths(int fd, int mpt, int qp, __u32 paths, __u32 *shown)
{
	struct xroce_link_maps a = {
		.size = sizeof(a), .mpt_fd = mpt, .qp_fd = qp, .mr_stat_fd = -1, .prog_fd = -1,
		.paths = paths,
	};
	struct xroce_link_query q = {};
	int ret;

	check_is(link_add(fd, spare(), &a.link), 0, "LINK_ADD");
	check(!xroce_link_find(LIVE_SPARE, &q) && !q.paths, "without maps: %u", q.paths);
	ret = live_ioctl(fd, XROCE_CMD_LINK_MAPS, &a);
	check_is(xroce_link_find(LIVE_SPARE, &q), 0, "LINK_QUERY");
	*shown = q.paths;
	return ret;
}

TEST(link_paths, "U2", "a link has 1 to 16 paths; one by default")
{
	static const struct {
		__u32 paths, shown;
		int want;
	} rows[] = {
		{ 0, 1, 0 }, { 1, 1, 0 }, { 5, 5, 0 }, { XROCE_PATHS_MAX, 16, 0 },
		{ XROCE_PATHS_MAX + 1, 0, -EINVAL }, { 0x10001, 0, -EINVAL },
		{ UINT32_MAX, 0, -EINVAL },
	};
	int mpt = array(sizeof(struct xroce_mpt), 16), qp = array(sizeof(struct xroce_qp), 16);
	struct xroce_link_query q = {};
	int fd, ret;
	__u32 shown;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++) {
		fd = dev_open();
		ret = link_paths(fd, mpt, qp, rows[i].paths, &shown);
		check(ret == rows[i].want && shown == rows[i].shown, "%u: %d, shown %u",
		      rows[i].paths, ret, shown);
		if (!ret && !xroce_link_find(LIVE_SPARE, &q))
			check_is(link_del(fd, q.link, 0), 0, "LINK_DEL");
		close(fd);
	}
	close(mpt);
	close(qp);
}

static int percpu_array(__u32 value_size, __u32 entries)
{
	return bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "t", 4, value_size,
			      entries, NULL);
}

/* Map of per-region counters: as many entries as regions, or no map. */
TEST(link_maps_of_counters, "U2 D6",
     "the map of per-region counters has the right shape, or is absent")
{
	const __u32 size = sizeof(struct xroce_mr_stat);
	int mpt = array(sizeof(struct xroce_mpt), 16);
	int qp = array(sizeof(struct xroce_qp), 16);
	int good = percpu_array(size, 16);
	const struct {
		const char *what;
		int fd, want;
	} bad[] = {
		{ "no descriptor", -2, -EBADF },
		{ "not a map", open("/dev/null", O_RDONLY), -EINVAL },
		{ "the memory protection table", mpt, -EINVAL },
		{ "an array", array(size, 16), -EINVAL },
		{ "small values", percpu_array(size - 8, 16), -EINVAL },
		{ "large values", percpu_array(size + 8, 16), -EINVAL },
		{ "one entry", percpu_array(size, 1), -EINVAL },
		{ "8 entries", percpu_array(size, 8), -EINVAL },
		{ "32 entries", percpu_array(size, 32), -EINVAL },
	};
	static const int right[] = { -1, 0 };
	int fd = dev_open(), ret;
	__u32 link = 0;
	size_t i;

	check_is(link_add(fd, spare(), &link), 0, "LINK_ADD");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = link_maps_all(fd, link, mpt, qp, bad[i].fd, -1);
		check(ret == bad[i].want, "%s: %d, not %d", bad[i].what, ret,
		      bad[i].want);
		if (bad[i].fd >= 0 && bad[i].fd != mpt)
			close(bad[i].fd);
	}
	for (i = 0; i < ARRAY_SIZE(right); i++) {
		check_is(link_maps_all(fd, link, mpt, qp, right[i] ? : good, -1), 0, "right, %zu",
			 i);
		check(!link_del(fd, link, 0), "LINK_DEL");
		check(!link_add(fd, spare(), &link), "LINK_ADD");
	}
	close(fd);
	close(mpt);
	close(qp);
	close(good);
}

/* The program that runs for deferred frames; or none. */
TEST(link_maps_program, "U2 O3", "LINK_MAPS accepts only XDP programs")
{
	int mpt = array(sizeof(struct xroce_mpt), 16);
	int qp = array(sizeof(struct xroce_qp), 16);
	const struct {
		const char *what;
		int fd, want;
	} bad[] = {
		{ "no descriptor", -2, -EBADF },
		{ "not a program", open("/dev/null", O_RDONLY), -EINVAL },
		{ "a map", mpt, -EINVAL },
		{ "a socket filter", live_program(BPF_PROG_TYPE_SOCKET_FILTER, 0),
		  -EINVAL },
		{ "for a CPU map", live_program(BPF_PROG_TYPE_XDP, BPF_XDP_CPUMAP),
		  -EINVAL },
		{ "for a device map", live_program(BPF_PROG_TYPE_XDP, BPF_XDP_DEVMAP),
		  -EINVAL },
	};
	int good = live_program(BPF_PROG_TYPE_XDP, BPF_XDP);
	int fd = dev_open(), ret;
	__u32 link = 0;
	size_t i;

	check_is(link_add(fd, spare(), &link), 0, "LINK_ADD");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = link_maps_all(fd, link, mpt, qp, -1, bad[i].fd);
		check(ret == bad[i].want, "%s: %d, not %d", bad[i].what, ret,
		      bad[i].want);
		if (bad[i].fd >= 0 && bad[i].fd != mpt)
			close(bad[i].fd);
	}
	check_is(link_maps_all(fd, link, mpt, qp, -1, good), 0, "right");
	check(!link_del(fd, link, 0), "LINK_DEL");
	close(fd);
	close(mpt);
	close(qp);
	close(good);
}

static int link_prog(int fd, __u32 link, int prog_fd)
{
	struct xroce_link_prog a = {
		.size = sizeof(a), .link = link, .prog_fd = prog_fd,
	};

	return live_ioctl(fd, XROCE_CMD_LINK_PROG, &a);
}

static __u32 id_of(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	check(!bpf_obj_get_info_by_fd(prog_fd, &info, &len), "program: %s",
	      strerror(errno));
	return info.id;
}

static bool is_freed(void *arg)
{
	int fd = bpf_prog_get_fd_by_id(*(__u32 *)arg);

	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

/* The previous program is released, the new one is held. */
TEST(link_another_program, "U1 O3", "the program of a link can be replaced")
{
	int mpt = array(sizeof(struct xroce_mpt), 16);
	int qp = array(sizeof(struct xroce_qp), 16);
	int first = live_program(BPF_PROG_TYPE_XDP, BPF_XDP);
	int good = live_program(BPF_PROG_TYPE_XDP, BPF_XDP);
	const struct {
		const char *what;
		int fd, want;
	} bad[] = {
		{ "no descriptor", -2, -EBADF },
		{ "none", -1, -EBADF },
		{ "not a program", open("/dev/null", O_RDONLY), -EINVAL },
		{ "a map", mpt, -EINVAL },
		{ "a socket filter", live_program(BPF_PROG_TYPE_SOCKET_FILTER, 0),
		  -EINVAL },
		{ "for a CPU map", live_program(BPF_PROG_TYPE_XDP, BPF_XDP_CPUMAP),
		  -EINVAL },
	};
	__u32 link = 0, was = id_of(first), is = id_of(good);
	int fd = dev_open(), ret;
	size_t i;

	check(!link_add(fd, spare(), &link), "LINK_ADD");
	check_is(link_prog(fd, link, good), -ENOENT, "before it has maps");
	check_is(link_maps_all(fd, link, mpt, qp, -1, first), 0, "LINK_MAPS");
	close(first);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = link_prog(fd, link, bad[i].fd);
		check(ret == bad[i].want, "%s: %d, not %d", bad[i].what, ret,
		      bad[i].want);
		if (bad[i].fd >= 0 && bad[i].fd != mpt)
			close(bad[i].fd);
	}
	check_is(link_prog(fd, 255, good), -ENOENT, "no such link");
	live_drop_cap(CAP_NET_ADMIN);
	ret = link_prog(fd, link, good);
	live_restore_caps();
	check(ret == -EPERM, "without CAP_NET_ADMIN: %d", ret);
	check(!is_freed(&was), "a refused change released the program");
	check_is(link_prog(fd, link, good), 0, "right");
	check_is(link_prog(fd, link, good), 0, "once more");
	close(good);
	check(live_wait(is_freed, &was), "the previous program is still held");
	check(!is_freed(&is), "the new program is not held");
	check(!link_del(fd, link, 0), "LINK_DEL");
	check(live_wait(is_freed, &is), "a deleted link holds the program");
	close(fd);
	close(mpt);
	close(qp);
}

TEST(link_use_errors, "R10", "a descriptor uses one link")
{
	int fd = dev_open();

	check_is(link_use(fd, 0x7ffffff0), -ENODEV, "no such ifindex");
	check_is(link_use(fd, spare()), -ENOENT, "no link");
	check_is(link_use(fd, if_nametoindex(LIVE_DEV)), 0, "right");
	check_is(link_use(fd, if_nametoindex(LIVE_DEV)), -EBUSY, "again");
	close(fd);
}

TEST(link_netns, "R10", "an ifindex belongs to the caller's network namespace")
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	__u32 ifindex = if_nametoindex(LIVE_DEV);
	int fd = dev_open();

	check(!unshare(CLONE_NEWNET), "%s", strerror(errno));
	check_is(link_use(fd, ifindex), -ENODEV, "LINK_USE from elsewhere");
	check_is(link_add(fd, ifindex, NULL), -ENODEV, "LINK_ADD from elsewhere");
	check(!setns(home, CLONE_NEWNET), "%s", strerror(errno));
	check_is(link_use(fd, ifindex), 0, "LINK_USE from home");
	close(home);
	close(fd);
}

PD_TEST(link_query, "U1", "LINK_QUERY reports the link")
{
	struct xroce_link_query q = { .size = sizeof(q) };
	struct stat netns;
	__u32 qpn;
	int fd = dev_open(), ret;
	size_t i;

	check(!xroce_qp_create_responder(x, 0, pd, &qpn), "QP_ADD");
	stat("/proc/self/ns/net", &netns);
	q.link = xroce_link(x);
	memset(q.verbs, 'x', sizeof(q.verbs));
	ret = live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q);
	for (i = 0; i < sizeof(q.verbs); i++)
		check(!q.verbs[i], "no verbs device, but byte %zu is %#x", i, q.verbs[i]);
	check(!ret && !q.flags && q.link == xroce_link(x) &&
	      q.ifindex == if_nametoindex(LIVE_DEV) &&
	      q.netns == netns.st_ino && !strcmp(q.name, LIVE_DEV),
	      "%d: flags %x, link %u, ifindex %u, netns %llu, name %s", ret,
	      q.flags, q.link, q.ifindex, (unsigned long long)q.netns, q.name);
	check(q.mpt_entries == LIVE_MPT_ENTRIES &&
	      q.qp_entries == LIVE_QP_ENTRIES && q.pds == 1 && q.mrs == 0 &&
	      q.qps == 1 && q.users == 1,
	      "%u MPT, %u QP entries, %u PDs, %u regions, %u QPs, %u users",
	      q.mpt_entries, q.qp_entries, q.pds, q.mrs, q.qps, q.users);

	q = (struct xroce_link_query){ .size = sizeof(q), .link = 255 };
	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q), -ENOENT, "no such link");
	q = (struct xroce_link_query){
		.size = sizeof(q), .flags = XROCE_F_NEXT,
		.link = xroce_link(x) + 1,
	};
	ret = live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q);
	check(ret == -ENOENT, "none after it: %d, %u", ret, q.link);
	q = (struct xroce_link_query){
		.size = sizeof(q), .flags = XROCE_F_NEXT, .link = 0xffffffff,
	};

	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q), -ENOENT, "none after the last number");
	close(fd);
}

/*
 * Links of another namespace are shown to whoever has CAP_NET_ADMIN, and to nobody else, who cannot
 * tell them from links that do not exist.
 */
HANDLE_TEST(link_query_elsewhere, "R10 U1", "links of another namespace, without CAP_NET_ADMIN")
{
	struct xroce_link_query all = { .size = sizeof(all), .flags = XROCE_F_NEXT };
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct xroce_link_query q = { .size = sizeof(q) };
	int fd = dev_open();

	q.link = xroce_link(x);
	live_drop_cap(CAP_NET_ADMIN);
	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q), 0, "at home, without CAP_NET_ADMIN");
	q.link = 255;
	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q), -ENOENT, "no such link, without it");
	live_restore_caps();
	check(!unshare(CLONE_NEWNET), "%s", strerror(errno));
	q.link = xroce_link(x);
	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q), 0, "from elsewhere, with CAP_NET_ADMIN");
	live_drop_cap(CAP_NET_ADMIN);
	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q), -ENOENT, "from elsewhere, without it");
	check_is(live_ioctl(fd, XROCE_CMD_LINK_QUERY, &all), -ENOENT, "any, without it");
	live_restore_caps();
	check(!setns(home, CLONE_NEWNET), "%s", strerror(errno));
	close(home);
	close(fd);
}

TEST(link_renamed, "U1", "a link follows its netdev's name")
{
	struct xroce_link_query q;

	check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES),
	      "attach");
	check(live_rename(LIVE_SPARE, "renamed"), "rename");
	check(!xroce_link_find("renamed", &q) &&
	      q.ifindex == if_nametoindex("renamed"), "the new name: %s",
	      q.name);
	check(xroce_link_find(LIVE_SPARE, &q) == -ENOENT, "the old name");
	check(live_rename("renamed", LIVE_SPARE), "rename back");
	check(!live_detach(LIVE_SPARE, 0), "detach");
}

TEST(link_del_errors, "D1", "LINK_DEL is refused while a file uses the link")
{
	struct xroce *x = live_open();
	int fd = dev_open(), ret;
	__u32 link;

	if (!x)
		return;
	link = xroce_link(x);
	check_is(link_del(fd, 255, 0), -ENOENT, "no such link");
	check_is(link_del(fd, 0xffffffff, 0), -ENOENT, "no such link");
	check_is(link_del(fd, link, 0), -EBUSY, "with a user");
	check_is(link_del(fd, link, XROCE_F_FORCE), -EBUSY, "with a user, by force");
	xroce_close(x);
	live_drop_cap(CAP_NET_ADMIN);
	ret = link_del(fd, link, 0);
	live_restore_caps();
	check(ret == -EPERM, "without CAP_NET_ADMIN: %d", ret);
	close(fd);
	live_check_idle(LIVE_DEV);
}

TEST(link_del_persistent, "R7", "LINK_DEL of persistent objects needs force")
{
	static char page[4096] __attribute__((aligned(4096)));
	struct xroce_mr_reg r = {
		.flags = XROCE_F_PERSISTENT,
		.access = XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)page,
		.length = sizeof(page),
	};
	struct xroce *x;
	__u32 qpn;
	int ret;

	check(!live_attach(LIVE_SPARE, LIVE_SPARE_ENTRIES, LIVE_SPARE_ENTRIES),
	      "attach");
	x = xroce_open(LIVE_SPARE);
	if (!check(x, "open: %s", strerror(errno)))
		return;
	check_is(xroce_pd_add(x, XROCE_F_PERSISTENT, &r.pd), 0, "PD_ADD");
	check_is(xroce_mr_reg(x, &r), 0, "MR_REG");
	check_is(xroce_qp_create_responder(x, XROCE_F_PERSISTENT, r.pd, &qpn), 0, "QP_ADD");
	xroce_close(x);

	check(live_pinned() == 1, "%ld pages pinned", live_pinned());
	ret = xroce_detach(LIVE_SPARE, 0, NULL);
	check(ret == -EBUSY && spare_has_link(), "with objects: %d", ret);
	ret = xroce_detach(LIVE_SPARE, XROCE_F_FORCE, NULL);
	check(!ret && !spare_has_link(), "by force: %d", ret);
	live_check_idle(LIVE_DEV);
}

TEST_MAIN(live_main_no_packets);
