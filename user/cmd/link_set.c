// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce link set: change settings of a link that exists. */
#include <errno.h>

#include "arg.h"
#include "cc_arg.h"
#include "dev.h"
#include "link.h"
#include "message.h"
#include "moderation.h"

int link_set(int argc, char **argv)
{
	char cc[XROCE_CC_NAME_MAX] = "";
	struct moderation moderation = {};
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_NEEDED | ARG_BARE },
		{ "cc", &cc_arg_name, cc, ARG_OPTIONAL },
		{ "moderation", &moderation_arg, &moderation, ARG_OPTIONAL },
		{}
	};
	struct xroce_link_query q;
	int status, err;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (!*cc && !moderation.given)
		return usage("link set: cc or moderation must be given");
	err = xroce_link_find(dev, &q);
	if (err)
		return fail("link set dev %s: %s", dev,
			    err == -ENOENT ? "it has no link" : reason(err, NULL));
	if (*cc)
		status = cc_link("link set", dev, q.link, cc);
	if (!status && moderation.given)
		status = moderation_link("link set", dev, q.link, &moderation);
	return status;
}
