// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Words that name an algorithm of congestion control, for links and connections. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "xroce_cc.h"

#include "cc_arg.h"
#include "dev.h"
#include "message.h"

bool cc_name_ok(const char *text)
{
	size_t len = strnlen(text, XROCE_CC_NAME_MAX), i;

	for (i = 0; i < len; i++)
		if (!isascii(text[i]) || (!isalnum(text[i]) && !strchr("_-.", text[i])))
			return false;
	return len && len < XROCE_CC_NAME_MAX;
}

static bool parse_name(const char *text, void *to)
{
	if (!cc_name_ok(text))
		return false;
	strcpy(to, text);
	return true;
}

const struct arg_type cc_arg_name = { CC_NAME, parse_name };

int cc_link(const char *what, const char *dev, __u32 link, const char *name)
{
	static const struct reason reasons[] = {
		{ ENOENT, "it has no link" },
		{ EPERM, "not permitted: CAP_NET_ADMIN is needed" },
		{ ESRCH, CC_UNKNOWN },
		{}
	};
	int err = xroce_link_cc(link, name);

	return err ? fail("%s dev %s: cc %s: %s", what, dev, name, reason(err, reasons)) : EXIT_OK;
}

/**
 * struct change - the algorithm that a connection shall have
 * @qpn: its number
 * @cc: name of the algorithm
 */
struct change {
	__u32 qpn;
	char cc[XROCE_CC_NAME_MAX];
};

static int set_one(struct xroce *x, const char *netdev, void *arg)
{
	static const struct reason reasons[] = {
		{ ENOENT, "no such queue pair" },
		{ ESRCH, CC_UNKNOWN },
		{ EINVAL, "it is not on RC, or not in RTS or SQD" },
		{ ENODEV, "the link has been deleted" },
		{}
	};
	const struct change *c = arg;
	int err = xroce_qp_cc(x, c->qpn, c->cc);

	(void)netdev;
	return err ? fail("qp 0x%06x: cc %s: %s", c->qpn, c->cc, reason(err, reasons)) : EXIT_OK;
}

int qp_set(int argc, char **argv)
{
	struct change change = {};
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "qpn", &arg_24bit, &change.qpn, ARG_NEEDED },
		{ "cc", &cc_arg_name, change.cc, ARG_NEEDED },
		{}
	};
	int status = arg_parse(args, argc, argv);

	return status ? : dev_one(dev, set_one, &change);
}
