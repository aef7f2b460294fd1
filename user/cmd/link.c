// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce link: network devices with the responder attached. */
#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "arg.h"
#include "cc_arg.h"
#include "cmd.h"
#include "dev.h"
#include "link.h"
#include "moderation.h"
#include "print.h"
#include "../lib/priv.h"

static const char *const mode_names[] = {
	[XROCE_MODE_AUTO] = "auto",
	[XROCE_MODE_NATIVE] = "native",
	[XROCE_MODE_GENERIC] = "generic",
};

static bool parse_mode(const char *text, void *to)
{
	int i;

	for (i = XROCE_MODE_AUTO; i <= XROCE_MODE_GENERIC; i++) {
		if (!strcmp(text, mode_names[i])) {
			*(enum xroce_mode *)to = i;
			return true;
		}
	}
	return false;
}

const struct arg_type link_arg_mode = {
	"native, generic or auto", parse_mode
};

static bool parse_entries(const char *text, __u32 most, void *to)
{
	const __u32 *n = to;

	return arg_number.parse(text, to) && xroce_entries_ok(*n, most);
}

static bool parse_mpt(const char *text, void *to)
{
	return parse_entries(text, XROCE_MPT_ENTRIES_MAX, to);
}

static bool parse_qp(const char *text, void *to)
{
	return parse_entries(text, XROCE_QP_ENTRIES_MAX, to);
}

const struct arg_type link_arg_mpt = {
	"a power of two from 16 to 16777216", parse_mpt
};

const struct arg_type link_arg_qp = {
	"a power of two from 16 to 65536", parse_qp
};

static bool parse_paths(const char *text, void *to)
{
	const __u32 *n = to;

	return arg_count.parse(text, to) && *n <= XROCE_PATHS_MAX;
}

const struct arg_type link_arg_paths = {
	"a number from 1 to 16", parse_paths
};

/* Attach the program. Return: an exit status; an error has been printed. */
static int attach(const char *dev, struct xroce_attach_opts *opts, const struct link_conf *conf)
{
	int err = xroce_attach(dev, opts);
	struct xroce_link_query q;

	if (!err)
		return EXIT_OK;
	if (err != -EEXIST || !*conf->verbs || xroce_link_find(dev, &q))
		return fail("link add dev %s: %s", dev, opts->error);
	if (*q.verbs)
		return fail("link add dev %s: %s, with the verbs device %.*s", dev, opts->error,
			    (int)sizeof(q.verbs), q.verbs);
	return fail("link add dev %s: %s; 'rdma link add %s type %s netdev %s' makes a verbs device on it",
		    dev, opts->error, conf->verbs, provider_link_type(conf->provider.which), dev);
}

/* Apply the settings of a new link. Return: an exit status; an error has been printed. */
static int set_up(const char *dev, const struct xroce_attach_opts *opts,
		  const struct link_conf *conf)
{
	int status = link_conf_limit(conf, dev, opts->link);

	if (!status && *conf->cc)
		status = cc_link("link add", dev, opts->link, conf->cc);
	if (!status && conf->moderation.given)
		status = moderation_link("link add", dev, opts->link, &conf->moderation);
	/* Programs find the device as soon as it exists: the limits come first. */
	if (!status && *conf->verbs)
		status = verbs_add(dev, conf->verbs, conf->provider.which);
	if (status)
		return status;
	print_begin();
	print_num("link", opts->link);
	print_dev(dev);
	print_str("mode", mode_names[opts->attached]);
	if (*conf->verbs)
		print_str("verbs", conf->verbs);
	if (*conf->verbs && conf->provider.which)
		print_str("provider", provider_name(conf->provider.which));
	print_end();
	return link_conf_batch(conf);
}

/* Make the link and apply its settings. If the settings fail, delete the link again. */
static int make_link(const char *dev, struct xroce_attach_opts *opts,
		     const struct link_conf *conf)
{
	char error[XROCE_ERROR_MAX];
	int status;

	status = attach(dev, opts, conf);
	if (status)
		return status;
	status = set_up(dev, opts, conf);
	if (!status)
		return EXIT_OK;
	if (dev_detach(dev, XROCE_F_FORCE, error))
		fail("link add dev %s: the settings failed, and the link cannot be deleted: %s",
		     dev, error);
	else
		fail("link add dev %s: the settings failed, so the link is deleted again", dev);
	return status;
}

static int link_add(int argc, char **argv)
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts),
		.debug = options.debug,
	};
	const char *dev = NULL, *path = NULL;
	char verbs[VERBS_NAME_MAX] = "", cc[XROCE_CC_NAME_MAX] = "";
	struct moderation moderation = {};
	struct provider provider = {};
	bool optional = false;
	struct link_conf conf = {};
	struct arg args[] = {
		{ "mode", &link_arg_mode, &opts.mode, ARG_OPTIONAL },
		{ "dev", &arg_text, &dev, ARG_NEEDED | ARG_BARE },
		{ "mpt", &link_arg_mpt, &opts.mpt_entries, ARG_OPTIONAL },
		{ "qp", &link_arg_qp, &opts.qp_entries, ARG_OPTIONAL },
		{ "paths", &link_arg_paths, &opts.paths, ARG_OPTIONAL },
		{ "cc", &cc_arg_name, cc, ARG_OPTIONAL },
		{ "moderation", &moderation_arg, &moderation, ARG_OPTIONAL },
		{ "verbs", &verbs_arg_name, verbs, ARG_OPTIONAL },
		{ "provider", &provider_arg, &provider, ARG_OPTIONAL },
		{ "conf", &arg_text, &path, ARG_OPTIONAL },
		{ "optional", &arg_flag, &optional, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (optional && !path)
		return usage("optional: can only be used with conf");
	if (path)
		status = link_conf_read(path, optional, &conf);
	/* Arguments take precedence over the file. */
	if (!(args[0].state & ARG_SEEN))
		opts.mode = conf.mode;
	if (!opts.mpt_entries)
		opts.mpt_entries = conf.mpt;
	if (!opts.qp_entries)
		opts.qp_entries = conf.qp;
	if (!opts.paths)
		opts.paths = conf.paths;
	if (*verbs)
		memcpy(conf.verbs, verbs, sizeof(verbs));
	if (*cc)
		memcpy(conf.cc, cc, sizeof(cc));
	if (moderation.given)
		conf.moderation = moderation;
	if (provider.given)
		conf.provider = provider;
	if (!status && conf.provider.given && !*conf.verbs)
		status = usage("provider: of which verbs device? Give its name: verbs NAME");
	if (!status)
		status = make_link(dev, &opts, &conf);
	link_conf_free(&conf);
	return status;
}

static int link_reload(int argc, char **argv)
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts),
		.debug = options.debug,
	};
	const char *dev = NULL;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_NEEDED | ARG_BARE },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (xroce_reload(dev, &opts))
		return fail("link reload dev %s: %s", dev, opts.error);

	print_begin();
	print_num("link", opts.link);
	print_dev(dev);
	print_str("mode", mode_names[opts.attached]);
	link_bpf_print(dev, if_nametoindex(dev));
	print_end();
	return EXIT_OK;
}

static int link_del(int argc, char **argv)
{
	char error[XROCE_ERROR_MAX];
	const char *dev = NULL;
	bool force = false;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_NEEDED | ARG_BARE },
		{ "force", &arg_flag, &force, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (dev_detach(dev, force ? XROCE_F_FORCE : 0, error))
		return fail("link del dev %s: %s", dev, error);
	if (*error)
		warn("link del dev %s: %s", dev, error);
	return EXIT_OK;
}

const struct cmd link_verbs[] = {
	{ "show", link_show, "[[dev] DEV]" },
	{ "add", link_add, "[dev] DEV [mode native|generic|auto] [mpt N] [qp N]\n"
	  "\t[paths N] [cc NAME] [moderation auto|off|COUNT/USEC]\n"
	  "\t[verbs NAME [provider rxe|xroce]] [conf FILE [optional]]" },
	{ "set", link_set, "[dev] DEV [cc NAME] [moderation auto|off|COUNT/USEC]" },
	{ "reload", link_reload, "[dev] DEV" },
	{ "del", link_del, "[dev] DEV [force]" },
	{ "limit", link_limit,
	  "[show] [[dev] DEV] [user] [pd N] [mr N] [mw N] [qp N] [cq N] [srq N]\n"
	  "\t[pinned SIZE] [deferred N]" },
	{}
};
