// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mw: memory windows. */
#include <errno.h>
#include <string.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "limit_reason.h"
#include "mr.h"
#include "names.h"
#include "one.h"
#include "pd.h"
#include "print.h"

#define WINDOW_RIGHTS	(XROCE_ACCESS_REMOTE & ~XROCE_ACCESS_FLUSH_PERSISTENT)

static const struct reason reasons[] = {
	{ ENOENT, "no such window" },
	{ ENODEV, "the link has been deleted" },
	{}
};

static const struct reason add_reasons[] = {
	{ ENOENT, "no such protection domain" },
	{ ENOSPC, "the memory protection table is full" },
	{ ENODEV, "the link has been deleted" },
	{}
};

static const struct reason bind_reasons[] = {
	{ EACCES, "the region was registered without mw-bind, or without local-write" },
	{ ERANGE, "the range is not inside the region" },
	{ EXDEV, "window, region and queue pair are not in the same protection domain" },
	{ EBUSY, "it is already bound: invalidate it first" },
	{ EINVAL, "the rights or the size are not valid" },
	{ ENOTCONN, "the queue pair is not in state rts or sqd" },
	{ EOPNOTSUPP, "the queue pair is for datagrams (type ud)" },
	{ ENOENT, "no such window, queue pair or region" },
	{}
};

static const struct reason inval_reasons[] = {
	{ EOPNOTSUPP, "a window of type 1 cannot be invalidated: bind it with size 0 instead" },
	{ EINVAL, "it is not bound" },
	{ ENOTCONN, "its queue pair is not in state rts or sqd" },
	{}
};

static bool parse_type(const char *text, void *to)
{
	__u32 *type = to;

	for (*type = XROCE_MW_TYPE_1; *type <= XROCE_MW_TYPE_2B; ++*type)
		if (!strcasecmp(text, name_of_mw_type(*type)))
			return true;
	return false;
}

static const struct arg_type arg_mw_type = { "1, 2a or 2b", parse_type };

static int failed(__u32 mw, int err, const struct reason *table)
{
	return fail("mw 0x%x: %s", mw, reason(err, table));
}

static int mw_add(int argc, char **argv)
{
	struct xroce_mw_add add = { .flags = XROCE_F_PERSISTENT };
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "pd", &arg_pd, &add.pd, ARG_NEEDED },
		{ "type", &arg_mw_type, &add.type, ARG_NEEDED },
		{}
	};
	struct xroce *x;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	status = dev_open(dev, &x);
	if (status)
		return status;
	err = xroce_mw_add(x, &add);
	status = pd_foreign(x, "mw", add.pd, err) ? EXIT_ERROR :
		 err ? fail("mw: pd %u: %s", add.pd, limit_reason(x, err, add_reasons,
			&(struct wanted){ XROCE_COUNT_MW, .persistent = true })) :
		       EXIT_OK;
	xroce_close(x);
	if (status)
		return status;
	print_begin();
	print_hex("mw", 1, add.mw);
	print_hex("rkey", 8, add.rkey);
	print_end();
	return EXIT_OK;
}

/**
 * struct given - optional words of "mw bind"
 * @addr: xroce_mw_bind::addr is given
 * @size: xroce_mw_bind::length is given
 * @key: key byte; NULL: not given
 */
struct given {
	bool addr;
	bool size;
	const __u8 *key;
};

/* Fill in what is not given: the range, and the key of a type 2 window. */
static int complete(struct xroce_mw_bind *bind, const struct xroce_mw_query *mw,
		    const struct xroce_mr_query *mr, const struct given *given)
{
	const __u8 *key = given->key;


	if (bind->access & ~WINDOW_RIGHTS)
		return fail("mw 0x%x: access: a window can only have remote rights",
			    bind->mw);
	if (!given->addr)
		bind->addr = mr->iova;
	if (!given->size)
		bind->length = mr->length - (bind->addr - mr->iova);
	if (mw->type == XROCE_MW_TYPE_1)
		return key ? fail("mw 0x%x: key: cannot be given for type 1, the system chooses it",
				  bind->mw) : EXIT_OK;
	bind->rkey = key ? (mw->rkey & ~0xffu) | *key : xroce_inc_rkey(mw->rkey);
	return EXIT_OK;
}

static int bind_one(struct xroce *x, struct xroce_mw_bind *bind,
		    const char *region, const struct given *given)
{
	struct xroce_mw_query mw = { .mw = bind->mw };
	struct xroce_mr_query mr;
	int status, err;

	err = xroce_mw_query(x, &mw);
	if (err)
		return failed(bind->mw, err, reasons);
	err = mr_find(x, region, &mr);
	if (err)
		return mr_not_found(region, err);
	status = complete(bind, &mw, &mr, given);
	if (status)
		return status;
	bind->lkey = mr.lkey;
	err = xroce_mw_bind(x, bind);
	return err ? failed(bind->mw, err, bind_reasons) : EXIT_OK;
}

static int mw_bind(int argc, char **argv)
{
	enum { ADDR, SIZE, KEY };
	const char *dev = NULL, *region = NULL;
	struct xroce_mw_bind bind = {};
	__u8 key = 0;
	struct arg args[] = {
		[ADDR] = { "addr", &arg_address, &bind.addr, ARG_OPTIONAL },
		[SIZE] = { "size", &arg_size, &bind.length, ARG_OPTIONAL },
		[KEY] = { "key", &arg_byte, &key, ARG_OPTIONAL },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "mw", &arg_number, &bind.mw, ARG_NEEDED },
		{ "qpn", &arg_24bit, &bind.qpn, ARG_NEEDED },
		{ "mr", &arg_text, &region, ARG_NEEDED },
		{ "access", &arg_access, &bind.access, ARG_NEEDED },
		{}
	};
	struct xroce *x;
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	status = dev_open(dev, &x);
	if (status)
		return status;
	status = bind_one(x, &bind, region, &(struct given){
		.addr = args[ADDR].state & ARG_SEEN,
		.size = args[SIZE].state & ARG_SEEN,
		.key = args[KEY].state & ARG_SEEN ? &key : NULL,
	});
	xroce_close(x);
	if (status)
		return status;
	print_begin();
	print_hex("mw", 1, bind.mw);
	print_hex("rkey", 8, bind.rkey);
	print_end();
	return EXIT_OK;
}

/* Invalidate a window by its handle. Key and queue pair are queried. */
static int inval_one(struct xroce *x, const union one *mw)
{
	struct xroce_mw_query q = { .mw = mw->number };
	int err = xroce_mw_query(x, &q);

	if (err)
		return failed(mw->number, err, reasons);
	if (q.type == XROCE_MW_TYPE_1)
		err = -EOPNOTSUPP;
	else if (!q.bound)
		err = -EINVAL;
	else
		err = xroce_mw_inval(x, q.rkey, q.qpn);
	return err ? failed(mw->number, err, inval_reasons) : EXIT_OK;
}

static int mw_invalidate(int argc, char **argv)
{
	return one_do(argc, argv, "mw", &arg_number, inval_one);
}

static int del_one(struct xroce *x, const union one *mw)
{
	int err = xroce_mw_del(x, mw->number);

	return err ? failed(mw->number, err, reasons) : EXIT_OK;
}

static int mw_del(int argc, char **argv)
{
	return one_do(argc, argv, "mw", &arg_number, del_one);
}

static void show_one(const char *netdev, const struct xroce_mw_query *q)
{
	print_begin();
	print_hex("mw", 1, q->mw);
	print_dev(netdev);
	print_num("pd", q->pd);
	print_str("type", name_of_mw_type(q->type));
	print_str("state", q->bound ? "bound" : "unbound");
	print_hex("rkey", 8, q->rkey);
	print_hex("mr", 1, q->mr);
	print_hex("qpn", 6, q->qpn);
	print_bits("access", access_names, ACCESS_BITS, q->access);
	print_hex("addr", 1, q->addr);
	print_size("length", q->length);
	print_num("pid", q->pid);
	print_flag("persistent", q->flags & XROCE_F_PERSISTENT);
	print_flag("kernel", q->flags & XROCE_F_KERNEL);
	print_end();
}

static int show_all(struct xroce *x, const char *netdev, void *arg)
{
	struct xroce_mw_query q = {};
	const union one *wanted = arg;
	int err;

	if (wanted) {
		q.mw = wanted->number;
		err = xroce_mw_query(x, &q);
		if (err)
			return failed(wanted->number, err, reasons);
		show_one(netdev, &q);
		return EXIT_OK;
	}
	for (;; q.mw++) {
		q.flags = XROCE_F_NEXT;
		err = xroce_mw_query(x, &q);
		if (err)
			break;
		show_one(netdev, &q);
		/* Clear the output fields before the next query. */
		q = (struct xroce_mw_query){ .mw = q.mw };
	}
	if (err != -ENOENT)
		return fail("dev %s: mw: %s", netdev, reason(err, reasons));
	return EXIT_OK;
}

static int mw_show(int argc, char **argv)
{
	return one_show(argc, argv, "mw", &arg_number, show_all);
}

const struct cmd mw_verbs[] = {
	{ "show", mw_show, "[dev DEV] [[mw] HANDLE]" },
	{ "add", mw_add, "[dev DEV] pd N|last type { 1 | 2a | 2b }" },
	{ "bind", mw_bind, "[dev DEV] mw HANDLE qpn N mr HANDLE|NAME [addr A] [size S]\n"
	  "\taccess LIST [key B]" },
	{ "invalidate", mw_invalidate, "[dev DEV] [mw] HANDLE" },
	{ "del", mw_del, "[dev DEV] [mw] HANDLE" },
	{}
};
