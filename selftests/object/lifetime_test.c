// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends of lifetimes: of a process, a descriptor, a netdev, a link, the module, and of the
 * access to a region that is deregistered under traffic. Each test loads and unloads the
 * module, and checks that nothing is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "traffic.h"

#define PEER	"c0"
#define REGION	(64 * MEM_PAGE)

static bool up(void)
{
	return check_is(live_module_load(), 0, "load the module") &&
	       check_is(live_veth_add(LIVE_DEV, PEER) ? :
			live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES), 0, "attach");
}

static void unload(void)
{
	check_is(live_module_unload(), 0, "unload the module");
	check(access("/sys/module/xroce", F_OK), "the module is still there");
	check(access(XROCE_DEV_PATH, F_OK), XROCE_DEV_PATH " is still there");
	check(!live_pinned(), "%ld pages are still pinned", live_pinned());
}

static void detached(const char *dev, __u32 flags)
{
	char path[64];

	check_is(live_detach(dev, flags), 0, "detach");
	snprintf(path, sizeof(path), XROCE_PIN_DIR "/%s", dev);
	check(access(path, F_OK), "%s is still there", path);
}

static void down(void)
{
	detached(LIVE_DEV, 0);
	check(!live_veth_del(LIVE_DEV), "delete the netdev");
	unload();
}

/* Make a region and a queue pair with remote write, and publish both as a traffic target. */
static int serve_one(struct xroce *x, __u32 pd, char *mem,
		     struct traffic_target *to)
{
	struct xroce_mr_reg r = mr_region(pd, mem, REGION);
	struct xroce_qp_modify rtr;
	__u32 qpn;
	int ret;

	r.access |= XROCE_ACCESS_REMOTE_WRITE;
	r.iova = (uintptr_t)mem;
	ret = xroce_mr_reg(x, &r) ? : xroce_qp_create_responder(x, 0, pd, &qpn) ? :
	      qp_move(x, qpn, XROCE_QPS_INIT, XROCE_QP_ACCESS | XROCE_QP_PKEY);
	if (ret)
		return ret;
	rtr = qp_change(qpn, XROCE_QPS_RTR, RTR_ATTRS);
	ret = xroce_qp_modify(x, &rtr) ? :
	      qp_move(x, qpn, XROCE_QPS_RTS, 0);
	to->rkey = r.rkey;
	/* Across a page border. */
	to->iova = r.iova + MEM_PAGE - 500;
	__atomic_store_n(&to->qpn, qpn, __ATOMIC_RELEASE);
	return ret;
}

/* The process that will be killed: it makes regions and queue pairs, and waits. */
static pid_t start_victim(struct traffic *t, char *shared)
{
	pid_t pid = fork();
	struct xroce *x;
	__u32 pd;
	int i;

	if (pid)
		return pid;
	x = xroce_open(LIVE_DEV);
	if (!x || xroce_pd_add(x, 0, &pd))
		_exit(1);
	for (i = 0; i < TRAFFIC_TARGETS; i++)
		if (serve_one(x, pd, shared + i * REGION, &t->target[i]))
			_exit(1);
	/* More regions than traffic goes to. */
	for (i = 0; i < 100; i++)
		mr_accepted(x, mr_region(pd, shared, REGION));
	for (;;)
		pause();
}

struct progress {
	__u64 writes;
	__u64 drops;
	__u64 refused;
};

static bool written(void *arg)
{
	return live_stat().write >= ((struct progress *)arg)->writes;
}

static bool dropped(void *arg)
{
	return live_stat().drop_qpn >= ((struct progress *)arg)->drops;
}

/*
 * Accesses refused by the program, or by the module if the region is removed between the
 * two. While an entry is being cleared, the program may find another field wrong than the
 * key.
 */
static __u64 keys_refused(void)
{
	struct xroce_stat stat = live_stat();

	return stat.acc_key + stat.acc_pd + stat.acc_right + stat.acc_bounds +
	       stat.acc_module;
}

static bool key_refused(void *arg)
{
	return keys_refused() >= ((struct progress *)arg)->refused;
}

/* A process is killed under traffic: none of its pages and objects is left. */
TEST(lifetime_killed, "R7 R8", "kill -9 under traffic removes all objects and pins")
{
	size_t size = TRAFFIC_TARGETS * REGION;
	struct traffic *t = traffic_new();
	struct progress p;
	char *shared;
	pid_t sender, victim;
	int round;

	if (!t || !up())
		return;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sender = traffic_start(t, PEER, LIVE_DEV);
	for (round = 0; round < 5 && !test_failed(); round++) {
		p.writes = live_stat().write + 200 + 37 * round;
		victim = start_victim(t, shared);
		check(live_wait(written, &p), "no traffic");
		check(!mem_zero(shared, size), "nothing written");
		kill(victim, SIGKILL);
		waitpid(victim, NULL, 0);

		/* All objects are gone. Packets still arrive, and write nothing. */
		live_check_idle(LIVE_DEV);
		memset(shared, 0, size);
		p.drops = live_stat().drop_qpn + 100;
		check(live_wait(dropped, &p), "no packet for a deleted queue pair");
		check(mem_zero(shared, size), "written after the end");
		memset(t->target, 0, sizeof(t->target));
	}

	/* Once more, but detach and unload while packets arrive. */
	victim = start_victim(t, shared);
	p.writes = live_stat().write + 100;
	check(live_wait(written, &p), "no traffic");
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	detached(LIVE_DEV, 0);
	unload();
	traffic_goes_on(t, 10);
	traffic_stop(sender);
	check(!live_veth_del(LIVE_DEV), "delete the netdev");
	munmap(shared, size);
	munmap(t, sizeof(*t));
}

TEST(lifetime_dereg, "R7", "after MR_DEREG no byte is written, and the key is refused")
{
	struct traffic *t = traffic_new();
	struct xroce_mr_dereg dereg = { .size = sizeof(dereg) };
	struct progress p;
	struct xroce *x;
	__u32 pd, qpn;
	pid_t sender;
	char *mem;
	int round;

	if (!t || !up())
		return;
	x = live_open();
	mem = mem_map(REGION / MEM_PAGE);
	pd = live_pd(x);
	sender = traffic_start(t, PEER, LIVE_DEV);
	for (round = 0; round < 40 && !test_failed(); round++) {
		p.writes = live_stat().write + 1 + round;
		check(!serve_one(x, pd, mem, &t->target[0]), "serve");
		qpn = t->target[0].qpn;
		check(live_wait(written, &p), "no traffic");
		p.refused = keys_refused() + 1;
		dereg.mr = t->target[0].rkey >> XROCE_KEY_SHIFT;
		check(!live_ioctl(xroce_fd(x), XROCE_CMD_MR_DEREG, &dereg),
		      "MR_DEREG");
		memset(mem, 0, REGION);
		traffic_goes_on(t, 20);
		check(mem_zero(mem, REGION), "written after MR_DEREG");
		check(!live_pinned(), "%ld pages pinned", live_pinned());
		/* The key has become invalid: a packet with it moves the queue pair to ERR. */
		check(live_wait(key_refused, &p), "no packet for the key");
		check(qp_state(x, qpn) == XROCE_QPS_ERR, "state %u",
		      qp_state(x, qpn));
		if (round & 1)
			check(!qp_move(x, qpn, XROCE_QPS_RESET, 0), "RESET");
		check(!xroce_qp_del(x, qpn), "QP_DEL");
	}
	traffic_stop(sender);
	live_close(x);
	down();
	munmap(mem, REGION);
	munmap(t, sizeof(*t));
}

/* Return: whether the module has @arg references. */
static bool needed_by(void *arg)
{
	FILE *f = fopen("/sys/module/xroce/refcnt", "r");
	int refs = -1;

	check(f && fscanf(f, "%d", &refs) == 1, "refcnt");
	if (f)
		fclose(f);
	return refs == *(int *)arg;
}

TEST(lifetime_module_busy, "U6", "the module cannot be unloaded while it is in use")
{
	int fd;

	if (!up())
		return;
	check_is(live_module_refused(), -EAGAIN, "unload, with a program attached");
	fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	detached(LIVE_DEV, 0);
	check(!live_veth_del(LIVE_DEV), "delete the netdev");
	/* The kernel frees the program asynchronously. Only the descriptor is left then. */
	check(live_wait(needed_by, &(int){ 1 }), "the program is still there");
	check_is(live_module_refused(), -EAGAIN, "unload, with a descriptor");
	close(fd);
	unload();
}

/* Unloading deletes links that have no program, with their persistent objects. */
TEST(lifetime_module_links, "U6 R7", "unloading deletes links without a program")
{
	struct xroce_link_add add = { .size = sizeof(add) };
	struct xroce_link_maps maps = {
		.size = sizeof(maps), .mr_stat_fd = -1, .prog_fd = -1,
	};
	char *mem = mem_map(10);
	struct xroce_mr_reg r;
	struct xroce *x;
	int fd, err;

	err = live_module_load() ? : live_veth_add(LIVE_DEV, PEER);
	if (!check(!err && mem, "begin: %d", err))
		return;
	fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	add.ifindex = if_nametoindex(LIVE_DEV);
	check_is(live_ioctl(fd, XROCE_CMD_LINK_ADD, &add), 0, "LINK_ADD");
	maps.link = add.link;
	maps.mpt_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "mpt", 4,
				     sizeof(struct xroce_mpt), 16, NULL);
	maps.qp_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "qp", 4,
				    sizeof(struct xroce_qp), 16, NULL);
	check_is(live_ioctl(fd, XROCE_CMD_LINK_MAPS, &maps), 0, "LINK_MAPS");
	close(fd);

	x = live_open();
	if (!x)
		return;
	r = mr_region(0, mem, 10 * MEM_PAGE);
	r.flags = XROCE_F_PERSISTENT;
	check_is(xroce_pd_add(x, XROCE_F_PERSISTENT, &r.pd) ? : xroce_mr_reg(x, &r), 0, "MR_REG");
	xroce_close(x);
	check(live_pinned() == 10, "%ld pages pinned", live_pinned());
	unload();
	close(maps.mpt_fd);
	close(maps.qp_fd);
	check(!live_veth_del(LIVE_DEV), "delete the netdev");
	munmap(mem, 10 * MEM_PAGE);
}

static bool is_dead(void *arg)
{
	struct xroce_link_query q;

	return !xroce_link_find(arg, &q) && q.flags & XROCE_F_DEAD &&
	       !q.ifindex;
}

/* A netdev can disappear at any time; objects on its link stay with their owner. */
TEST(lifetime_netdev_deleted, "D1", "a link outlives its netdev")
{
	char *mem = mem_map(4);
	struct xroce_mr_reg r;
	struct xroce *x;

	if (!mem || !up())
		return;
	x = live_open();
	r = mr_region(live_pd(x), mem, 4 * MEM_PAGE);
	check(!xroce_mr_reg(x, &r), "MR_REG");
	check(!live_veth_del(LIVE_DEV), "delete the netdev");
	check(is_dead(LIVE_DEV), "the link is not dead");
	mr_check_blocks(x, r.mr, mem);
	check_is(xroce_detach(LIVE_DEV, 0, NULL), -EBUSY, "detach with a user");
	check(!xroce_mr_dereg(x, r.mr), "MR_DEREG");
	mr_accepted(x, r);
	xroce_close(x);
	detached(LIVE_DEV, 0);
	unload();
	munmap(mem, 4 * MEM_PAGE);
}

TEST(lifetime_netdev_again, "D1", "a dead link does not block a new one of the same name")
{
	struct xroce_link_query q;

	if (!up())
		return;
	check(!live_veth_del(LIVE_DEV), "delete the netdev");
	check(!live_veth_add(LIVE_DEV, PEER), "make it again");
	check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES),
	      "attach again");
	check(!xroce_link_find(LIVE_DEV, &q) && !(q.flags & XROCE_F_DEAD),
	      "the live link is not found first");
	check(!live_detach(LIVE_DEV, 0), "detach the live one");
	check(is_dead(LIVE_DEV), "the dead one remains");
	down();
}

TEST(lifetime_netns_deleted, "D1", "a link outlives its network namespace")
{
	pid_t pid;
	int status;

	if (!check(!live_module_load(), "load the module"))
		return;
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWNET) || live_veth_add("x9", "c9") ||
		    live_attach("x9", 16, 16))
			_exit(1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	check(!status, "status %#x", status);
	check(live_wait(is_dead, (void *)"x9"), "the link is not dead");
	detached("x9", 0);
	unload();
}

/* Objects live until the last close, whichever process closes. */
TEST(lifetime_fork, "R7 R10", "objects live until the last close, after a fork")
{
	struct traffic_target to;
	struct xroce_link_query q;
	int to_child[2];
	char *mem = mem_map(REGION / MEM_PAGE), c;
	struct xroce *x;
	pid_t pid;

	if (!mem || !up() || pipe(to_child))
		return;
	x = live_open();
	check(!serve_one(x, live_pd(x), mem, &to), "serve");
	pid = fork();
	if (!pid) {
		close(to_child[1]);
		/* Until the parent has closed the pipe and @x. */
		_exit(read(to_child[0], &c, 1) != 0);
	}
	close(to_child[0]);
	xroce_close(x);
	munmap(mem, REGION);
	check(!xroce_link_find(LIVE_DEV, &q) && q.users == 1 && q.mrs == 1 &&
	      q.qps == 1 && live_pinned() == 64,
	      "%u users, %u regions, %u QPs, %ld pages", q.users, q.mrs, q.qps,
	      live_pinned());
	close(to_child[1]);
	waitpid(pid, NULL, 0);
	live_check_idle(LIVE_DEV);
	down();
}

/*
 * The process that made the region exits first; its child, which inherited the descriptor,
 * closes last.
 */
TEST(lifetime_closed_by_child, "R7 R10", "the maker has exited and another process closes last")
{
	struct xroce_link_query q;
	int to_child[2];
	pid_t maker;
	char c = 0;

	if (!up() || pipe(to_child))
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	maker = fork();
	if (!maker) {
		char *mem = mem_map(REGION / MEM_PAGE);
		struct traffic_target to;
		struct xroce *x = live_open();

		if (!mem || !x || serve_one(x, live_pd(x), mem, &to))
			_exit(1);
		close(to_child[1]);
		if (!fork())
			_exit(read(to_child[0], &c, 1) != 0);
		_exit(0);
	}
	close(to_child[0]);
	waitpid(maker, NULL, 0);
	check(!xroce_link_find(LIVE_DEV, &q) && q.users == 1 && q.mrs == 1 &&
	      q.qps == 1 && live_pinned() == 64,
	      "%u users, %u regions, %u QPs, %ld pages", q.users, q.mrs, q.qps,
	      live_pinned());
	close(to_child[1]);
	check(waitpid(-1, NULL, 0) > 0, "the child's end: %s", strerror(errno));
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	live_check_idle(LIVE_DEV);
	down();
}

TEST_MAIN(live_main_alone);
