// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Counters of all links, queue pairs and regions at one time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "clock.h"
#include "counter.h"
#include "dev.h"
#include "message.h"
#include "mr.h"
#include "mr_stat.h"
#include "qp.h"
#include "watch/sample.h"

/* Errors of a link that is deleted, or whose device is unregistered, meanwhile. */
static bool gone(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

static int take_qps(struct xroce *x, struct sample *s,
		    const struct xroce_link_query *link)
{
	struct sample_qp one = { .link = link->link };
	__u32 place = 0;
	int err;

	while (!(err = qp_next(x, link->qp_entries, &place, &one.query)))
		if (!ARRAY_ADD(s->qps, s->nqps, one))
			return -ENOMEM;
	return gone(err) ? 0 : err;
}

static int take_mrs(struct xroce *x, struct sample *s,
		    const struct sample_link *link)
{
	struct sample_mr one = { .link = link->query.link };
	int stat = xroce_mr_stat_open(link->dev);
	int err;
	__u32 mr;

	for (mr = 0; !(err = mr_next(x, mr, &one.query));
	     mr = one.query.mr + 1) {
		one.counted = stat >= 0 &&
			      !xroce_map_read(stat, one.query.mr, &one.stat, sizeof(one.stat));
		if (!ARRAY_ADD(s->mrs, s->nmrs, one)) {
			err = -ENOMEM;
			break;
		}
	}
	if (stat >= 0)
		close(stat);
	return gone(err) ? 0 : err;
}

/* The link may have been deleted, or the module is older and has no limits. */
static void take_limits(struct sample_link *link)
{
	link->limits.link = link->query.link;
	link->user.link = link->query.link;
	link->user.flags = XROCE_F_USER;
	link->user.uid = getuid();
	link->limited = !xroce_limit_query(&link->limits) && !xroce_limit_query(&link->user);
}

static int take_link(struct xroce *x, const char *netdev, void *arg)
{
	struct sample_link one = {};
	struct sample *s = arg;
	int err;

	memccpy(one.dev, netdev, 0, sizeof(one.dev) - 1);
	err = xroce_link_find(netdev, &one.query);
	if (gone(err))
		return EXIT_OK;
	if (!err)
		take_limits(&one);
	if (!err)
		err = xroce_stat_read(netdev, &one.stat);
	if (!err && !ARRAY_ADD(s->links, s->nlinks, one))
		err = -ENOMEM;
	if (!err)
		err = take_qps(x, s, &one.query);
	if (!err)
		err = take_mrs(x, s, &one);
	if (err)
		return fail("dev %s: %s", netdev, dev_pin_reason(err));
	return EXIT_OK;
}

static int compare(__u32 link, __u32 other_link, __u32 number, __u32 other)
{
	return link != other_link ? (link > other_link) - (link < other_link) :
				    (number > other) - (number < other);
}

static int compare_links(const void *a, const void *b)
{
	const struct sample_link *l = a, *m = b;

	return compare(l->query.link, m->query.link, 0, 0);
}

static int compare_qps(const void *a, const void *b)
{
	const struct sample_qp *q = a, *r = b;

	return compare(q->link, r->link, q->query.qpn, r->query.qpn);
}

static int compare_mrs(const void *a, const void *b)
{
	const struct sample_mr *m = a, *n = b;

	return compare(m->link, n->link, m->query.mr, n->query.mr);
}

static const char *name_of_link(const struct sample *s, __u32 link)
{
	const struct sample_link key = { .query.link = link };
	const struct sample_link *found = sample_find_link(s, &key);

	return found ? found->dev : "";
}

int sample_take(const char *netdev, struct sample *s)
{
	int status;
	size_t i;

	memset(s, 0, sizeof(*s));
	status = dev_each(netdev, take_link, s);
	if (status) {
		sample_free(s);
		return status;
	}
	s->time = seconds();
	if (s->nlinks)
		qsort(s->links, s->nlinks, sizeof(*s->links), compare_links);
	if (s->nqps)
		qsort(s->qps, s->nqps, sizeof(*s->qps), compare_qps);
	if (s->nmrs)
		qsort(s->mrs, s->nmrs, sizeof(*s->mrs), compare_mrs);
	for (i = 0; i < s->nqps; i++)
		s->qps[i].dev = name_of_link(s, s->qps[i].link);
	for (i = 0; i < s->nmrs; i++)
		s->mrs[i].dev = name_of_link(s, s->mrs[i].link);
	return EXIT_OK;
}

void sample_free(struct sample *s)
{
	free(s->links);
	free(s->qps);
	free(s->mrs);
	memset(s, 0, sizeof(*s));
}

const struct sample_link *sample_find_link(const struct sample *s,
					   const struct sample_link *link)
{
	return s->nlinks ? bsearch(link, s->links, s->nlinks, sizeof(*link),
				   compare_links) : NULL;
}

const struct sample_qp *sample_find_qp(const struct sample *s,
				       const struct sample_qp *qp)
{
	return s->nqps ? bsearch(qp, s->qps, s->nqps, sizeof(*qp),
				 compare_qps) : NULL;
}

const struct sample_mr *sample_find_mr(const struct sample *s,
				       const struct sample_mr *mr)
{
	return s->nmrs ? bsearch(mr, s->mrs, s->nmrs, sizeof(*mr),
				 compare_mrs) : NULL;
}
