// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mr change: changing regions. */
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

/* Change those attributes of region @q that r->mask selects. Return: an exit status. */
static int change(struct xroce *x, const struct mr_memory *m, const char *word,
		  const struct xroce_mr_query *q, struct xroce_mr_rereg *r)
{
	__u32 access;
	int err, fd;

	/* Paging stays as it is while the memory does. */
	if (r->mask & XROCE_REREG_ACCESS && !(r->mask & XROCE_REREG_TRANSLATION))
		r->access |= q->access & XROCE_ACCESS_ON_DEMAND;
	access = r->mask & XROCE_REREG_ACCESS ? r->access : q->access;
	r->mr = q->mr;
	progress_begin("registering", mr_memory_bytes(m));
	if (m->file) {
		fd = mr_memory_open(m, access);
		if (fd < 0)
			return EXIT_ERROR;
		err = xroce_mr_rereg_file(x, fd, m->offset, r);
		close(fd);
	} else {
		err = xroce_mr_rereg(x, r);
	}
	progress_end();
	if (err == -EBUSY && mr_windows(x, word, q->mr))
		return EXIT_ERROR;
	if (r->mask & XROCE_REREG_PD && pd_foreign(x, "mr", r->pd, err))
		return EXIT_ERROR;
	if (err && r->mask & XROCE_REREG_TRANSLATION)
		return mr_memory_failed(x, m, &(struct mr_wish){ word, r->pd, access,
				XROCE_COUNT_PINNED }, err);
	if (err == -ENOENT && r->mask & XROCE_REREG_PD)
		return fail("mr %s: pd %u: %s", word, r->pd,
			    reason(err, mr_reasons));
	/* Other rights may need the pages pinned again, while they still are. */
	if (err)
		return fail("mr %s: %s", word,
			    limit_reason(x, err, mr_reasons, &(struct wanted){
				XROCE_COUNT_PINNED, .persistent = true,
				.bytes = mr_memory_pins(q->addr, q->length, q->access) }));
	mr_show_keys(r->mr, r->lkey, r->rkey,
		  r->mask & XROCE_REREG_TRANSLATION ? r->iova : q->iova,
		  r->mask & XROCE_REREG_TRANSLATION ? r->length : q->length);
	return EXIT_OK;
}

static int check_change(struct mr_memory *m, const struct arg *args,
			struct xroce_mr_rereg *r, bool pd, bool access)
{
	const char *wrong = access ? xroce_mr_access_error(r->access) : NULL;
	int status = mr_memory_check(m, args);

	if (status)
		return status;
	r->mask = (pd ? XROCE_REREG_PD : 0) | (access ? XROCE_REREG_ACCESS : 0);
	if (m->file || m->phys || arg_seen(args, MEMORY_PID))
		r->mask |= XROCE_REREG_TRANSLATION;
	else if (arg_seen(args, MEMORY_IOVA))
		return usage("iova: can only be used with file, pid or phys");
	if (!r->mask)
		return usage("nothing to change; give one or more of file, pid, phys, pd and access");
	if (wrong)
		return fail("mr: %s", wrong);
	if (m->all && access)
		r->access |= XROCE_ACCESS_ON_DEMAND;

	r->flags = m->phys ? XROCE_F_PHYS : arg_seen(args, MEMORY_PID) ? XROCE_F_PID : 0;
	r->addr = m->addr;
	r->length = m->length;
	r->iova = m->iova;
	r->pid = m->pid;
	r->pages = (uintptr_t)m->pages;
	r->npages = m->npages;
	r->page_shift = mr_memory_page_shift(m);
	r->offset = m->offset;
	return EXIT_OK;
}

int mr_change(int argc, char **argv)
{
	struct mr_memory m = { .page_size = 4096 };
	const char *dev = NULL, *word = NULL;
	struct xroce_mr_rereg r = {};
	enum { PD = MEMORY_WORDS, ACCESS };
	struct arg args[] = {
		MEMORY_ARGS(m),
		[PD] = { "pd", &arg_pd, &r.pd, ARG_OPTIONAL },
		[ACCESS] = { "access", &arg_access, &r.access, ARG_OPTIONAL },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "mr", &arg_text, &word, ARG_NEEDED },
		{}
	};
	struct xroce_mr_query q;
	struct xroce *x;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (!status)
		status = check_change(&m, args, &r, arg_seen(args, PD),
				      arg_seen(args, ACCESS));
	if (status)
		goto out;
	status = dev_open(dev, &x);
	if (status)
		goto out;
	err = mr_find(x, word, &q);
	status = err ? mr_not_found(word, err) : change(x, &m, word, &q, &r);
	xroce_close(x);
out:
	free(m.pages);
	return status;
}
