// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * $XROCE_POLL=1 asks for a thread that polls. Without it, the default, and if the kernel refuses
 * it, there is the doorbell; $XROCE_DEBUG=1 says why on the standard error output.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poller.h"

/* Microseconds without work after which it sleeps, if $XROCE_POLL_USEC does not say. */
#define USEC	1000u

static bool is_set(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value && strcmp(value, "0");
}

uint32_t xp_poller_wanted(void)
{
	const char *value = secure_getenv("XROCE_POLL_USEC");
	unsigned long usec = value ? strtoul(value, NULL, 10) : 0;

	if (!is_set("XROCE_POLL"))
		return 0;
	if (!usec)
		return USEC;
	return usec > XROCE_POLL_MAX ? XROCE_POLL_MAX : usec;
}

/* Why the kernel refuses it. */
static const char *reason(int err)
{
	switch (err) {
	case 0:
		return "this version of the module xroce_ib has none";
	case EPERM:
		return "the administrator allows none: /sys/module/xroce_ib/parameters/poll_threads";
	case EDQUOT:
		return "this user has enough: /sys/module/xroce_ib/parameters/poll_threads_user";
	case ENOSPC:
		return "all are taken: /sys/module/xroce_ib/parameters/poll_threads";
	case EAGAIN:
		return "RLIMIT_NPROC, or pids.max of the control group";
	case EOPNOTSUPP:
		return "the kernel has none: CONFIG_VHOST_TASK";
	default:
		return strerror(err);
	}
}

void xp_poller_open(struct xp_context *ctx, const struct xroce_alloc_ucontext_resp *resp)
{
	int err = resp->poll_errno;

	if (resp->poll.bytes)
		err = xp_ring_map(&ctx->vctx.context, &resp->poll, &ctx->poller);
	if (!ctx->poller.mem && is_set("XROCE_DEBUG"))
		fprintf(stderr, "xroce: no thread that polls: %s\n", reason(err));
}
