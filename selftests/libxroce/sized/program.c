// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: program [-d] CALL
 *
 * Call a function of the library with a structure of exactly the size that this program knows,
 * under ASan. -d: the structure's last byte, which the library does not know, is not 0.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxroce.h"
#include "sized.h"
#include "xroce_map.h"

static struct xroce *x;
static bool dirty;
size_t sized_map_value;

/* A structure with nothing behind it. */
static void *structure(size_t size)
{
	char *s = calloc(1, size);

	if (!s)
		abort();
	if (dirty)
		s[size - 1] = 1;
	return s;
}

static bool is(long got, long wanted, const char *what)
{
	if (got != wanted)
		printf("# %s: %ld, not %ld\n", what, got, wanted);
	return got == wanted;
}

/* An array or structure that goes in: a newer one is refused if it says something. */
static bool in(int ret)
{
	return is(ret, dirty ? -E2BIG : 0, "returned");
}

/* A structure of a command: the module gets the size of the program's. */
static bool command(int ret, size_t size)
{
	return in(ret) & is(module_size, size, "size at the module");
}

#define CALL(name, type, call)						\
	static bool name(void)						\
	{								\
		struct xroce_##type *s = structure(sizeof(*s));		\
									\
		return command(call, sizeof(*s));			\
	}

CALL(link_query, link_query, xroce_link_query(s))
CALL(limit_set, limit_set, xroce_limit_set(s))
CALL(limit_query, limit_query, xroce_limit_query(s))
CALL(cc_query, cc_query, xroce_cc_query(s))
CALL(pd_query, pd_query, xroce_pd_query(x, s))
CALL(mr_reg, mr_reg, xroce_mr_reg(x, s))
CALL(mr_reg_phys, mr_reg_phys, xroce_mr_reg_phys(x, s))
CALL(mr_reg_shared, mr_reg_shared, xroce_mr_reg_shared(x, s))
CALL(mr_rereg, mr_rereg, xroce_mr_rereg(x, s))
CALL(mr_advise, mr_advise, xroce_mr_advise(x, s))
CALL(mr_query, mr_query, xroce_mr_query(x, s))
CALL(mtt_query, mtt_query, xroce_mtt_query(s))
CALL(qp_modify, qp_modify, xroce_qp_modify(x, s))
CALL(qp_query, qp_query, xroce_qp_query(x, s))
CALL(qp_create, qp_add, xroce_qp_create(x, s, NULL))
CALL(srq_query, srq_query, xroce_srq_query(xroce_srq_add(x, 1, 16, 1), s))
CALL(mw_add, mw_add, xroce_mw_add(x, s))
CALL(mw_query, mw_query, xroce_mw_query(x, s))
CALL(mw_bind, mw_bind, xroce_mw_bind(x, s))

static int page_file(void)
{
	int fd = memfd_create("sized", 0);

	if (fd < 0 || ftruncate(fd, 4096))
		abort();
	return fd;
}

CALL(mr_reg_file, mr_reg, xroce_mr_reg_file(x, page_file(), 0, s))
CALL(mr_rereg_file, mr_rereg, xroce_mr_rereg_file(x, page_file(), 0, s))

/* Members that the library does not know are 0 in what it returns. */
static bool last_is_zero(const void *s, size_t size)
{
	return is(((const char *)s)[size - 1], 0, "last byte");
}

static bool link_find(void)
{
	struct xroce_link_query *q = structure(sizeof(*q));

	return is(xroce_link_find("lo", q), 0, "returned") & is(q->size, sizeof(*q), "size") &
	       is(q->ifindex, 1, "index") & last_is_zero(q, sizeof(*q));
}

static bool async_next(void)
{
	struct xroce_async *async = structure(sizeof(*async));

	return is(xroce_async_next(x, async), 0, "returned") & is(async->id, SIZED_ID, "id") &
	       last_is_zero(async, sizeof(*async));
}

static bool monitor_next(void)
{
	struct xroce_monitor *m = xroce_monitor_open("lo", XROCE_MONITOR_REFUSED);
	struct xroce_event *event = structure(sizeof(*event));
	bool ok = is(xroce_monitor_next(m, event, 0), 0, "returned") &
		  is(event->qpn, SIZED_ID, "queue pair") & last_is_zero(event, sizeof(*event));

	xroce_monitor_close(m);
	return ok;
}

/* Options: the error text comes back. */
static bool attach(void)
{
	struct xroce_attach_opts *opts = structure(sizeof(*opts));

	opts->size = sizeof(*opts);
	return is(xroce_attach("no.device", opts), dirty ? -E2BIG : -ENODEV, "returned") &
	       is(!opts->error[0], dirty, "no text") & is(opts->size, sizeof(*opts), "size");
}

static bool reload(void)
{
	struct xroce_attach_opts *opts = structure(sizeof(*opts));

	opts->size = sizeof(*opts);
	opts->mpt_entries = 16;		/* not allowed */
	return is(xroce_reload("lo", opts), dirty ? -E2BIG : -EINVAL, "returned") &
	       is(!opts->error[0], dirty, "no text") & is(opts->size, sizeof(*opts), "size");
}

static bool qp_connect(void)
{
	struct xroce_connect *c = structure(sizeof(*c));

	c->size = sizeof(*c);
	return in(xroce_qp_connect(x, c));
}

static struct xroce_send *send_queue(void)
{
	struct xroce_qp_add *add = structure(sizeof(*add));

	add->send_entries = 16;
	add->send_bytes = 8192;
	add->send_stride = sizeof(struct xroce_send_wqe);
	return xroce_send_open(x, add);
}

static bool send_open(void)
{
	return is(!send_queue(), false, "no queue");
}

/* An array: the second element is found as well. */
static bool post_send(void)
{
	struct xroce_wr *wr = calloc(2, sizeof(*wr));
	struct xroce_send *send = send_queue();
	const struct xroce_send_wqe *wqe = (void *)((char *)xroce_send_ring(send) +
						    XROCE_RING_HEADER);

	wr[1].wr_id = SIZED_ID;
	if (dirty)
		((char *)(wr + 2))[-1] = 1;
	return in(xroce_post_send(send, wr, 2)) &
	       is(wqe[1].wr_id, dirty ? 0 : SIZED_ID, "second wr_id");
}

/* A map of an older or a newer program: the sum over two CPUs, and 0 for what it lacks. */
static bool counter_with(size_t value)
{
	__u64 first = 0, last = 0;

	sized_map_value = value;
	return is(xroce_link_counter("lo", "rx", &first), 0, "returned") &
	       is(xroce_link_counter("lo", "req_ignored", &last), 0, "returned") &
	       is(first, 42, "rx") &
	       is(last, value < sizeof(struct xroce_stat) ? 0 : 42, "last");
}

static bool link_counter(void)
{
	return counter_with(sizeof(struct xroce_stat)) &&
	       counter_with(sizeof(struct xroce_stat) + 64) &&
	       counter_with(sizeof(struct xroce_stat) - 64);
}

#define ROW(name) { #name, name }

static const struct {
	const char *name;
	bool (*fn)(void);
} rows[] = {
	ROW(link_query), ROW(link_find), ROW(limit_set), ROW(limit_query), ROW(pd_query),
	ROW(cc_query),
	ROW(mr_reg), ROW(mr_reg_file), ROW(mr_reg_phys), ROW(mr_reg_shared), ROW(mr_rereg),
	ROW(mr_rereg_file), ROW(mr_advise), ROW(mr_query), ROW(mtt_query), ROW(qp_modify),
	ROW(qp_query), ROW(qp_create), ROW(qp_connect), ROW(send_open), ROW(post_send),
	ROW(srq_query), ROW(mw_add), ROW(mw_query), ROW(mw_bind),
	ROW(async_next), ROW(monitor_next), ROW(attach), ROW(reload), ROW(link_counter),
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc == 1)
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			puts(rows[i].name);
	dirty = argc == 3 && !strcmp(argv[1], "-d");
	x = xroce_open("lo");
	for (i = 0; argc > 1 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, argv[argc - 1]))
			return !rows[i].fn();
	return argc > 1;
}
