// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random commands from several processes that share objects and also open, close, map, fork
 * and get killed. Most fields are plausible, the others random. Each result must be a
 * documented error, and nothing may be left in the end.
 *
 * Environment: XROCE_FUZZ_IOCTLS is the number of commands, XROCE_SEED the seed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "abi.h"
#include "fuzz.h"
#include "live_qp.h"
#include "mem.h"
#include "mw.h"
#include "setting.h"

#define IOCTLS		20000ul
#define LINK_TRIES	10000
#define PROCESSES	4
#define FDS		4
#define MEMORY		64u	/* pages */
#define KNOWN		8u	/* numbers of each kind that are remembered */
#define COMMANDS	64u

/*
 * The words of a command after size and flags, one letter for each:
 *
 *   d pd   m mr   q qpn   c cq   s srq   w window   l lkey   r rkey   k link
 *   i ifindex   a access   t QP type   T window type   e entries   g elements
 *   n pages   h page shift   x mask   p pid   F map   C congestion control   0 reserved
 *
 * of 64 bits: V address   L length   O offset   P list of pages   B buffer
 * of 128 bits, at the end: N name of an algorithm of congestion control
 * >X: a number that the command returns
 */
static const struct shape {
	unsigned long nr;
	const char *words;
} shapes[] = {
	{ XROCE_CMD_LINK_ADD, "i>k" },
	{ XROCE_CMD_LINK_MAPS, "kFFFFF" },
	{ XROCE_CMD_LINK_DEL, "k0" },
	{ XROCE_CMD_LINK_QUERY, "k" },
	{ XROCE_CMD_LINK_USE, "i0" },
	{ XROCE_CMD_LINK_PROG, "kF" },
	{ XROCE_CMD_LINK_CC, "k0N" },
	{ XROCE_CMD_LINK_MODERATE, "kee0" },
	{ XROCE_CMD_PD_ADD, ">d0" },
	{ XROCE_CMD_PD_DEL, "d0" },
	{ XROCE_CMD_PD_QUERY, "d" },
	{ XROCE_CMD_MR_REG, "daVLVp>m>l>r" },
	{ XROCE_CMD_MR_DEREG, "m0" },
	{ XROCE_CMD_MR_QUERY, "m" },
	{ XROCE_CMD_MR_REG_PHYS, "daPnhOLV>m>l>r" },
	{ XROCE_CMD_MR_REG_SHARED, "mda>mVL>l>r" },
	{ XROCE_CMD_MR_REREG, "mxdaVLVPOnhp>l>r" },
	{ XROCE_CMD_MR_ADVISE, "mtVLL" },
	{ XROCE_CMD_MTT_QUERY, "" },
	{ XROCE_CMD_MTT_READ, "mnOB" },
	{ XROCE_CMD_QP_ADD, "dt>q0cseg>OOcegg>OOx0" },
	{ XROCE_CMD_QP_MODIFY, "" },
	{ XROCE_CMD_QP_DEL, "q0" },
	{ XROCE_CMD_QP_QUERY, "q" },
	{ XROCE_CMD_QP_SEND, "q0" },
	{ XROCE_CMD_QP_CC, "q0N" },
	{ XROCE_CMD_CQ_ADD, "e>c>O" },
	{ XROCE_CMD_CQ_DEL, "c0" },
	{ XROCE_CMD_CQ_MODERATE, "cee0" },
	{ XROCE_CMD_SRQ_ADD, "deg>s>O" },
	{ XROCE_CMD_SRQ_MODIFY, "se" },
	{ XROCE_CMD_SRQ_DEL, "s0" },
	{ XROCE_CMD_SRQ_QUERY, "s" },
	{ XROCE_CMD_MW_ADD, "dT>w>r" },
	{ XROCE_CMD_MW_DEL, "w0" },
	{ XROCE_CMD_MW_QUERY, "w" },
	{ XROCE_CMD_MW_BIND, "wqrlVLa" },
	{ XROCE_CMD_MW_INVAL, "rq" },
	{ XROCE_CMD_LIMIT_SET, "kx" },
	{ XROCE_CMD_LIMIT_QUERY, "k0" },
	{ XROCE_CMD_CC_QUERY, "C" },
};

/* Shared by all processes. */
static struct shared {
	unsigned long done;
	unsigned long good[COMMANDS];
	unsigned long bad[COMMANDS];
	__u32 known[128][KNOWN];	/* indexed by the letter of the kind */
	int strange;			/* a result that no command may have */
	__u32 strange_command;
	bool spilled;			/* a command wrote past its structure */
} *shared;

static unsigned char *memory;
static __u64 pages[MEMORY];
static int maps[7];
static int program;
static int fds[FDS];
/* Indexed by descriptor; the newest number is first. */
static __u32 known[FDS][128][KNOWN];
static int slot;		/* index of the descriptor in use */
static bool right;		/* for a while, only commands that should succeed */

static void learn(char kind, __u32 number)
{
	__u32 *own = known[slot][(int)kind];

	own[1 + rng_below(KNOWN - 1)] = own[0];
	own[0] = number;
	shared->known[(int)kind][rng_below(KNOWN)] = number;
}

static __u32 recall(char kind)
{
	__u32 i = right || fuzz_once_in(2) ? 0 : rng_below(KNOWN);

	return !right && fuzz_once_in(8) ? shared->known[(int)kind][i] :
				 known[slot][(int)kind][i];
}

/* Return: a plausible value of a word. */
static __u32 word(char kind)
{
	static const __u32 masks[] = { 1, 2, 4, 3, 5, 6, 7 };

	switch (kind) {
	case 'i':
		return if_nametoindex(fuzz_once_in(2) ? LIVE_SPARE : LIVE_DEV);
	case 'a':
		return right ? MW_ALL | XROCE_ACCESS_LOCAL_WRITE |
			       XROCE_ACCESS_MW_BIND : rng_below(0x400);
	case 't':
		return XROCE_QPT_RC + rng_below(3);
	case 'T':
		return mw_types[1 + rng_below(2)];
	case 'e':
		return 16u << rng_below(3);
	case 'g':
		return 1 + rng_below(3);
	case 'n':
		return 1 + rng_below(4);
	case 'h':
		return MEM_PAGE_SHIFT;
	case 'x':
		return masks[rng_below(ARRAY_SIZE(masks))];
	case 'p':
		return right || !fuzz_once_in(4) ? 0 : getpid();
	case 'F':
		return maps[rng_below(ARRAY_SIZE(maps))];
	case '0':
		return 0;
	case 'c':
	case 's':
		if (!right && fuzz_once_in(3))
			return 0;
	}
	return recall(kind);
}

static __u64 two_words(char kind)
{
	switch (kind) {
	case 'V':
		return (__u64)(unsigned long)memory +
		       rng_below(MEMORY * MEM_PAGE);
	case 'L':
		return 1 + rng_below(8 * MEM_PAGE);
	case 'P':
		return (__u64)(unsigned long)&pages[rng_below(MEMORY - 8)];
	case 'B':
		return (__u64)(unsigned long)memory;
	}
	return rng_below(MEM_PAGE);
}

static void fill_modify(struct xroce_qp_modify *m)
{
	struct xroce_qp_query q = { .size = sizeof(q), .qpn = word('q') };
	__u32 to;

	live_ioctl(fds[slot], XROCE_CMD_QP_QUERY, &q);
	to = right ? q.state + 1 : rng_below(7);
	*m = qp_change_of(q.type, q.qpn, to, qp_attrs(q.type, to));
	m->size = sizeof(*m);
	/* For a queue pair with a send queue. */
	if (to == XROCE_QPS_RTS && fuzz_once_in(2))
		m->mask |= RTS_SEND_ATTRS;
}

/* Mostly no limit, so that other commands can still succeed. */
static void fill_limits(struct xroce_limit_set *a)
{
	__u32 i;

	if (right)
		a->mask = (1u << XROCE_COUNTED) - 1;
	for (i = 0; i < XROCE_COUNTED; i++)
		if (a->mask & 1u << i)
			a->limit[i] = right || !fuzz_once_in(8) ?
				      XROCE_LIMIT_NONE : rng_below(32);
}

static void fill(const struct shape *s, union arg *a)
{
	/* The last one does not exist. */
	static const char * const algorithms[] = { "none", "delay", "dcqcn", "reno" };
	__u32 at = 8;
	const char *c;
	__u64 v;

	if (s->nr == XROCE_CMD_QP_MODIFY) {
		fill_modify(&a->cmd.qp_modify);
		return;
	}
	for (c = s->words; *c; c++) {
		if (*c == '>') {
			if (*++c == 'O')
				at = (at + 7) & ~7u;
			at += *c == 'O' ? 8 : 4;
		} else if (*c == 'N') {
			strcpy((char *)a->bytes + at, algorithms[rng_below(right ? 3 : 4)]);
		} else if (strchr("VLOPB", *c)) {
			v = two_words(*c);
			at = (at + 7) & ~7u;
			memcpy(a->bytes + at, &v, 8);
			at += 8;
		} else {
			v = word(*c);
			memcpy(a->bytes + at, &v, 4);
			at += 4;
		}
	}
	if (!right && fuzz_once_in(2))
		return;
	/* Fields that must match others. */
	switch (s->nr) {
	case XROCE_CMD_LINK_MAPS:
		a->cmd.link_maps.mpt_fd = maps[0];
		a->cmd.link_maps.qp_fd = maps[1];
		a->cmd.link_maps.mr_stat_fd = maps[2];
		a->cmd.link_maps.prog_fd = -1;
		a->cmd.link_maps.netdev_fd = maps[4];
		break;
	case XROCE_CMD_LINK_PROG:
		a->cmd.link_prog.prog_fd = program;
		break;
	case XROCE_CMD_MR_REG:
		a->cmd.mr_reg.addr = (__u64)(unsigned long)memory;
		a->cmd.mr_reg.iova = a->cmd.mr_reg.addr;
		a->cmd.mr_reg.length = MEMORY * MEM_PAGE;
		if (fuzz_once_in(2))
			a->cmd.mr_reg.access |= XROCE_ACCESS_ON_DEMAND;
		break;
	case XROCE_CMD_MR_ADVISE:
		a->cmd.mr_advise.advice = rng_below(3);
		a->cmd.mr_advise.iova = (__u64)(unsigned long)memory;
		a->cmd.mr_advise.length = 1 + rng_below(MEMORY * MEM_PAGE);
		break;
	case XROCE_CMD_LINK_USE:
		a->cmd.link_use.ifindex = if_nametoindex(LIVE_DEV);
		break;
	case XROCE_CMD_MR_REG_SHARED:
		a->cmd.mr_reg_shared.length = MEMORY * MEM_PAGE;
		break;
	case XROCE_CMD_LINK_ADD:
		a->cmd.link_add.ifindex = if_nametoindex(LIVE_SPARE);
		break;
	case XROCE_CMD_MR_REG_PHYS:
		a->cmd.mr_reg_phys.length = a->cmd.mr_reg_phys.npages * MEM_PAGE -
					a->cmd.mr_reg_phys.offset;
		break;
	case XROCE_CMD_MTT_READ:
		a->cmd.mtt_read.first = 0;
		break;
	case XROCE_CMD_QP_ADD:
		a->cmd.qp_add.srq = fuzz_once_in(2) ? a->cmd.qp_add.srq : 0;
		if (a->cmd.qp_add.srq)
			a->cmd.qp_add.rq_entries = a->cmd.qp_add.rq_max_sge = 0;
		if (fuzz_once_in(2))
			a->cmd.qp_add.send_cq = a->cmd.qp_add.send_entries =
				a->cmd.qp_add.send_max_sge = a->cmd.qp_add.send_max_inline = 0;
		if (!right)
			break;
		a->cmd.qp_add.type = XROCE_QPT_RC;
		break;
	case XROCE_CMD_LIMIT_SET:
		fill_limits(&a->cmd.limit_set);
		break;
	case XROCE_CMD_MW_BIND:
		a->cmd.mw_bind.access = MW_ALL;
		a->cmd.mw_bind.addr = (__u64)(unsigned long)memory;
		break;
	}
}

static void learn_all(const struct shape *s, const union arg *a)
{
	__u32 at = 8, v;
	const char *c;

	for (c = s->words; *c; c++) {
		bool returned = *c == '>';

		c += returned;
		if (strchr("VLOPB", *c))
			at = (at + 7) & ~7u;
		memcpy(&v, a->bytes + at, 4);
		if (returned)
			learn(*c, v);
		at += strchr("VLOPB", *c) ? 8 : 4;
	}
	/* A query with F_NEXT has found an object, of any owner. */
	if (s->words[0] && !s->words[1])
		learn(s->words[0], a->cmd.pd_query.pd);
}

/* Corrupt up to three bits, words or flags. */
static void damage(union arg *a, __u32 size)
{
	__u32 n = fuzz_once_in(3) ? 1 + rng_below(3) : 0, v;

	while (n-- && size > 8) {
		switch (rng_below(6)) {
		case 0:
			a->size = fuzz_once_in(2) ? rng_below(2 * PAGE) :
						    size + 8 - rng_below(16);
			break;
		case 1:
			a->flags ^= 1u << rng_below(32);
			break;
		case 2:
			v = fuzz_once_in(2) ? -1u : rng_below(-1u);
			memcpy(a->bytes + (8 + rng_below(size - 8)) / 4 * 4, &v, 4);
			break;
		default:
			a->bytes[8 + rng_below(size - 8)] ^= 1u << rng_below(8);
		}
	}
}

static bool known_error(int ret)
{
	static const int errors[] = {
		0, EFAULT, EINVAL, E2BIG, ENOTTY, EINTR, ENOTCONN, EPERM,
		ENOENT, EBUSY, EEXIST, ENOSPC, ENOMEM, ESRCH, EOPNOTSUPP,
		ENODEV, EBADF, ERANGE, EXDEV, EACCES, EKEYREJECTED,
		EDQUOT,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (ret == -errors[i])
			return true;
	return false;
}

static void one_command(int fd, const struct command *c)
{
	__u32 n = c - commands, i;
	const struct shape *s = shapes;
	static union arg a;
	int ret;

	while (s->nr != c->nr)
		s++;
	memset(&a, 0, sizeof(a));
	fill(s, &a);
	a.size = c->size;
	if (!right && fuzz_once_in(5))
		a.flags = c->flags & rng_below(-1u);
	if (!right)
		damage(&a, c->size);
	ret = live_ioctl(fd, c->nr, &a);
	if (!known_error(ret)) {
		shared->strange_command = n;
		shared->strange = ret;
	}
	__atomic_fetch_add(ret ? &shared->bad[n] : &shared->good[n], 1,
			   __ATOMIC_RELAXED);
	if (ret)
		return;
	for (i = c->size; a.size == c->size && i < sizeof(a); i++)
		shared->spilled |= a.bytes[i];
	learn_all(s, &a);
}

/* Commands in a useful order, so that there are objects to corrupt. */
static void in_order(int fd)
{
	static const unsigned long nrs[] = {
		XROCE_CMD_LINK_ADD, XROCE_CMD_LINK_MAPS, XROCE_CMD_LINK_PROG,
		XROCE_CMD_LINK_CC, XROCE_CMD_LINK_MODERATE, XROCE_CMD_LINK_DEL,
		XROCE_CMD_LINK_USE, XROCE_CMD_PD_ADD, XROCE_CMD_CQ_ADD, XROCE_CMD_CQ_MODERATE,
		XROCE_CMD_SRQ_ADD, XROCE_CMD_MR_REG_PHYS,
		XROCE_CMD_MR_REG, XROCE_CMD_MR_REG_SHARED, XROCE_CMD_MR_REG,
		XROCE_CMD_MR_ADVISE, XROCE_CMD_MTT_READ, XROCE_CMD_QP_ADD, XROCE_CMD_QP_MODIFY,
		XROCE_CMD_QP_MODIFY, XROCE_CMD_QP_MODIFY, XROCE_CMD_QP_SEND, XROCE_CMD_QP_CC,
		XROCE_CMD_MW_ADD,
		XROCE_CMD_MW_BIND, XROCE_CMD_MW_INVAL, XROCE_CMD_LIMIT_SET,
	};
	__u32 i, n, end = rng_below(2 * ARRAY_SIZE(nrs));

	right = true;
	for (i = 0; i < end && i < ARRAY_SIZE(nrs); i++) {
		for (n = 0; commands[n].nr != nrs[i]; n++)
			;
		one_command(fd, &commands[n]);
	}
	right = false;
}

static void open_one(int *fd)
{
	struct xroce_link_use use = { .size = sizeof(use) };

	*fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	use.ifindex = if_nametoindex(LIVE_DEV);
	if (!fuzz_once_in(4))
		live_ioctl(*fd, XROCE_CMD_LINK_USE, &use);
}

/* Map a ring or some other offset, and write to it. */
static void map_ring(int fd)
{
	size_t len = MEM_PAGE << rng_below(4);
	__u64 offset = word('O');
	__u32 *p, i;

	if (fuzz_once_in(4))
		offset = (__u64)rng_below(-1u) << 12;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		 fuzz_once_in(8) ? MAP_PRIVATE : MAP_SHARED, fd,
		 offset & ~(MEM_PAGE - 1));
	if (p == MAP_FAILED)
		return;
	for (i = 0; i < 16; i++)
		p[rng_below(i ? len / 4 : 32)] = rng_below(-1u);
	if (fuzz_once_in(4))
		mprotect(p, MEM_PAGE, PROT_READ);
	if (!fuzz_once_in(8))
		munmap(p, len);
}

static void other_calls(int fd)
{
	struct xroce_async async;

	switch (rng_below(6)) {
	case 0:
		if (read(fd, &async, rng_below(sizeof(async) + 8)) > 0)
			learn('q', async.id);
		break;
	case 1:
		if (write(fd, memory, 16) >= 0)
			shared->strange = 1;
		break;
	case 2:
		live_ioctl(fd, rng_below(-1u), memory);
		break;
	case 3:
		madvise(memory + MEM_PAGE * rng_below(MEMORY), MEM_PAGE,
			MADV_DONTNEED);
		break;
	default:
		map_ring(fd);
	}
}

static void work(unsigned long until, unsigned long own);

/* A child with all our descriptors, which exits or gets killed. */
static void fork_one(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(-1ul, fuzz_once_in(2) ? 20 : 200);
		_exit(0);
	}
	if (child > 0 && fuzz_once_in(2)) {
		usleep(rng_below(3000));
		kill(child, SIGKILL);
	}
	waitpid(child, NULL, 0);
}

/* Issue commands until all processes have issued @until, or this one @own. */
static void work(unsigned long until, unsigned long own)
{
	while (own-- && !shared->strange && !shared->spilled &&
	       __atomic_add_fetch(&shared->done, 1, __ATOMIC_RELAXED) < until) {
		slot = rng_below(FDS);
		if (fuzz_once_in(300)) {
			close(fds[slot]);
			open_one(&fds[slot]);
		}
		if (fuzz_once_in(1000) && until != -1ul)
			fork_one();
		if (fuzz_once_in(20))
			other_calls(fds[slot]);
		if (fuzz_once_in(50))
			in_order(fds[slot]);
		one_command(fds[slot], &commands[rng_below(commands_count)]);
	}
}

static void process(__u64 seed, unsigned long until)
{
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	rng_seed(seed);
	for (i = 0; i < FDS; i++)
		open_one(&fds[i]);
	work(until, -1ul);
	_exit(0);
}

static bool has_worked(unsigned long nr)
{
	__u32 n;

	for (n = 0; commands[n].nr != nr; n++)
		;
	return shared->good[n];
}

/*
 * Make and delete a link. The processes compete for one spare device: whoever has made a link
 * of it without maps keeps it from the others, perhaps until the end.
 */
static void one_link(void)
{
	int fd = -1, i;

	for (i = 0; i < LINK_TRIES && !has_worked(XROCE_CMD_LINK_DEL); i++) {
		if (fd >= 0)
			close(fd);
		fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		in_order(fd);
	}
	close(fd);
	note("a link after %d tries", i);
}

static int new_map(int type, __u32 value, __u32 entries)
{
	int fd = bpf_map_create(type, "fuzz", 4, value, entries, NULL);

	check(fd >= 0, "map: %s", strerror(errno));
	return fd;
}

static bool set_up(void)
{
	__u32 i;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memory = mem_map(MEMORY);
	if (!check(shared != MAP_FAILED && memory, "%s", strerror(errno)))
		return false;
	for (i = 0; i < MEMORY; i++)
		pages[i] = mem_pfn(memory + i * MEM_PAGE) * MEM_PAGE;
	maps[0] = new_map(BPF_MAP_TYPE_ARRAY, sizeof(struct xroce_mpt), 16);
	maps[1] = new_map(BPF_MAP_TYPE_ARRAY, sizeof(struct xroce_qp), 16);
	maps[2] = new_map(BPF_MAP_TYPE_PERCPU_ARRAY,
			  sizeof(struct xroce_mr_stat), 16);
	maps[3] = new_map(BPF_MAP_TYPE_HASH, sizeof(struct xroce_mpt), 16);
	maps[4] = new_map(BPF_MAP_TYPE_ARRAY, sizeof(struct xroce_netdev), 1);
	maps[5] = maps[6] = -1;
	program = live_program(BPF_PROG_TYPE_XDP, BPF_XDP);
	check(program >= 0, "program: %s", strerror(errno));
	check(commands_count == ARRAY_SIZE(shapes),
	      "a command that this test does not know");
	return !test_failed();
}

static void report(unsigned long until)
{
	size_t i;

	check(!shared->strange, "%s returned %d",
	      commands[shared->strange_command].name, shared->strange);
	check(!shared->spilled, "a byte behind a structure was written");
	check(shared->done >= until, "%lu commands only", shared->done);
	for (i = 0; i < commands_count; i++) {
		note("%-14s %8lu done %8lu refused", commands[i].name,
		     shared->good[i], shared->bad[i]);
		/* A short run may not see both results of every command. */
		check(until < IOCTLS || (shared->good[i] && shared->bad[i]),
		      "%s: always the same", commands[i].name);
	}
}

/* Delete what outlives the processes: persistent objects and the spare link. */
static void sweep(void)
{
	struct xroce_link_query q;

	if (!xroce_link_find(LIVE_SPARE, &q)) {
		struct xroce_link_del del = {
			.size = sizeof(del), .flags = XROCE_F_FORCE,
			.link = q.link,
		};
		int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);

		must(fd, XROCE_CMD_LINK_DEL, &del);
		close(fd);
	}
	check(!live_detach(LIVE_DEV, XROCE_F_FORCE), "detach");
	check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES),
	      "attach");
	live_check_idle(LIVE_DEV);
}

TEST(fuzz_ioctl, "R7 R8 R10 P1 U1", "random commands from several processes leave nothing behind")
{
	unsigned long until = setting("XROCE_FUZZ_IOCTLS", IOCTLS);
	struct xroce *keeper = live_open();
	pid_t pids[PROCESSES];
	struct wire w;
	int i, status;

	fuzz_begin();
	if (!keeper || !set_up())
		return;
	one_link();
	for (i = 0; i < PROCESSES; i++) {
		__u64 seed = (__u64)rng_below(-1u) << 32 | i;

		pids[i] = fork();
		if (!pids[i])
			process(seed, until);
	}
	for (i = 0; i < PROCESSES; i++) {
		waitpid(pids[i], &status, 0);
		check(!status, "process %d: status %#x", i, status);
	}
	report(until);
	xroce_close(keeper);
	sweep();
	/* The responder still works. */
	if (wire_open(&w, &mw_rc)) {
		check(!mw_try_write(&w, w.mr.rkey), "a WRITE after the fuzzing");
		wire_close(&w);
	}
	for (i = 0; i < 4; i++)
		close(maps[i]);
	close(program);
	munmap(memory, MEMORY * MEM_PAGE);
	munmap(shared, sizeof(*shared));
}

TEST_MAIN(live_main);
