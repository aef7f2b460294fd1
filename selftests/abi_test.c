// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all ioctl commands share: how a structure may be longer or shorter, and
 * which bits of it are not for use.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <net/if.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "live_qp.h"
#include "mem.h"

#define PAGE	4096u

union arg {
	struct {
		__u32 size;
		__u32 flags;
	};
	struct xroce_link_add link_add;
	struct xroce_link_maps link_maps;
	struct xroce_link_del link_del;
	struct xroce_link_query link_query;
	struct xroce_link_use link_use;
	struct xroce_pd_add pd_add;
	struct xroce_pd_del pd_del;
	struct xroce_pd_query pd_query;
	struct xroce_mr_reg mr_reg;
	struct xroce_mr_dereg mr_dereg;
	struct xroce_mr_query mr_query;
	struct xroce_mr_reg_phys mr_reg_phys;
	struct xroce_mr_reg_shared mr_reg_shared;
	struct xroce_mr_rereg mr_rereg;
	struct xroce_mtt_query mtt_query;
	struct xroce_mtt_read mtt_read;
	struct xroce_qp_add qp_add;
	struct xroce_cq_add cq_add;
	struct xroce_cq_del cq_del;
	struct xroce_srq_add srq_add;
	struct xroce_srq_modify srq_modify;
	struct xroce_srq_del srq_del;
	struct xroce_srq_query srq_query;
	struct xroce_mw_add mw_add;
	struct xroce_mw_bind mw_bind;
	struct xroce_mw_inval mw_inval;
	struct xroce_sq_add sq_add;
	struct xroce_qp_modify qp_modify;
	struct xroce_qp_del qp_del;
	struct xroce_qp_query qp_query;
	__u8 bytes[2 * PAGE];
};

static char memory[PAGE] __attribute__((aligned(4096)));

static void must(int fd, unsigned long nr, void *arg)
{
	int ret = live_ioctl(fd, nr, arg);

	check(!ret, "command %#lx, to begin with: %d", nr, ret);
}

static __u32 spare_link(int fd)
{
	struct xroce_link_add add = {
		.size = sizeof(add),
		.ifindex = if_nametoindex(LIVE_SPARE),
	};

	must(fd, XROCE_CMD_LINK_ADD, &add);
	return add.link;
}

static void fill_link_add(int fd, union arg *a)
{
	(void)fd;
	a->link_add.ifindex = if_nametoindex(LIVE_SPARE);
}

static void fill_link_maps(int fd, union arg *a)
{
	a->link_maps.link = spare_link(fd);
	a->link_maps.mpt_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "mpt", 4,
					     sizeof(struct xroce_mpt), 16,
					     NULL);
	a->link_maps.qp_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "qp", 4,
					    sizeof(struct xroce_qp), 16, NULL);
	a->link_maps.mr_stat_fd = -1;
}

static void close_maps(union arg *a)
{
	close(a->link_maps.mpt_fd);
	close(a->link_maps.qp_fd);
}

static void fill_link_del(int fd, union arg *a)
{
	union arg maps = { .size = sizeof(maps.link_maps) };

	fill_link_maps(fd, &maps);
	must(fd, XROCE_CMD_LINK_MAPS, &maps);
	close_maps(&maps);
	a->link_del.link = maps.link_maps.link;
}

static void fill_link_query(int fd, union arg *a)
{
	(void)fd;
	a->flags = XROCE_F_NEXT;
}

static void fill_link_use(int fd, union arg *a)
{
	(void)fd;
	a->link_use.ifindex = if_nametoindex(LIVE_DEV);
}

static __u32 some_pd(int fd)
{
	struct xroce_pd_add pd = { .size = sizeof(pd) };

	must(fd, XROCE_CMD_PD_ADD, &pd);
	return pd.pd;
}

static void fill_nothing(int fd, union arg *a)
{
	(void)fd;
	(void)a;
}

static void fill_pd(int fd, union arg *a)
{
	a->pd_del.pd = some_pd(fd);
}

static void fill_mr_reg(int fd, union arg *a)
{
	a->mr_reg.pd = some_pd(fd);
	a->mr_reg.access = XROCE_ACCESS_LOCAL_WRITE;
	a->mr_reg.addr = (uintptr_t)memory;
	a->mr_reg.length = sizeof(memory);
}

static void fill_mr(int fd, union arg *a)
{
	union arg reg = { .size = sizeof(reg.mr_reg) };

	fill_mr_reg(fd, &reg);
	must(fd, XROCE_CMD_MR_REG, &reg);
	a->mr_dereg.mr = reg.mr_reg.mr;
}

static void fill_mr_reg_phys(int fd, union arg *a)
{
	static __u64 page;

	*memory = 1;
	page = mem_pfn(memory) * PAGE;
	a->mr_reg_phys.pd = some_pd(fd);
	a->mr_reg_phys.pages = (uintptr_t)&page;
	a->mr_reg_phys.npages = 1;
	a->mr_reg_phys.page_shift = MEM_PAGE_SHIFT;
	a->mr_reg_phys.length = 1;
}

static void fill_mr_reg_shared(int fd, union arg *a)
{
	fill_mr(fd, a);
	a->mr_reg_shared.from = a->mr_dereg.mr;
	a->mr_reg_shared.pd = some_pd(fd);
}

static void fill_mr_rereg(int fd, union arg *a)
{
	fill_mr(fd, a);
	a->mr_rereg.mask = XROCE_REREG_TRANSLATION | XROCE_REREG_ACCESS;
	a->mr_rereg.addr = (uintptr_t)memory;
	a->mr_rereg.length = 1;
}

static void fill_mtt_read(int fd, union arg *a)
{
	static __u64 entry;

	fill_mr(fd, a);
	a->mtt_read.mr = a->mr_dereg.mr;
	a->mtt_read.count = 1;
	a->mtt_read.to = (uintptr_t)&entry;
}

static void fill_qp_add(int fd, union arg *a)
{
	a->qp_add.pd = some_pd(fd);
	a->qp_add.type = XROCE_QPT_RC;
}

static void fill_qp(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.qp_add) };

	fill_qp_add(fd, &add);
	must(fd, XROCE_CMD_QP_ADD, &add);
	a->qp_del.qpn = add.qp_add.qpn;
}

static void fill_qp_modify(int fd, union arg *a)
{
	fill_qp(fd, a);
	a->qp_modify.mask = XROCE_QP_STATE | XROCE_QP_ACCESS | XROCE_QP_PKEY;
	a->qp_modify.state = XROCE_QPS_INIT;
	a->qp_modify.pkey = 0xffff;
}

static void fill_cq_add(int fd, union arg *a)
{
	(void)fd;
	a->cq_add.entries = XROCE_CQ_MIN;
}

static void fill_cq(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.cq_add) };

	fill_cq_add(fd, &add);
	must(fd, XROCE_CMD_CQ_ADD, &add);
	a->cq_del.cq = add.cq_add.cq;
}

static void fill_srq_add(int fd, union arg *a)
{
	fill_qp_add(fd, a);
	a->srq_add.pd = a->qp_add.pd;
	a->srq_add.entries = 4;
	a->srq_add.max_sge = 2;
}

static void fill_srq(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.srq_add) };

	fill_srq_add(fd, &add);
	must(fd, XROCE_CMD_SRQ_ADD, &add);
	a->srq_del.srq = add.srq_add.srq;
}

static void fill_mw_add(int fd, union arg *a)
{
	a->mw_add.pd = some_pd(fd);
	a->mw_add.type = XROCE_MW_TYPE_2B;
}

/* Handle and key are where MW_DEL and MW_QUERY want the handle. */
static void fill_mw(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.mw_add) };

	fill_mw_add(fd, &add);
	must(fd, XROCE_CMD_MW_ADD, &add);
	a->mw_bind.mw = add.mw_add.mw;
}

/* A queue pair in RTS, a region, and a window of type 2B. */
static void fill_mw_bind(int fd, union arg *a)
{
	union arg mw = { .size = sizeof(mw.mw_add) };
	union arg mr = { .size = sizeof(mr.mr_reg) };
	union arg qp = { .size = sizeof(qp.qp_add) };
	struct xroce_qp_modify m;
	__u32 to;

	fill_mw_add(fd, &mw);
	must(fd, XROCE_CMD_MW_ADD, &mw);
	fill_mr_reg(fd, &mr);
	mr.mr_reg.pd = mw.mw_add.pd;
	mr.mr_reg.access |= XROCE_ACCESS_MW_BIND;
	must(fd, XROCE_CMD_MR_REG, &mr);
	qp.qp_add.pd = mw.mw_add.pd;
	qp.qp_add.type = XROCE_QPT_RC;
	must(fd, XROCE_CMD_QP_ADD, &qp);
	for (to = XROCE_QPS_INIT; to <= XROCE_QPS_RTS; to++) {
		m = qp_change(qp.qp_add.qpn, to, qp_attrs(XROCE_QPT_RC, to));
		m.size = sizeof(m);
		must(fd, XROCE_CMD_QP_MODIFY, &m);
	}
	a->mw_bind.mw = mw.mw_add.mw;
	a->mw_bind.rkey = mw.mw_add.rkey;
	a->mw_bind.qpn = qp.qp_add.qpn;
	a->mw_bind.lkey = mr.mr_reg.lkey;
	a->mw_bind.length = sizeof(memory);
	a->mw_bind.access = XROCE_ACCESS_REMOTE_READ;
}

static void fill_mw_inval(int fd, union arg *a)
{
	union arg bind = { .size = sizeof(bind.mw_bind) };

	fill_mw_bind(fd, &bind);
	must(fd, XROCE_CMD_MW_BIND, &bind);
	a->mw_inval.rkey = bind.mw_bind.rkey;
	a->mw_inval.qpn = bind.mw_bind.qpn;
}

static void fill_sq_add(int fd, union arg *a)
{
	(void)fd;
	a->sq_add.entries = XROCE_SQ_MIN;
}

static void fill_sq(int fd, union arg *a)
{
	union arg add = { .size = sizeof(add.sq_add) };

	(void)a;
	fill_sq_add(fd, &add);
	must(fd, XROCE_CMD_SQ_ADD, &add);
}

/**
 * struct command - an ioctl command
 * @name: for people
 * @nr: XROCE_CMD_*
 * @size: of its structure in the first release, by the interface
 * @flags: XROCE_F_* it takes
 * @reserved: offsets of its reserved words that are given, not returned
 * @bare: it works on a descriptor without a link
 * @fill: make the structure such that the command succeeds
 */
struct command {
	const char *name;
	unsigned long nr;
	__u32 size;
	__u32 flags;
	__u32 reserved[2];
	bool bare;
	void (*fill)(int fd, union arg *a);
};

static const struct command commands[] = {
	{ "LINK_ADD", XROCE_CMD_LINK_ADD, 16, 0, {}, true, fill_link_add },
	{ "LINK_MAPS", XROCE_CMD_LINK_MAPS, 24, 0, {}, true,
	  fill_link_maps },
	{ "LINK_DEL", XROCE_CMD_LINK_DEL, 16, XROCE_F_FORCE, { 12 }, true,
	  fill_link_del },
	{ "LINK_QUERY", XROCE_CMD_LINK_QUERY, 64, XROCE_F_NEXT, {}, true,
	  fill_link_query },
	{ "LINK_USE", XROCE_CMD_LINK_USE, 16, 0, {}, true, fill_link_use },
	{ "PD_ADD", XROCE_CMD_PD_ADD, 16, XROCE_F_PERSISTENT, { 12 }, false,
	  fill_nothing },
	{ "PD_DEL", XROCE_CMD_PD_DEL, 16, 0, { 12 }, false, fill_pd },
	{ "PD_QUERY", XROCE_CMD_PD_QUERY, 32, XROCE_F_NEXT, {}, false,
	  fill_pd },
	{ "MR_REG", XROCE_CMD_MR_REG, 96, XROCE_F_PERSISTENT | XROCE_F_PID,
	  { 88, 92 }, false, fill_mr_reg },
	{ "MR_DEREG", XROCE_CMD_MR_DEREG, 16, 0, { 12 }, false, fill_mr },
	{ "MR_QUERY", XROCE_CMD_MR_QUERY, 112, XROCE_F_NEXT, {}, false,
	  fill_mr },
	{ "MR_REG_PHYS", XROCE_CMD_MR_REG_PHYS, 104, XROCE_F_PERSISTENT,
	  { 68 }, false, fill_mr_reg_phys },
	{ "MR_REG_SHARED", XROCE_CMD_MR_REG_SHARED, 80, XROCE_F_PERSISTENT, {},
	  false, fill_mr_reg_shared },
	{ "MR_REREG", XROCE_CMD_MR_REREG, 88, XROCE_F_PID | XROCE_F_PHYS,
	  { 84 }, false, fill_mr_rereg },
	{ "MTT_QUERY", XROCE_CMD_MTT_QUERY, 136, 0, {}, true, fill_nothing },
	{ "MTT_READ", XROCE_CMD_MTT_READ, 32, 0, {}, false, fill_mtt_read },
	{ "QP_ADD", XROCE_CMD_QP_ADD, 64, XROCE_F_PERSISTENT, { 20, 60 }, false,
	  fill_qp_add },
	{ "QP_MODIFY", XROCE_CMD_QP_MODIFY, 96, 0, { 52, 92 }, false,
	  fill_qp_modify },
	{ "QP_DEL", XROCE_CMD_QP_DEL, 16, 0, { 12 }, false, fill_qp },
	{ "QP_QUERY", XROCE_CMD_QP_QUERY, 160, XROCE_F_NEXT, {}, false,
	  fill_qp },
	{ "CQ_ADD", XROCE_CMD_CQ_ADD, 32, 0, {}, false, fill_cq_add },
	{ "CQ_DEL", XROCE_CMD_CQ_DEL, 16, 0, { 12 }, false, fill_cq },
	{ "SRQ_ADD", XROCE_CMD_SRQ_ADD, 40, 0, {}, false, fill_srq_add },
	{ "SRQ_MODIFY", XROCE_CMD_SRQ_MODIFY, 16, 0, {}, false, fill_srq },
	{ "SRQ_DEL", XROCE_CMD_SRQ_DEL, 16, 0, { 12 }, false, fill_srq },
	{ "SRQ_QUERY", XROCE_CMD_SRQ_QUERY, 32, 0, {}, false, fill_srq },
	{ "MW_ADD", XROCE_CMD_MW_ADD, 32, XROCE_F_PERSISTENT, { 24, 28 }, false,
	  fill_mw_add },
	{ "MW_DEL", XROCE_CMD_MW_DEL, 16, 0, { 12 }, false, fill_mw },
	{ "MW_QUERY", XROCE_CMD_MW_QUERY, 64, XROCE_F_NEXT, { 60 }, false,
	  fill_mw },
	{ "MW_BIND", XROCE_CMD_MW_BIND, 48, 0, { 44 }, false, fill_mw_bind },
	{ "MW_INVAL", XROCE_CMD_MW_INVAL, 16, 0, {}, false, fill_mw_inval },
	{ "SQ_ADD", XROCE_CMD_SQ_ADD, 32, 0, { 12 }, false, fill_sq_add },
	{ "SQ_DEL", XROCE_CMD_SQ_DEL, 8, 0, {}, false, fill_sq },
	{ "SQ_APPLY", XROCE_CMD_SQ_APPLY, 8, 0, {}, false, fill_sq },
};

/* Delete the link that a command has left on the spare device. */
static void del_spare_link(void)
{
	struct xroce_link_del del = {
		.size = sizeof(del), .flags = XROCE_F_FORCE,
	};
	struct xroce_link_query q;
	int fd;

	if (xroce_link_find(LIVE_SPARE, &q))
		return;
	fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	del.link = q.link;
	must(fd, XROCE_CMD_LINK_DEL, &del);
	close(fd);
}

/**
 * struct attempt - one call of a command, right but for what is said here
 * @size: of the structure; the bytes after what is known are zero
 * @bad: offset of a byte to be changed, or 0
 * @flags: exclusive-ored into the flags
 * @unlinked: on a descriptor without a link, though the command wants one
 */
struct attempt {
	__u32 size;
	__u32 bad;
	__u32 flags;
	bool unlinked;
};

/* Return: the command's result. */
static int attempt(const struct command *c, const struct attempt *t)
{
	struct xroce_link_use use = {
		.size = sizeof(use),
		.ifindex = if_nametoindex(LIVE_DEV),
	};
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	union arg a = {};
	__u32 i;
	int ret;

	if (!check(fd >= 0, "open: %s", strerror(errno)))
		return -EBADF;
	if (!c->bare && !t->unlinked)
		must(fd, XROCE_CMD_LINK_USE, &use);
	if (!t->unlinked)
		c->fill(fd, &a);
	a.size = t->size;
	a.flags ^= t->flags;
	if (t->bad)
		a.bytes[t->bad] ^= 1;
	ret = live_ioctl(fd, c->nr, &a);
	if (!ret) {
		check(a.size == t->size, "%s: size %u becomes %u", c->name,
		      t->size, a.size);
		for (i = c->size; i < sizeof(a); i++)
			if (!check(!a.bytes[i], "%s: byte %u written", c->name,
				   i))
				break;
	}
	if (c->nr == XROCE_CMD_LINK_MAPS)
		close_maps(&a);
	close(fd);
	del_spare_link();
	return ret;
}

static void expect(const struct command *c, struct attempt t, int want)
{
	int ret = attempt(c, &t);

	check(ret == want,
	      "%s, size %u of %u, byte %u changed, flags ^%#x: %d, not %d",
	      c->name, t.size, c->size, t.bad, t.flags, ret, want);
}

#define for_each_command(c) \
	for ((c) = commands; (c) < commands + ARRAY_SIZE(commands); (c)++)

static void size_right(void)
{
	const struct command *c;

	for_each_command(c)
		expect(c, (struct attempt){ c->size }, 0);
	live_check_idle(LIVE_DEV);
}

static void size_short(void)
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ 0 }, -EINVAL);
		expect(c, (struct attempt){ 4 }, -EINVAL);
		expect(c, (struct attempt){ c->size - 1 }, -EINVAL);
	}
	live_check_idle(LIVE_DEV);
}

static void size_long(void)
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ c->size + 1 }, 0);
		expect(c, (struct attempt){ c->size + 40 }, 0);
		expect(c, (struct attempt){ PAGE }, 0);
	}
	live_check_idle(LIVE_DEV);
}

static void size_too_new(void)
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ c->size + 40, c->size }, -E2BIG);
		expect(c, (struct attempt){ c->size + 40, c->size + 39 },
		       -E2BIG);
		expect(c, (struct attempt){ PAGE, PAGE - 1 }, -E2BIG);
	}
	live_check_idle(LIVE_DEV);
}

static void size_too_long(void)
{
	const struct command *c;

	for_each_command(c) {
		expect(c, (struct attempt){ PAGE + 1 }, -E2BIG);
		expect(c, (struct attempt){ 0xffffffff }, -E2BIG);
	}
	live_check_idle(LIVE_DEV);
}

static void flags_unknown(void)
{
	const struct command *c;
	int bit;

	for_each_command(c)
		for (bit = 0; bit < 32; bit++)
			if (!(c->flags & 1u << bit))
				expect(c, (struct attempt){ c->size, 0,
							    1u << bit },
				       -EINVAL);
	live_check_idle(LIVE_DEV);
}

static void reserved(void)
{
	const struct command *c;
	int i, byte;

	for_each_command(c)
		for (i = 0; i < 2 && c->reserved[i]; i++)
			for (byte = 0; byte < 4; byte++)
				expect(c, (struct attempt){ c->size,
					      c->reserved[i] + byte }, -EINVAL);
	live_check_idle(LIVE_DEV);
}

static void no_link(void)
{
	const struct command *c;

	for_each_command(c)
		if (!c->bare)
			expect(c, (struct attempt){ c->size, .unlinked = true },
			       -ENOTCONN);
}

static void pointers(void)
{
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	const struct command *c;
	char *map, *end;
	int ret;

	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(map + PAGE, PAGE);
	end = map + PAGE;
	for_each_command(c) {
		ret = live_ioctl(fd, c->nr, NULL);
		check(ret == -EFAULT, "%s, NULL: %d", c->name, ret);
		ret = live_ioctl(fd, c->nr, end);
		check(ret == -EFAULT, "%s, unmapped: %d", c->name, ret);
		ret = live_ioctl(fd, c->nr, (void *)0xffffffff81000000);
		check(ret == -EFAULT, "%s, kernel: %d", c->name, ret);
		/* The size is there, the last byte is not. */
		memcpy(end - c->size + 1, &c->size, sizeof(c->size));
		ret = live_ioctl(fd, c->nr, end - c->size + 1);
		check(ret == -EFAULT, "%s, ends unmapped: %d", c->name, ret);
		/* Nothing has such a number. */
		memset(map, 0xff, PAGE);
		memset(end - c->size, 0, 8);
		memcpy(end - c->size, &c->size, sizeof(c->size));
		ret = live_ioctl(fd, c->nr, end - c->size);
		check(ret != -EFAULT, "%s, ends mapped: %d", c->name, ret);
		memset(map, 0, PAGE);
	}
	munmap(map, PAGE);
	close(fd);
}

static void no_command(void)
{
	struct xroce_link_query q = { .size = sizeof(q), .flags = XROCE_F_NEXT };
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	const struct command *c;
	unsigned int nr;
	int ret;

	for (nr = 0; nr < 256; nr++) {
		for_each_command(c)
			if (c->nr == _IO(XROCE_IOC_TYPE, nr))
				break;
		if (c < commands + ARRAY_SIZE(commands))
			continue;
		ret = live_ioctl(fd, _IO(XROCE_IOC_TYPE, nr), &q);
		check(ret == -ENOTTY, "command %#x: %d", nr, ret);
	}
	ret = live_ioctl(fd, _IO(XROCE_IOC_TYPE + 1, XROCE_NR_LINK_QUERY), &q);
	check(ret == -ENOTTY, "another type: %d", ret);
	ret = live_ioctl(fd, _IOWR(XROCE_IOC_TYPE, XROCE_NR_LINK_QUERY,
				   struct xroce_link_query), &q);
	check(ret == -ENOTTY, "with a size in the number: %d", ret);
	ret = live_ioctl(fd, XROCE_CMD_LINK_QUERY, &q);
	check(!ret, "LINK_QUERY: %d", ret);
	close(fd);
}

static const struct test tests[] = {
	{ "abi_size_right", "U3", "every command works", size_right },
	{ "abi_size_short", "U3", "a structure too short is -EINVAL",
	  size_short },
	{ "abi_size_long", "U3", "a newer program's structure with zeros works",
	  size_long },
	{ "abi_size_too_new", "U3", "a feature we do not know is -E2BIG",
	  size_too_new },
	{ "abi_size_too_long", "U3", "more than a page is -E2BIG",
	  size_too_long },
	{ "abi_flags_unknown", "U3", "every unknown flag is -EINVAL",
	  flags_unknown },
	{ "abi_reserved", "U3", "reserved words are zero", reserved },
	{ "abi_no_link", "U3", "objects need LINK_USE first", no_link },
	{ "abi_pointers", "U3", "bad pointers are -EFAULT", pointers },
	{ "abi_no_command", "U3", "no other command, by exact number",
	  no_command },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
