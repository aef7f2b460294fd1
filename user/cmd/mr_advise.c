// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce mr advise: make on-demand memory resident. */
#include <errno.h>
#include <string.h>

#include "arg.h"
#include "dev.h"
#include "message.h"
#include "mr.h"
#include "print.h"

static const struct reason reasons[] = {
	{ EACCES, "peers have no right to write to it" },
	{ ENOMEM, "out of memory" },
	{ EOPNOTSUPP, "it is not an on-demand region" },
	{ ERANGE, "the range is not inside the region" },
	{ ESRCH, "its process has ended" },
	{}
};

static bool parse_advice(const char *text, void *to)
{
	static const char *const names[] = {
		[XROCE_ADVISE_PREFETCH] = "read",
		[XROCE_ADVISE_PREFETCH_WRITE] = "write",
		[XROCE_ADVISE_PREFETCH_NO_FAULT] = "present",
	};
	__u32 i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*(__u32 *)to = i;
			return true;
		}
	}
	return false;
}

static const struct arg_type arg_advice = {
	"read, write or present", parse_advice
};

/* Which of the optional words "iova" and "size" are given. */
struct given {
	bool iova;
	bool size;
};

static int advise(struct xroce *x, const char *word, struct xroce_mr_advise *a,
		  const struct given *given)
{
	struct xroce_mr_query q;
	int err = mr_find(x, word, &q);

	if (err)
		return mr_not_found(word, err);
	a->mr = q.mr;
	if (!given->iova)
		a->iova = q.iova;
	/* The module refuses a range that begins outside the region. */
	if (!given->size)
		a->length = a->iova - q.iova < q.length ?
			    q.length - (a->iova - q.iova) : 1;
	err = xroce_mr_advise(x, a);
	if (err == -ENOENT)
		return mr_not_found(word, err);
	if (err)
		return fail("mr %s: %s", word, reason(err, reasons));
	print_begin();
	print_hex("mr", 1, q.mr);
	print_num("pages", a->pages);
	print_end();
	return EXIT_OK;
}

int mr_advise(int argc, char **argv)
{
	const char *dev = NULL, *word = NULL;
	struct xroce_mr_advise a = {};
	enum { IOVA, SIZE };
	struct arg args[] = {
		[IOVA] = { "iova", &arg_address, &a.iova, ARG_OPTIONAL },
		[SIZE] = { "size", &arg_size, &a.length, ARG_OPTIONAL },
		{ "for", &arg_advice, &a.advice, ARG_OPTIONAL },
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "mr", &arg_text, &word, ARG_NEEDED },
		{}
	};
	struct xroce *x;
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (args[SIZE].state & ARG_SEEN && !a.length)
		return fail("mr: size 0: must be at least 1");
	status = dev_open(dev, &x);
	if (status)
		return status;
	status = advise(x, word, &a, &(struct given){
		.iova = args[IOVA].state & ARG_SEEN,
		.size = args[SIZE].state & ARG_SEEN,
	});
	xroce_close(x);
	return status;
}
