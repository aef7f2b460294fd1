// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions of processes that fork or exit, and of other processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live_mr.h"
#include "mem.h"

/* After a fork the region's pages stay with the parent. */
TEST(process_fork, "R1", "copy on write after a fork leaves the region's pages alone")
{
	struct xroce *x = live_open();
	char *mem = mem_scattered(NULL, 1), *private = mem_map(4);
	struct xroce_mr_reg r;
	pid_t pid;
	int i;

	if (!x || !mem || !private)
		return;
	r = mr_region(live_pd(x), private, 4 * MEM_PAGE);
	check(!xroce_mr_reg(x, &r), "MR_REG");
	pid = fork();
	if (!pid) {
		memset(private, 2, 4 * MEM_PAGE);
		pause();
		_exit(0);
	}
	for (i = 0; i < 4; i++)
		private[i * MEM_PAGE] = 3;
	mr_check_blocks(x, r.mr, private);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	mr_check_blocks(x, r.mr, private);
	xroce_close(x);
	live_check_idle(LIVE_DEV);
	munmap(private, 4 * MEM_PAGE);
	munmap(mem, MEM_PAGE);
}

/* Fork a child that waits to be killed. */
static pid_t spawn(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

HANDLE_TEST(process_other, "R1 R2", "memory of another process")
{
	char *mem = mem_map(5);
	struct xroce_mr_query q;
	struct xroce_mr_reg r;
	siginfo_t info;
	pid_t pid;
	int ret;

	if (!mem)
		return;
	munmap(mem + 4 * MEM_PAGE, MEM_PAGE);
	pid = spawn();
	munmap(mem, 4 * MEM_PAGE);	/* only the child has it mapped now */
	r = mr_region(live_pd(x), mem, 4 * MEM_PAGE);
	mr_refused(x, r, -EFAULT);
	r.flags = XROCE_F_PID;
	r.pid = pid;
	live_drop_cap(CAP_SYS_PTRACE);
	mr_refused(x, r, -EPERM);
	live_restore_caps();
	check(!xroce_mr_reg(x, &r), "MR_REG");
	check(live_pinned() == 4 && !live_vmpin(), "%ld pinned, VmPin %ld",
	      live_pinned(), live_vmpin());
	q = (struct xroce_mr_query){ .mr = r.mr };
	ret = xroce_mr_query(x, &q);
	check(!ret && q.pid == (__u32)pid && q.flags == XROCE_F_PID,
	      "%d: pid %u, flags %#x", ret, q.pid, q.flags);
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check(!live_pinned(), "%ld pages pinned", live_pinned());

	r.length++;	/* not mapped in the child */
	mr_refused(x, r, -EFAULT);
	r.length--;
	mr_accepted(x, r);
	kill(pid, SIGKILL);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	mr_refused(x, r, -ESRCH);		/* a zombie */
	waitpid(pid, NULL, 0);
	mr_refused(x, r, -ESRCH);		/* no such process */
	r.pid = 0;
	mr_refused(x, r, -ESRCH);
	r.pid = 2;			/* kthreadd */
	mr_refused(x, r, -ESRCH);
}

/* A step that a child takes before it registers. Return: whether it worked. */
typedef bool confine_fn(pid_t target);

#define UNCONFINED	255

/* Register in a child, after @confine. Return: the child's errno, or UNCONFINED. */
static int registered_by_child(struct xroce *x, struct xroce_mr_reg r,
			       confine_fn *confine)
{
	int status, ret;
	pid_t pid = fork();

	if (!pid) {
		if (!confine(r.pid))
			_exit(UNCONFINED);
		ret = xroce_mr_reg(x, &r);
		if (!ret)
			xroce_mr_dereg(x, r.mr);
		_exit(-ret);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : UNCONFINED;
}

static bool unconfined(pid_t target)
{
	return target;
}

/*
 * A ruleset that forbids only block devices. Landlock then also forbids to trace processes
 * outside the sandbox.
 */
static bool enter_landlock(pid_t target)
{
	const struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_BLOCK,
	};
	int fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	(void)target;
	return fd >= 0 && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !syscall(SYS_landlock_restrict_self, fd, 0);
}

/* Mount another file over the process's /proc/PID/mem. */
static bool bind_over_mem(const char *what, pid_t target)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", target);
	return !unshare(CLONE_NEWNS) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount(what, path, NULL, MS_BIND, NULL);
}

static bool device_over_mem(pid_t target)
{
	return bind_over_mem("/dev/zero", target);
}

static bool own_over_mem(pid_t target)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", getpid());
	return bind_over_mem(path, target);
}

static bool without_proc(pid_t target)
{
	(void)target;
	return !unshare(CLONE_NEWNS) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", "/proc", "tmpfs", 0, NULL);
}

/* A process whose memory is to be registered, and the handle that registers it. */
struct target {
	struct xroce *x;
	struct xroce_mr_reg r;
	pid_t pid;
	char *mem;
};

static bool target_open(struct target *t)
{
	t->x = live_open();
	t->mem = mem_map(1);
	if (!t->x || !t->mem)
		return false;
	t->pid = spawn();
	t->r = mr_region(live_pd(t->x), t->mem, MEM_PAGE);
	t->r.flags = XROCE_F_PID;
	t->r.pid = t->pid;
	return true;
}

static void target_close(struct target *t)
{
	reap(t->pid);
	munmap(t->mem, MEM_PAGE);
	live_close(t->x);
}

/* Check the result for a pinned and for an on-demand region. */
static void target_expect(struct target *t, confine_fn *confine, int want,
			  const char *who)
{
	int got;

	got = registered_by_child(t->x, t->r, confine);
	check(got == want, "%s: %d, not %d", who, got, want);
	t->r.access |= XROCE_ACCESS_ON_DEMAND;
	got = registered_by_child(t->x, t->r, confine);
	check(got == want, "%s, on demand: %d, not %d", who, got, want);
	t->r.access &= ~XROCE_ACCESS_ON_DEMAND;
}

/* A security module can forbid it: Landlock forbids to trace processes outside the sandbox. */
TEST(process_confined, "R2 R9", "refused if a security module forbids to trace the process")
{
	struct target t;

	if (syscall(SYS_landlock_create_ruleset, NULL, 0,
		    LANDLOCK_CREATE_RULESET_VERSION) < 0) {
		skip("no Landlock");
		return;
	}
	if (!target_open(&t))
		return;
	target_expect(&t, unconfined, 0, "without Landlock");
	target_expect(&t, enter_landlock, EPERM, "in a domain of Landlock");
	target_close(&t);
}

/* Permission comes from the kernel's own /proc/PID/mem only. */
TEST(process_fake_proc, "R2 R9", "another file mounted over /proc/PID/mem is refused")
{
	struct target t;

	if (!target_open(&t))
		return;
	target_expect(&t, device_over_mem, EPERM, "a device in its place");
	target_expect(&t, own_over_mem, EPERM, "another process's file");
	target_expect(&t, without_proc, EPERM, "no procfs");
	target_close(&t);
}

static long vmpin_of(pid_t pid)
{
	char path[64], line[128];
	long kib = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmPin: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

/*
 * Pinned pages count for the process whose memory they are, whoever forks, registers or
 * exits.
 */
PD_TEST(process_accounting, "R1 R8", "pinned pages count for the process whose memory they are")
{
	char *mem = mem_map(8);
	struct xroce_mr_reg own, its;
	pid_t child, other;

	if (!mem)
		return;
	own = mr_region(pd, mem, 8 * MEM_PAGE);
	check(!xroce_mr_reg(x, &own), "MR_REG");
	child = spawn();
	check(vmpin_of(child) == 0 && live_vmpin() == 32,
	      "after fork: VmPin %ld, the child's %ld", live_vmpin(),
	      vmpin_of(child));
	its = mr_region(pd, mem, 3 * MEM_PAGE);
	its.flags = XROCE_F_PID;
	its.pid = child;
	check(!xroce_mr_reg(x, &its), "MR_REG");
	check(vmpin_of(child) == 12 && live_vmpin() == 32,
	      "VmPin %ld, the child's %ld", live_vmpin(), vmpin_of(child));
	check(!xroce_mr_dereg(x, its.mr), "dereg");
	check(vmpin_of(child) == 0, "the child's VmPin %ld", vmpin_of(child));
	check(!xroce_mr_reg(x, &its), "MR_REG");

	/* The process exits while its pages are pinned, and its pid may be reused. */
	reap(child);
	other = spawn();
	check(live_vmpin() == 32 && live_pinned() == 11, "VmPin %ld, %ld pinned",
	      live_vmpin(), live_pinned());
	check(!xroce_mr_dereg(x, its.mr), "dereg");
	check(live_vmpin() == 32 && vmpin_of(other) == 0 && live_pinned() == 8,
	      "VmPin %ld, another's %ld, %ld pinned", live_vmpin(),
	      vmpin_of(other), live_pinned());
	reap(other);
	check(!xroce_mr_dereg(x, own.mr), "dereg");
	check(!live_vmpin(), "VmPin %ld", live_vmpin());
	munmap(mem, 8 * MEM_PAGE);
}

/* The caller's own pid: no capability is needed. */
HANDLE_TEST(process_self, "R1", "the caller's own pid")
{
	char *mem = mem_map(1);
	struct xroce_mr_reg r;

	if (!mem)
		return;
	r = mr_region(live_pd(x), mem, MEM_PAGE);
	r.flags = XROCE_F_PID;
	r.pid = getpid();
	live_drop_cap(CAP_SYS_PTRACE);
	mr_accepted(x, r);
	live_restore_caps();
	munmap(mem, MEM_PAGE);
}

HANDLE_TEST(process_dies, "R7 R8", "pages outlive their process")
{
	char *mem = mem_map(600);
	struct xroce_mr_reg r;
	pid_t pid;

	if (!mem)
		return;
	pid = spawn();
	munmap(mem, 600 * MEM_PAGE);
	r = mr_region(live_pd(x), mem, 600 * MEM_PAGE);
	r.flags = XROCE_F_PID;
	r.pid = pid;
	check(!xroce_mr_reg(x, &r), "MR_REG");
	reap(pid);
	check(live_pinned() == 600, "%ld pages pinned", live_pinned());
	check(!xroce_mr_dereg(x, r.mr), "dereg");
	check(!live_pinned(), "%ld pages pinned", live_pinned());
}

/* What a process gets that did not open the file. Without CAP_IPC_LOCK, but for @free. */
struct inherited {
	struct xroce *x;
	__u32 pd;
	char *mem;
	int plain, by_pid, on_demand, whole, again, writable;
	int free;
};

static void register_inherited(struct inherited *in)
{
	struct xroce_mr_reg r = mr_region(in->pd, in->mem, MEM_PAGE), old = r;
	struct xroce_mr_rereg re = {
		.mask = XROCE_REREG_TRANSLATION, .flags = XROCE_F_PID, .pid = getpid(),
		.addr = r.addr, .iova = r.iova, .length = r.length,
	};

	/* A region to change, which is read-only. */
	old.access = XROCE_ACCESS_REMOTE_READ;
	in->free = xroce_mr_reg(in->x, &old);
	re.mr = old.mr;
	live_drop_cap(CAP_IPC_LOCK);
	in->plain = xroce_mr_reg(in->x, &r);
	r.flags = XROCE_F_PID;
	r.pid = getpid();
	in->by_pid = xroce_mr_reg(in->x, &r);
	r.access |= XROCE_ACCESS_ON_DEMAND;
	in->on_demand = xroce_mr_reg(in->x, &r);
	r.addr = 0;
	r.iova = 0;
	r.length = XROCE_LENGTH_ALL;
	in->whole = xroce_mr_reg(in->x, &r);
	in->again = xroce_mr_rereg(in->x, &re);
	re.mask = XROCE_REREG_ACCESS;
	re.flags = 0;
	re.pid = 0;
	re.access = XROCE_ACCESS_LOCAL_WRITE;
	in->writable = xroce_mr_rereg(in->x, &re);
	live_restore_caps();
	if (!in->free)
		in->free = xroce_mr_rereg(in->x, &re);
}

/* A child that has inherited the file registers memory of its own, however it asks. */
HANDLE_TEST(process_inherited, "R1 R8", "memory of a process that has inherited the file")
{
	struct inherited *in = mmap(NULL, MEM_PAGE, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *mem = mem_map(1);
	pid_t pid;

	if (in == MAP_FAILED || !mem)
		return;
	*in = (struct inherited){ x, live_pd(x), mem, .free = -ENODATA };
	pid = fork();
	if (!pid) {
		register_inherited(in);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	check(!in->plain && !in->by_pid && !in->on_demand && !in->whole,
	      "plain %d, by pid %d, on demand %d, address space %d",
	      in->plain, in->by_pid, in->on_demand, in->whole);
	check(!in->again && !in->writable,
	      "re-registered: other memory %d, local write %d", in->again, in->writable);
	check(!in->free, "with CAP_IPC_LOCK: %d", in->free);
	munmap(in, MEM_PAGE);
	munmap(mem, MEM_PAGE);
}

#define LIMIT	16	/* pages that a process may pin */
#define PART	6	/* pages that a child pins */

/* A child registers PART pages through a file of this process, and ends. Return: its errno. */
static int child_pins(struct xroce *x, __u32 pd, char *mem, __u32 *mr)
{
	struct xroce_mr_reg *r = mmap(NULL, MEM_PAGE, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t pid;

	*r = mr_region(pd, mem, PART * MEM_PAGE);
	pid = fork();
	if (!pid)
		_exit(-xroce_mr_reg(x, r));
	waitpid(pid, &status, 0);
	*mr = r->mr;
	munmap(r, MEM_PAGE);
	return check(WIFEXITED(status), "status %#x", status) ? -WEXITSTATUS(status) : -EIO;
}

/*
 * Children that end leave what they have pinned to the file of their parent: all of its files and
 * its own memory together stay within RLIMIT_MEMLOCK.
 */
PD_TEST(process_inherited_limit, "R1 R8", "such memory counts for the file's opener, too")
{
	struct xroce *second = live_open();
	struct rlimit old, limit;
	struct xroce_mr_reg r;
	__u32 pd2, mr, mr2;
	char *mem = mem_map(PART);
	pid_t other;

	if (!second || !mem)
		return;
	pd2 = live_pd(second);
	getrlimit(RLIMIT_MEMLOCK, &old);
	limit = (struct rlimit){ LIMIT * MEM_PAGE, old.rlim_max };
	check(!setrlimit(RLIMIT_MEMLOCK, &limit), "%s", strerror(errno));
	live_drop_cap(CAP_IPC_LOCK);
	check(!child_pins(x, pd, mem, &mr) && live_vmpin() == 24, "one child: VmPin %ld",
	      live_vmpin());
	check(!child_pins(second, pd2, mem, &mr2) && live_vmpin() == 48,
	      "another, through another file: VmPin %ld", live_vmpin());
	check(child_pins(x, pd, mem, &mr2) == -ENOMEM, "a third");
	check(child_pins(second, pd2, mem, &mr2) == -ENOMEM, "a third, through the other file");
	other = spawn();
	r = mr_region(pd, mem, PART * MEM_PAGE);
	r.flags = XROCE_F_PID;
	r.pid = other;
	mr_refused(x, r, -ENOMEM);
	r = mr_region(pd, mem, (LIMIT - 2 * PART + 1) * MEM_PAGE);
	mr_refused(x, r, -ENOMEM);
	r.length -= MEM_PAGE;
	mr_accepted(x, r);
	check(live_vmpin() == 48 && live_pinned() == 2 * PART, "VmPin %ld, %ld pinned",
	      live_vmpin(), live_pinned());
	check(!xroce_mr_dereg(x, mr) && live_vmpin() == 24, "deregistered: VmPin %ld",
	      live_vmpin());
	check(!child_pins(x, pd, mem, &mr), "again");
	live_restore_caps();
	check(!child_pins(x, pd, mem, &mr) && live_vmpin() == 48, "with CAP_IPC_LOCK: VmPin %ld",
	      live_vmpin());
	reap(other);
	setrlimit(RLIMIT_MEMLOCK, &old);
	xroce_close(second);
	check(live_vmpin() == 24, "closed: VmPin %ld", live_vmpin());
	munmap(mem, PART * MEM_PAGE);
}

struct orphan {
	struct xroce *x;
	struct xroce_mr_reg reg;
	int result;
};

static bool leader_gone(void *arg)
{
	char path[64], text[256] = "";
	int fd;

	(void)arg;
	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return strstr(text, ") Z ");
}

static void *register_orphaned(void *arg)
{
	struct orphan *o = arg;

	o->result = live_wait(leader_gone, NULL) ? xroce_mr_reg(o->x, &o->reg) :
						   -ETIMEDOUT;
	_exit(0);
}

/* A process lives on when its first thread has exited. */
HANDLE_TEST(process_thread, "R1", "registered from a thread after the first thread has exited")
{
	struct orphan *o = mmap(NULL, MEM_PAGE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *mem = mem_map(1);
	pthread_t thread;
	pid_t pid;

	if (!mem)
		return;
	*o = (struct orphan){ x, mr_region(live_pd(x), mem, MEM_PAGE), -ENODATA };
	pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, register_orphaned, o);
		syscall(SYS_exit, 0);
	}
	waitpid(pid, NULL, 0);
	check(!o->result, "%d", o->result);
	munmap(o, MEM_PAGE);
	munmap(mem, MEM_PAGE);
}

TEST_MAIN(live_main_no_packets);
