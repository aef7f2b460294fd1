// SPDX-License-Identifier: GPL-2.0-only
/*
 * Re-registering that fails: the region stays as it was.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mem.h"
#include "rereg.h"

/* Changes that are valid but for one thing. */
static __u64 page_list[2];

static void no_mask(struct xroce_mr_rereg *c)
{
	c->mask = 0;
}

static void mask_more(struct xroce_mr_rereg *c) { c->mask |= 8; }
static void flag_more(struct xroce_mr_rereg *c) { c->flags = 1u << 31; }
static void reserved(struct xroce_mr_rereg *c) { c->reserved = 1; }
static void rights(struct xroce_mr_rereg *c) { c->access = RW; }
static void right_more(struct xroce_mr_rereg *c) { c->access |= 1 << 30; }

static void empty(struct xroce_mr_rereg *c)
{
	c->length = 0;
}

static void wraps(struct xroce_mr_rereg *c) { c->length = -c->addr + 1; }
static void iova_wraps(struct xroce_mr_rereg *c) { c->iova = -100ull; }
static void too_far(struct xroce_mr_rereg *c) { c->length += MEM_PAGE; }

static void nowhere(struct xroce_mr_rereg *c)
{
	c->addr = 0;
}

static void no_pd(struct xroce_mr_rereg *c) { c->pd = 0x123456; }
static void gone(struct xroce_mr_rereg *c) { c->mr ^= 1; }

static void flag_alone(struct xroce_mr_rereg *c)
{
	c->mask = PD | ACCESS;
	c->flags = XROCE_F_PID;
	c->pid = getpid();
}

static void no_process(struct xroce_mr_rereg *c)
{
	c->flags = XROCE_F_PID;
	c->pid = 0x3fffff;
}

static void both_kinds(struct xroce_mr_rereg *c)
{
	c->flags = XROCE_F_PID | XROCE_F_PHYS;
}

static void phys(struct xroce_mr_rereg *c)
{
	rereg_pages(rereg.b, page_list, 2);
	c->flags = XROCE_F_PHYS;
	c->pages = (uintptr_t)page_list;
	c->npages = 2;
	c->page_shift = MEM_PAGE_SHIFT;
	c->offset = 0;
	c->length = 2 * MEM_PAGE;
}

static void phys_bad_list(struct xroce_mr_rereg *c)
{
	phys(c);
	c->pages = 8;
}

static void phys_none(struct xroce_mr_rereg *c)
{
	phys(c);
	c->npages = 0;
}

static void phys_many(struct xroce_mr_rereg *c)
{
	phys(c);
	c->npages = XROCE_PHYS_PAGES_MAX + 1;
}

static void phys_unaligned(struct xroce_mr_rereg *c)
{
	phys(c);
	page_list[1] += 8;
}

static void phys_no_memory(struct xroce_mr_rereg *c)
{
	phys(c);
	page_list[1] = 1ull << 45;
}

static void phys_left_over(struct xroce_mr_rereg *c)
{
	phys(c);
	c->length = MEM_PAGE;
}

static void phys_longer(struct xroce_mr_rereg *c)
{
	phys(c);
	c->length++;
}

static void phys_no_pd(struct xroce_mr_rereg *c)
{
	phys(c);
	c->pd = 0x123456;
}

static const struct {
	const char *what;
	void (*spoil)(struct xroce_mr_rereg *c);
	int want;
} failures[] = {
	{ "nothing to change", no_mask, -EINVAL },
	{ "unknown mask", mask_more, -EINVAL },
	{ "unknown flag", flag_more, -EINVAL },
	{ "reserved", reserved, -EINVAL },
	{ "a flag of the translation alone", flag_alone, -EINVAL },
	{ "two kinds", both_kinds, -EINVAL },
	{ "remote write alone", rights, -EINVAL },
	{ "unknown right", right_more, -EINVAL },
	{ "no byte", empty, -EINVAL },
	{ "range wraps", wraps, -EINVAL },
	{ "iova wraps", iova_wraps, -EINVAL },
	{ "ends behind what is mapped", too_far, -EFAULT },
	{ "not mapped", nowhere, -EFAULT },
	{ "no such domain", no_pd, -ENOENT },
	{ "no such region", gone, -ENOENT },
	{ "no such process", no_process, -ESRCH },
	{ "physical: list not mapped", phys_bad_list, -EFAULT },
	{ "physical: no page", phys_none, -EINVAL },
	{ "physical: too many", phys_many, -E2BIG },
	{ "physical: not aligned", phys_unaligned, -EINVAL },
	{ "physical: no memory", phys_no_memory, -EFAULT },
	{ "physical: a page left over", phys_left_over, -EINVAL },
	{ "physical: a byte too long", phys_longer, -EINVAL },
	{ "physical: no such domain", phys_no_pd, -ENOENT },
};

TEST(rereg_refused, "R5", "a failure leaves the region as it was")
{
	struct xroce_mr_rereg c;
	size_t i;

	if (!rereg_begin())
		return;
	munmap(rereg.b + REREG_PAGES * MEM_PAGE, MEM_PAGE);
	for (i = 0; i < ARRAY_SIZE(failures) && !test_failed(); i++) {
		c = rereg_change(TRANSLATION | PD | ACCESS);
		c.addr = (uintptr_t)rereg.b;
		failures[i].spoil(&c);
		rereg_unchanged(failures[i].what, xroce_mr_rereg(rereg.x, &c),
				failures[i].want);
	}
	rereg_end();
}

/* Changes that are not permitted, or exceed a limit. */
TEST(rereg_not_allowed, "R5 R10", "a change that is not permitted leaves the region as it was")
{
	struct xroce *y = live_open();
	struct rlimit old, limit;
	struct xroce_mr_rereg c;
	__u32 pd;

	if (!rereg_begin() || !y)
		return;
	pd = live_pd(y);
	c = rereg_change(PD);
	c.pd = pd;
	rereg_unchanged("domain of another file", xroce_mr_rereg(rereg.x, &c),
			-EPERM);
	c = rereg_change(ACCESS);
	rereg_unchanged("region of another file", xroce_mr_rereg(y, &c),
			-EPERM);
	live_drop_cap(CAP_NET_ADMIN);
	rereg_unchanged("and out of sight", xroce_mr_rereg(y, &c), -ENOENT);
	live_restore_caps();
	live_drop_cap(CAP_SYS_RAWIO);
	c = rereg_change(TRANSLATION);
	phys(&c);
	rereg_unchanged("physical without CAP_SYS_RAWIO",
			xroce_mr_rereg(rereg.x, &c), -EPERM);
	live_restore_caps();

	getrlimit(RLIMIT_MEMLOCK, &old);
	limit = (struct rlimit){ 8 * MEM_PAGE, old.rlim_max };
	setrlimit(RLIMIT_MEMLOCK, &limit);
	live_drop_cap(CAP_IPC_LOCK);
	c = rereg_change(TRANSLATION);
	rereg_unchanged("4 + 5 pages of 8", xroce_mr_rereg(rereg.x, &c),
			-ENOMEM);
	c.length = 3 * MEM_PAGE;
	check(!xroce_mr_rereg(rereg.x, &c), "4 + 4 pages of 8");
	check(live_vmpin() == 16, "VmPin %ld", live_vmpin());
	live_restore_caps();
	setrlimit(RLIMIT_MEMLOCK, &old);
	xroce_close(y);
	rereg_end();
}

TEST_MAIN(live_main);
