// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "harness.h"
#include "rng.h"
#include "setting.h"
#include "verbs_notice.h"

#define PATIENCE	10	/* seconds until an event comes */

bool notice_open(struct notice *n, struct ibv_context *ctx)
{
	*n = (struct notice){ .channel = ibv_create_comp_channel(ctx) };
	if (!check(n->channel, "channel: %s", strerror(errno)))
		return false;
	fcntl(n->channel->fd, F_SETFL, fcntl(n->channel->fd, F_GETFL) | O_NONBLOCK);
	return true;
}

void notice_quiet(struct notice *n)
{
	if (n->cq)
		ibv_ack_cq_events(n->cq, n->count);
}

void notice_close(struct notice *n)
{
	check(!n->channel || !ibv_destroy_comp_channel(n->channel), "channel");
}

void notice_arm(struct notice *n)
{
	if (n->armed || rng_below(4))
		return;
	n->solicited = rng_below(4);
	n->armed = true;
	n->arms++;
	n->may = false;
	n->must = false;
	check_is(ibv_req_notify_cq(n->cq, n->solicited), 0, "arm");
}

static bool take(struct notice *n)
{
	struct ibv_cq *which;
	void *context;

	if (ibv_get_cq_event(n->channel, &which, &context))
		return false;
	n->count++;
	return check(n->armed && which == n->cq, "an event too many");
}

void notice_begin(struct notice *n)
{
	n->come = take(n);
}

void notice_completion(struct notice *n, bool solicited, uint32_t arms)
{
	if (!n->armed || (n->solicited && !solicited))
		return;
	n->may = true;
	/* What was sent after the queue was armed cannot have been in the queue before. */
	n->must = n->must || arms == n->arms;
}

/* The completion may be read before the event is there. */
static bool wait_for(struct notice *n)
{
	struct pollfd fd = { .fd = n->channel->fd, .events = POLLIN };

	return poll(&fd, 1, patience(PATIENCE) * 1000) == 1 && take(n);
}

void notice_end(struct notice *n)
{
	if (n->armed && n->must && !n->come)
		n->come = check(wait_for(n), "no event for a %s",
				n->solicited ? "solicited message" : "message");
	if (!n->come)
		return;
	check(n->may, "an event without a %s", n->solicited ? "solicited message" : "completion");
	n->armed = false;
	n->come = false;
}
