// SPDX-License-Identifier: GPL-2.0-only
/* Module, network namespace and link, and checks of what is left of them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/capability.h>

#include "sibling_path.h"
#include "counters.h"
#include "live.h"

int live_skip(void)
{
	/* Set by vm.sh, and by run.sh with VM=0, which uses this machine. */
	if (getenv("XROCE_NET"))
		return 0;
	printf("TAP version 13\n1..0 # SKIP needs the module: selftests/vm.sh\n");
	return HARNESS_SKIPPED;
}

static void module_path(char *path)
{
	const char *given = getenv("XROCE_MODULE");

	if (given)
		snprintf(path, PATH_MAX, "%s", given);
	else if (!sibling_path("../kmod/xroce.ko", path))
		path[0] = '\0';
}

/* The module was loaded before this program and stays: see soak.sh. */
static bool module_stays(void)
{
	return getenv("XROCE_KEEP_MODULE");
}

int live_module_load_with(const char *parameters)
{
	char path[PATH_MAX];
	int fd, ret = 0;

	module_path(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, parameters, 0))
		ret = -errno;
	close(fd);
	return ret;
}

void live_parameter(const char *name, unsigned int value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/module/xroce/parameters/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	check(fd >= 0 && dprintf(fd, "%u", value) > 0, "%s", path);
	close(fd);
}

int live_module_load(void)
{
	return module_stays() ? 0 : live_module_load_with("");
}

bool live_wait(bool (*done)(void *arg), void *arg)
{
	const struct timespec nap = { .tv_nsec = 2000000 };
	unsigned int tries = LIVE_PATIENCE * 20;
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += LIVE_PATIENCE;
	while (!done(arg)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		/* If the machine stands still, its clock does not. */
		if (tries)
			tries--;
		else if (now.tv_sec > end.tv_sec)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static bool unloaded(void *arg)
{
	int *ret = arg;

	*ret = syscall(SYS_delete_module, "xroce", O_NONBLOCK) ? -errno : 0;
	return *ret != -EAGAIN;
}

/* The kernel frees a detached program, which holds the module, asynchronously. */
int live_module_unload(void)
{
	int ret = 0;

	if (!module_stays())
		live_wait(unloaded, &ret);
	return ret;
}

int live_module_refused(void)
{
	int ret;

	unloaded(&ret);
	return ret;
}

static int run(const char *command)
{
	return system(command) ? -EIO : 0;
}

int live_peer_program(const char *peer)
{
	char pass[PATH_MAX], command[PATH_MAX + 128];

	if (!sibling_path("lib/pass.bpf.o", pass))
		return -ENOENT;
	snprintf(command, sizeof(command), "ip link set %s xdpdrv object %s section xdp.frags",
		 peer, pass);
	return run(command);
}

int live_veth_add(const char *dev, const char *peer)
{
	char command[256];
	int err;

	snprintf(command, sizeof(command),
		 "ip link add %s mtu 4300 type veth peer name %s mtu 4300 "
		 "address 02:00:00:00:00:02", peer, dev);
	err = run(command);
	if (!err)
		err = live_peer_program(peer);
	if (err)
		return err;
	snprintf(command, sizeof(command), "ip link set %s up && ip link set %s up", peer, dev);
	return run(command);
}

int live_veth_del(const char *dev)
{
	char command[64];

	snprintf(command, sizeof(command), "ip link del %s", dev);
	return run(command);
}

bool live_rename(const char *from, const char *to)
{
	char command[128];

	snprintf(command, sizeof(command),
		 "ip link set %s down && ip link set %s name %s && "
		 "ip link set %s up", from, from, to, to);
	return !run(command);
}

static int attach(const char *dev, struct xroce_attach_opts *opts)
{
	int ret = xroce_attach(dev, opts);

	if (ret)
		note("attach %s: %s", dev, opts->error);
	return ret;
}

int live_attach(const char *dev, __u32 mpt_entries, __u32 qp_entries)
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts),
		.mpt_entries = mpt_entries,
		.qp_entries = qp_entries,
	};

	return attach(dev, &opts);
}

bool live_attach_generic(void)
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts),
		.mpt_entries = LIVE_SPARE_ENTRIES,
		.qp_entries = LIVE_SPARE_ENTRIES,
		.mode = XROCE_MODE_GENERIC,
	};

	return check(!attach(LIVE_SPARE, &opts), "attach in mode generic");
}

int live_detach(const char *dev, __u32 flags)
{
	char error[XROCE_ERROR_MAX];
	int ret = xroce_detach(dev, flags, error);

	if (ret)
		note("detach %s: %s", dev, error);
	return ret;
}

static int bail_out(const char *what, int err)
{
	printf("Bail out! %s: %s\n", what, strerror(-err));
	return 1;
}

/* This program runs in one_link, which has made module, network and link for several programs. */
static bool on_one_link(void)
{
	return getenv(LIVE_ONE_LINK);
}

int live_up(void)
{
	int err = live_module_load();

	if (err)
		return bail_out("load the module", err);
	if (unshare(CLONE_NEWNET))
		err = -errno;
	if (!err)
		err = live_veth_add(LIVE_DEV, "c0");
	if (!err)
		err = live_veth_add(LIVE_SPARE, "c1");
	if (!err)
		err = live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES);
	if (!err)
		return 0;
	live_module_unload();
	return bail_out("set up", err);
}

int live_down(void)
{
	int err = live_detach(LIVE_DEV, 0), status = 0;

	if (err)
		status = bail_out("detach", err);
	err = live_module_unload();
	if (err)
		status = bail_out("unload the module", err);
	return status;
}

/*
 * What one_link has made is as it was made. Answers that the program did not wait for may still be
 * in c0, as nothing wakes it; they are dropped, or the next program would get them.
 */
static int live_left(void)
{
	struct xroce_link_query q;
	int err = run("ip link set c0 down && ip link set c0 up");

	if (!err)
		err = xroce_link_find(LIVE_DEV, &q);
	if (!err && (q.users || q.pds || q.mrs || q.qps))
		err = -EBUSY;
	if (!err && xroce_link_find(LIVE_SPARE, &q) != -ENOENT)
		err = -EEXIST;
	return err ? bail_out("the link that programs share", err) : 0;
}

int live_main(int argc, char **argv)
{
	int status, left;

	status = live_skip();
	if (status)
		return status;
	if (!on_one_link())
		status = live_up();
	if (status)
		return status;
	status = harness_main(argc, argv);
	left = on_one_link() ? live_left() : live_down();
	return left ? left : status;
}

int live_main_no_packets(int argc, char **argv)
{
	char path[PATH_MAX];

	/* An object that was named at the command line is used instead. */
	if (sibling_path("lib/small.bpf.o", path))
		setenv("XROCE_BPF_OBJECT", path, 0);
	return live_main(argc, argv);
}

int live_main_alone(int argc, char **argv)
{
	int status;

	status = live_skip();
	if (status)
		return status;
	if (unshare(CLONE_NEWNET))
		return bail_out("network namespace", -errno);
	return harness_main(argc, argv);
}

int live_ioctl(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

struct xroce *live_open(void)
{
	struct xroce *x = xroce_open(LIVE_DEV);

	check(x, "open %s: %s", LIVE_DEV, strerror(errno));
	return x;
}

void live_close(struct xroce *x)
{
	xroce_close(x);
	live_check_idle(LIVE_DEV);
}

void live_call(void (*test)(struct xroce *x))
{
	struct xroce *x = live_open();

	if (!x)
		return;
	test(x);
	live_close(x);
}

void live_call_pd(void (*test)(struct xroce *x, __u32 pd))
{
	struct xroce *x = live_open();

	if (!x)
		return;
	test(x, live_pd(x));
	live_close(x);
}

void live_check_idle(const char *dev)
{
	struct xroce_link_query q;
	long pinned = live_pinned();

	if (!check(!xroce_link_find(dev, &q), "%s has no link", dev))
		return;
	check(!q.users && !q.pds && !q.mrs && !q.qps,
	      "%s is left with %u users, %u PDs, %u regions, %u QPs", dev,
	      q.users, q.pds, q.mrs, q.qps);
	check(pinned == 0, "%ld pages are still pinned", pinned);
}

/* The value of the line "KEY VALUE" of a file; LONG_MIN and a failed check if none. */
static long read_field(const char *path, const char *key)
{
	long value = LONG_MIN;
	char line[256];
	size_t n = strlen(key);
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, key, n) && strchr(" :\t", line[n]))
			value = strtol(line + n + 1, NULL, 10);
	}
	if (f)
		fclose(f);
	check(value != LONG_MIN, "%s has no %s", path, key);
	return value;
}

long live_pinned(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY | O_CLOEXEC);

	/* Fold the per-CPU counts into the sum. */
	check(fd >= 0 && write(fd, "1", 1) == 1, "stat_refresh: %s",
	      strerror(errno));
	close(fd);
	return read_field("/proc/vmstat", "nr_foll_pin_acquired") -
	       read_field("/proc/vmstat", "nr_foll_pin_released");
}

long live_vmpin(void)
{
	return read_field("/proc/self/status", "VmPin");
}

static void set_caps(__u64 without)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	check(!syscall(SYS_capget, &head, data), "%s", strerror(errno));
	data[0].effective = data[0].permitted & ~(__u32)without;
	data[1].effective = data[1].permitted & ~(__u32)(without >> 32);
	check(!syscall(SYS_capset, &head, data), "%s", strerror(errno));
}

void live_drop_cap(int cap)
{
	set_caps(1ull << cap);
}

void live_drop_net_caps(void)
{
	set_caps(1ull << CAP_NET_ADMIN | 1ull << CAP_NET_RAW);
}

void live_restore_caps(void)
{
	set_caps(0);
}

bool live_map_get(const char *dev, const char *map, __u32 key, void *value)
{
	int fd = xroce_pin_open(dev, map);
	int ret = fd < 0 ? fd : bpf_map_lookup_elem(fd, &key, value);

	if (fd >= 0)
		close(fd);
	return check(!ret, "%s/%s entry %u: %s", dev, map, key, strerror(-ret));
}

bool live_map_put(const char *dev, const char *map, __u32 key,
		  const void *value)
{
	int fd = xroce_pin_open(dev, map);
	int ret = fd < 0 ? fd : bpf_map_update_elem(fd, &key, value, BPF_ANY);

	if (fd >= 0)
		close(fd);
	return check(!ret, "%s/%s entry %u: %s", dev, map, key, strerror(-ret));
}

struct xroce_stat live_stat(void)
{
	int fd = xroce_pin_open(LIVE_DEV, "stat");
	struct xroce_stat sum = {};

	if (check(fd >= 0, "stat: %d", fd))
		counters_read(fd, &sum);
	close(fd);
	return sum;
}

int live_program(int type, int attach)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0,
		  .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach);

	return bpf_prog_load(type, "t", "GPL", insns, ARRAY_SIZE(insns), &opts);
}

__u32 live_pd(struct xroce *x)
{
	__u32 pd = 0;
	int ret = xroce_pd_add(x, 0, &pd);

	check(!ret && pd, "PD_ADD: %d, number %u", ret, pd);
	return pd;
}
