// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The word that says how a link's completion events are moderated: COUNT/USEC, auto, or off. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libxroce.h"

#include "dev.h"
#include "message.h"
#include "moderation.h"

/* A count and a time, both in range. A count of 1 moderates nothing: it is "off". */
static bool parse_moderation(const char *text, void *to)
{
	struct moderation *m = to;
	__u64 count, usec;

	*m = (struct moderation){ .given = true };
	if (!strcmp(text, "off"))
		return true;
	if (!strcmp(text, "auto")) {
		m->count = XROCE_MODERATION_AUTO;
		return true;
	}
	text = arg_number_at(text, XROCE_MODERATION_COUNT_MAX, &count);
	if (!text || *text++ != '/' || count < 2)
		return false;
	text = arg_number_at(text, XROCE_MODERATION_USEC_MAX, &usec);
	if (!text || *text || !usec)
		return false;
	m->count = count;
	m->usec = usec;
	return true;
}

const struct arg_type moderation_arg = {
	"auto, off, or COUNT/USEC from 2/1 to 4096/20000", parse_moderation
};

char *moderation_text(__u32 count, __u32 usec, char text[MODERATION_TEXT])
{
	if (count == XROCE_MODERATION_AUTO)
		strcpy(text, "auto");
	else if (count)
		snprintf(text, MODERATION_TEXT, "%u/%u", count, usec);
	else
		strcpy(text, "off");
	return text;
}

int moderation_link(const char *what, const char *dev, __u32 link, const struct moderation *m)
{
	static const struct reason reasons[] = {
		{ ENOENT, "it has no link" },
		{ EPERM, "not permitted: CAP_NET_ADMIN is needed" },
		{ ENOTTY, "the module is older than this command" },
		{}
	};
	char text[MODERATION_TEXT];
	int err = xroce_link_moderate(link, m->count, m->usec);

	return err ? fail("%s dev %s: moderation %s: %s", what, dev,
			  moderation_text(m->count, m->usec, text), reason(err, reasons)) : EXIT_OK;
}
