// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Settings of a link from a file: mode, table sizes, paths, congestion control, moderation, verbs
 * device, limits and objects.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "batch.h"
#include "cc_arg.h"
#include "link.h"
#include "message.h"
#include "moderation.h"
#include "provider.h"

/* The settings of a line, each of which may be given once in a file. */
enum { MODE, MPT, QP, PATHS, CC, MODERATION, VERBS, PROVIDER, BATCH, SETTINGS };

/* State of the file that is being read. Static, because batch_run() passes no context. */
static struct reading {
	struct link_conf *conf;
	const char *batch;
	struct arg args[SETTINGS + 1];
} reading;

static int read_limit(struct link_conf *c, int argc, char **argv)
{
	int status;

	if (c->limits == LINK_CONF_LIMITS)
		return usage("limit: more than %d lines of limits", LINK_CONF_LIMITS);
	status = link_limit_read(argc, argv, &c->limit[c->limits]);
	if (!status)
		c->limits++;
	return status;
}

/* Read a line. @argv[0] is the program's name. Return: an exit status. */
static int read_line(int argc, char **argv)
{
	struct link_conf *c = reading.conf;
	int status;

	if (!strcmp(argv[1], "limit"))
		return read_limit(c, argc - 2, argv + 2);
	status = arg_parse(reading.args, argc - 1, argv + 1);
	/* Copy the word, because it is valid only while this line is read. */
	if (!status && reading.batch && !c->batch) {
		c->batch = strdup(reading.batch);
		/* A missing file is an error of this line, before the link is made. */
		if (!c->batch || (strcmp(c->batch, "-") && access(c->batch, R_OK)))
			return fail("batch %s: %s", reading.batch, strerror(errno));
	}
	return status;
}

int link_conf_read(const char *path, bool optional, struct link_conf *c)
{
	memset(c, 0, sizeof(*c));
	if (optional && access(path, F_OK) && errno == ENOENT)
		return EXIT_OK;
	memset(&reading, 0, sizeof(reading));
	reading.conf = c;
	reading.args[MODE] = (struct arg){ "mode", &link_arg_mode, &c->mode };
	reading.args[MPT] = (struct arg){ "mpt", &link_arg_mpt, &c->mpt };
	reading.args[QP] = (struct arg){ "qp", &link_arg_qp, &c->qp };
	reading.args[PATHS] = (struct arg){ "paths", &link_arg_paths, &c->paths };
	reading.args[CC] = (struct arg){ "cc", &cc_arg_name, c->cc };
	reading.args[MODERATION] =
		(struct arg){ "moderation", &moderation_arg, &c->moderation };
	reading.args[VERBS] = (struct arg){ "verbs", &verbs_arg_name, c->verbs };
	reading.args[PROVIDER] = (struct arg){ "provider", &provider_arg, &c->provider };
	reading.args[BATCH] = (struct arg){ "batch", &arg_text, &reading.batch };
	return batch_run("conf", path, read_line);
}

int link_conf_limit(const struct link_conf *c, const char *dev, __u32 link)
{
	struct xroce_limit_set set;
	int err, i;

	for (i = 0; i < c->limits; i++) {
		set = c->limit[i];
		set.link = link;
		err = xroce_limit_set(&set);
		if (err)
			return fail("link add dev %s: limit: %s", dev, reason(err, NULL));
	}
	return EXIT_OK;
}

int link_conf_batch(const struct link_conf *c)
{
	return c->batch ? batch_run("batch", c->batch, batch_line) : EXIT_OK;
}

void link_conf_free(struct link_conf *c)
{
	free(c->batch);
	c->batch = NULL;
}
