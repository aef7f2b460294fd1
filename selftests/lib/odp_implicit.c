// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <sys/mman.h>

#include "live_mr.h"
#include "mem.h"
#include "odp_implicit.h"

bool implicit_register(struct odp *o, pid_t pid, struct xroce_mr_reg *mr)
{
	int ret;

	*mr = (struct xroce_mr_reg){
		.flags = pid ? XROCE_F_PID : 0,
		.pd = o->w.pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE |
			  XROCE_ACCESS_REMOTE_READ |
			  XROCE_ACCESS_REMOTE_ATOMIC | XROCE_ACCESS_MW_BIND |
			  XROCE_ACCESS_ON_DEMAND,
		.length = XROCE_LENGTH_ALL,
		.pid = pid,
	};
	ret = xroce_mr_reg(o->w.x, mr);
	return check(!ret, "implicit on-demand region: %s", strerror(-ret));
}

/* Replace the region that odp_open() has registered. */
static bool replace(struct odp *o)
{
	check(!xroce_mr_dereg(o->w.x, o->mr.mr), "dereg");
	return implicit_register(o, 0, &o->mr);
}

bool implicit_open(struct odp *o, size_t pages, const struct wire_opts *opts)
{
	static const struct wire_opts rc;

	return odp_open_opts(o, pages, opts ? : &rc) && replace(o);
}

bool implicit_again(struct odp *o)
{
	return odp_again(o) && replace(o);
}

struct wanted {
	struct odp *o;
	uint64_t parts;
};

static bool has_children(void *arg)
{
	const struct wanted *w = arg;

	return odp_query(w->o).odp_children == w->parts;
}

void implicit_expect_children(struct odp *o, uint64_t parts)
{
	struct wanted w = { o, parts };

	check(live_wait(has_children, &w), "%llu children, not %llu",
	      odp_query(o).odp_children, (unsigned long long)parts);
}

uint64_t implicit_empty_bytes(struct odp *o)
{
	struct xroce_mr_query q = { };
	struct xroce_mr_reg mr;

	if (!implicit_register(o, 0, &mr))
		return 0;
	q.mr = mr.mr;
	check(!xroce_mr_query(o->w.x, &q) && !q.odp_children, "query");
	check(!xroce_mr_dereg(o->w.x, mr.mr), "dereg");
	return q.odp_bytes;
}
