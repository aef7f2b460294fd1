// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of regions: their form, and their scope.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "live_mr.h"

#define MANY	2000

static char *page;

/* Register the page under a name. Return: the result. */
static int reg(struct xroce *x, __u32 flags, __u32 pd, const char *name,
	       __u32 *mr)
{
	struct xroce_mr_reg r = mr_region(pd, page, 4096);
	int ret;

	r.flags = flags;
	memcpy(r.name, name, strnlen(name, sizeof(r.name)));
	ret = xroce_mr_reg(x, &r);
	*mr = r.mr;
	return ret;
}

static int reg_shared(struct xroce *x, __u32 from, __u32 pd, const char *name,
		      __u32 *mr)
{
	struct xroce_mr_reg_shared r = { .from = from, .pd = pd };
	int ret;

	memcpy(r.name, name, strnlen(name, sizeof(r.name)));
	ret = xroce_mr_reg_shared(x, &r);
	*mr = r.mr;
	return ret;
}

static int reg_phys(struct xroce *x, __u32 pd, const char *name, __u32 *mr)
{
	__u64 at = 0;
	struct xroce_mr_reg_phys r = {
		.pd = pd, .pages = (uintptr_t)&at, .npages = 1,
		.page_shift = 12, .length = 1,
	};
	struct xroce_mr_query q = {};
	int ret;

	/* Its physical address may be registered, too. */
	ret = reg(x, 0, pd, "page", &q.mr);
	if (!ret)
		ret = xroce_mtt_read(x, q.mr, 0, &at, 1) == 1 ? 0 : -EIO;
	check(!ret, "physical address: %d", ret);
	at &= ~4095ull;
	memcpy(r.name, name, strnlen(name, sizeof(r.name)));
	ret = xroce_mr_reg_phys(x, &r);
	check(!xroce_mr_dereg(x, q.mr), "MR_DEREG");
	*mr = r.mr;
	return ret;
}

static bool begin(struct xroce **x)
{
	if (!page)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*x = live_open();
	return check(page != MAP_FAILED, "memory") && *x;
}

TEST(name_forms, "R2", "UTF-8 without control characters, and not a number")
{
	static const struct {
		const char *name;
		int want;
	} rows[] = {
		{ "buffer", 0 }, { "two words", 0 }, { "1.5", 0 }, { "0x", 0 },
		{ "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 0 },
		{ "0123456789abcdef0123456789abcde", 0 },
		{ "0123456789abcdef0123456789abcdef", -EINVAL },
		{ "\xff", -EINVAL }, { "a\xc3", -EINVAL },
		{ "\xc0\xaf", -EINVAL }, { "\xed\xa0\x80", -EINVAL },
		{ "\xf4\x90\x80\x80", -EINVAL },
		{ "a\nb", -EINVAL }, { "\x1b[2J", -EINVAL },
		{ "\x7f", -EINVAL }, { "\xc2\x9b" "2J", -EINVAL },
		{ "a\xe2\x80\xae" "b", -EINVAL },
		{ "0", -EINVAL }, { "4711", -EINVAL }, { "0x1F", -EINVAL },
	};
	struct xroce *x;
	__u32 pd, base, mr;
	size_t i;
	int ret;

	if (!begin(&x))
		return;
	pd = live_pd(x);
	check(!reg(x, 0, pd, "", &base), "no name");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ret = reg(x, 0, pd, rows[i].name, &mr);
		check(ret == rows[i].want, "row %zu: %d", i, ret);
		if (!ret)
			check(!xroce_mr_dereg(x, mr), "MR_DEREG");
		ret = reg_shared(x, base, pd, rows[i].name, &mr);
		check(ret == rows[i].want, "row %zu, shared: %d", i, ret);
		if (!ret)
			check(!xroce_mr_dereg(x, mr), "MR_DEREG");
		ret = reg_phys(x, pd, rows[i].name, &mr);
		check(ret == rows[i].want, "row %zu, physical: %d", i, ret);
		if (!ret)
			check(!xroce_mr_dereg(x, mr), "MR_DEREG");
	}
	live_close(x);
}

TEST(name_persistent, "R2", "the name of a persistent region is unique on the link")
{
	struct xroce_mr_rereg r = { .mask = XROCE_REREG_ACCESS };
	__u32 pd, other, first, mr;
	struct xroce *x, *y;

	if (!begin(&x))
		return;
	check(!xroce_pd_add(x, XROCE_F_PERSISTENT, &pd) &&
	      !xroce_pd_add(x, XROCE_F_PERSISTENT, &other), "PD_ADD");
	check(!reg(x, XROCE_F_PERSISTENT, pd, "one", &first), "the first");
	check_is(reg(x, XROCE_F_PERSISTENT, pd, "one", &mr), -EEXIST, "the same");
	y = live_open();
	check_is(reg(y, XROCE_F_PERSISTENT, other, "one", &mr), -EEXIST,
		 "of another domain and descriptor");
	xroce_close(y);
	/* Regions without a name can be many, and change. */
	check(!reg(x, XROCE_F_PERSISTENT, pd, "", &r.mr), "without a name");
	check_is(xroce_mr_rereg(x, &r), 0, "changed, without a name");
	check(!xroce_mr_dereg(x, r.mr), "MR_DEREG");
	/* Regions of a descriptor have names of their own. */
	check(!reg(x, 0, live_pd(x), "one", &mr), "the descriptor's own");
	check(!xroce_mr_dereg(x, first), "MR_DEREG");
	check(!reg(x, XROCE_F_PERSISTENT, pd, "one", &first), "free again");
	check(!xroce_mr_dereg(x, first) && !xroce_mr_dereg(x, mr), "MR_DEREG");
	check(!xroce_pd_del(x, pd) && !xroce_pd_del(x, other), "PD_DEL");
	live_close(x);
}

/*
 * Regions of a descriptor: a name is unique in the protection domain, and other owners'
 * names cannot be discovered.
 */
TEST(name_own, "R2 R10", "other names are unique in a protection domain, and do not leak")
{
	struct xroce *x, *y;
	__u32 pd, mr;

	if (!begin(&x))
		return;
	pd = live_pd(x);
	check(!reg(x, 0, pd, "one", &mr), "the first");
	check_is(reg(x, 0, pd, "one", &mr), -EEXIST, "the same");
	check(!reg(x, 0, live_pd(x), "one", &mr), "of another domain");
	y = live_open();
	live_drop_cap(CAP_NET_ADMIN);
	check(!reg(y, 0, live_pd(y), "one", &mr), "of another descriptor");
	live_restore_caps();
	xroce_close(y);
	live_close(x);
}

/*
 * A region keeps its name when it is re-registered; if the new domain has the name, nothing
 * changes.
 */
TEST(name_changed, "R2 R9", "re-registering keeps the name, or fails")
{
	struct xroce_mr_rereg r = { .mask = XROCE_REREG_PD };
	struct xroce_mr_query q = {};
	__u32 pd, other, mr = 0;
	struct xroce *x;
	int ret;

	if (!begin(&x))
		return;
	pd = live_pd(x);
	other = live_pd(x);
	check(!reg(x, 0, pd, "one", &r.mr) && !reg(x, 0, other, "one", &mr),
	      "one in each");
	r.pd = other;
	ret = xroce_mr_rereg(x, &r);
	q.mr = r.mr;
	check(ret == -EEXIST && !xroce_mr_query(x, &q) && q.pd == pd,
	      "to the other's domain: %d, PD %u", ret, q.pd);
	check(!xroce_mr_dereg(x, mr), "MR_DEREG");
	check_is(xroce_mr_rereg(x, &r), 0, "after MR_DEREG");
	check_is(reg(x, 0, other, "one", &mr), -EEXIST, "the name is free in the new domain");
	check(!reg(x, 0, pd, "one", &mr), "the name is still in use in the old domain");
	/* A change of access rights keeps the name. */
	r.mask = XROCE_REREG_ACCESS;
	r.access = XROCE_ACCESS_LOCAL_WRITE;
	ret = xroce_mr_rereg(x, &r);
	check(!ret && reg(x, 0, other, "one", &mr) == -EEXIST,
	      "changed in place: %d", ret);
	check(!xroce_mr_dereg(x, r.mr) && !reg(x, 0, other, "one", &mr),
	      "the name is still in use after MR_DEREG");
	live_close(x);
}

/* The hash table grows and shrinks. */
TEST(name_many, "R2", "many names at once")
{
	static __u32 mr[MANY];
	struct xroce *x;
	char name[32];
	__u32 pd, no;
	int i;

	if (!begin(&x))
		return;
	pd = live_pd(x);
	for (i = 0; i < MANY && !test_failed(); i++) {
		snprintf(name, sizeof(name), "region %d", i);
		check_is(reg(x, 0, pd, name, &mr[i]), 0, "%s", name);
	}
	for (i = 0; i < MANY && !test_failed(); i += 97) {
		snprintf(name, sizeof(name), "region %d", i);
		check(reg(x, 0, pd, name, &no) == -EEXIST, "%s again", name);
	}
	for (i = 0; i < MANY && !test_failed(); i += 2)
		check(!xroce_mr_dereg(x, mr[i]), "MR_DEREG");
	for (i = 0; i < MANY && !test_failed(); i += 98) {
		snprintf(name, sizeof(name), "region %d", i);
		check(!reg(x, 0, pd, name, &no), "%s is free", name);
	}
	live_close(x);
}

TEST_MAIN(live_main_no_packets);
