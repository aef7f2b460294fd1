// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mr add: registering regions. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"
#include "message.h"
#include "mr.h"
#include "mr_memory.h"
#include "pd.h"
#include "progress.h"

static const struct reason share_reasons[] = {
	{ EACCES, "its pages are pinned read-only" },
	{}
};

static int add_virtual(struct xroce *x, struct mr_memory *m, const struct mr_wish *wish)
{
	struct xroce_mr_reg reg = {
		.flags = XROCE_F_PERSISTENT | (m->file ? 0 : XROCE_F_PID),
		.pd = wish->pd,
		.access = wish->access,
		.addr = m->addr,
		.length = m->length,
		.iova = m->iova,
		.pid = m->pid,
	};
	int err, fd;

	if (wish->name)
		strcpy(reg.name, wish->name);
	progress_begin("registering", mr_memory_bytes(m));
	if (m->file) {
		fd = mr_memory_open(m, wish->access);
		if (fd < 0)
			return EXIT_ERROR;
		err = xroce_mr_reg_file(x, fd, m->offset, &reg);
		close(fd);
	} else {
		err = xroce_mr_reg(x, &reg);
	}
	progress_end();
	if (err)
		return mr_memory_failed(x, m, wish, err);
	mr_show_keys(reg.mr, reg.lkey, reg.rkey, reg.iova, reg.length);
	return EXIT_OK;
}

static int add_phys(struct xroce *x, struct mr_memory *m, const struct mr_wish *wish)
{
	struct xroce_mr_reg_phys reg = {
		.flags = XROCE_F_PERSISTENT,
		.pd = wish->pd,
		.access = wish->access,
		.pages = (uintptr_t)m->pages,
		.npages = m->npages,
		.page_shift = mr_memory_page_shift(m),
		.offset = m->offset,
		.length = m->length,
		.iova = m->iova,
	};
	int err;

	if (wish->name)
		strcpy(reg.name, wish->name);
	err = xroce_mr_reg_phys(x, &reg);
	if (err)
		return mr_memory_failed(x, m, wish, err);
	mr_show_keys(reg.mr, reg.lkey, reg.rkey, reg.iova, reg.length);
	return EXIT_OK;
}

static int add_shared(struct xroce *x, const struct mr_memory *m, const struct mr_wish *wish,
		      const char *share)
{
	struct xroce_mr_reg_shared reg = {
		.flags = XROCE_F_PERSISTENT,
		.pd = wish->pd,
		.access = wish->access,
		.iova = m->iova,
	};
	struct xroce_mr_query q;
	int err;

	if (wish->name)
		strcpy(reg.name, wish->name);
	err = mr_find(x, share, &q);
	if (err)
		return mr_not_found(share, err);
	reg.from = q.mr;
	err = xroce_mr_reg_shared(x, &reg);
	if (pd_foreign(x, "mr", wish->pd, err))
		return EXIT_ERROR;
	if (err == -ENOENT || err == -EEXIST)
		return mr_memory_failed(x, m, wish, err);
	if (err)
		return fail("mr: share %s: %s", share,
			    limit_reason(x, err, err == -EACCES ? share_reasons :
								  mr_reasons,
					 &(struct wanted){ XROCE_COUNT_MR,
							   .persistent = true }));
	mr_show_keys(reg.mr, reg.lkey, reg.rkey, reg.iova, reg.length);
	return EXIT_OK;
}

/* Check that exactly one kind of memory is given. */
static int check_kinds(const struct arg *args, const char *share)
{
	const bool given[] = {
		arg_seen(args, MEMORY_FILE), arg_seen(args, MEMORY_PID),
		arg_seen(args, MEMORY_PHYS), share
	};
	static const char *const kinds[] = { "file", "pid", "phys", "share" };
	const char *one = NULL;
	size_t i;

	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (given[i] && one)
			return usage("%s and %s: cannot be combined; give one of file, pid, phys and share",
				     one, kinds[i]);
		if (given[i])
			one = kinds[i];
	}
	return one ? EXIT_OK :
		     usage("no memory is given; give one of file, pid, phys and share");
}

static int check_add(struct mr_memory *m, const struct arg *args, const struct mr_wish *wish,
		     const char *share)
{
	const char *wrong;
	int status;

	status = check_kinds(args, share);
	if (status)
		return status;
	status = mr_memory_check(m, args);
	if (status)
		return status;
	if (arg_seen(args, MEMORY_FILE) && wish->access & XROCE_ACCESS_ON_DEMAND)
		return usage("on demand: cannot be combined with file, which is mapped only while this command runs; use pid");
	if (arg_seen(args, MEMORY_PHYS) && wish->access & XROCE_ACCESS_ON_DEMAND)
		return usage("on demand: cannot be combined with phys, whose pages are there");
	wrong = xroce_mr_access_error(wish->access);
	if (wrong)
		return fail("mr%s%s: %s", wish->name ? " " : "", wish->name ? : "",
			    wrong);
	wrong = wish->name ? xroce_mr_name_error(wish->name) : NULL;
	if (wrong)
		return fail("mr %s: %s", wish->name, wrong);
	return EXIT_OK;
}

int mr_add(int argc, char **argv)
{
	struct mr_memory m = { .page_size = 4096 };
	const char *dev = NULL;
	struct mr_wish wish = { .count = XROCE_COUNT_MR };
	const char *share = NULL;
	bool odp = false;
	struct arg args[] = {
		MEMORY_ARGS(m),
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "pd", &arg_pd, &wish.pd, ARG_NEEDED },
		{ "name", &arg_text, &wish.name, ARG_OPTIONAL },
		{ "share", &arg_text, &share, ARG_OPTIONAL },
		{ "access", &arg_access, &wish.access, ARG_NEEDED },
		{ "odp", &arg_flag, &odp, ARG_OPTIONAL },
		{}
	};
	struct xroce *x;
	int status;

	status = arg_parse(args, argc, argv);
	if (odp || m.all)
		wish.access |= XROCE_ACCESS_ON_DEMAND;
	if (!status)
		status = check_add(&m, args, &wish, share);
	if (status)
		goto out;
	status = dev_open(dev, &x);
	if (status)
		goto out;
	status = share ? add_shared(x, &m, &wish, share) :
		 m.phys ? add_phys(x, &m, &wish) :
			  add_virtual(x, &m, &wish);
	xroce_close(x);
out:
	free(m.pages);
	return status;
}
