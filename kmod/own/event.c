// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous events of a file's objects: see event.h.
 *
 * An object embeds its events. An event that has not been read is not queued a second time.
 * So raising an event allocates no memory, and no event is lost.
 */
#include <linux/poll.h>

#include "uapi/xroce.h"

#include "event.h"

void xr_events_init(struct xr_events *events)
{
	spin_lock_init(&events->lock);
	INIT_LIST_HEAD(&events->pending);
	init_waitqueue_head(&events->wait);
}

bool xr_events_pending(struct xr_events *events)
{
	return !list_empty_careful(&events->pending);
}

/* Remove the oldest event. Return: whether there was one. */
bool xr_events_next(struct xr_events *events, struct xroce_async *out)
{
	struct xr_event *event;

	memset(out, 0, sizeof(*out));
	spin_lock_bh(&events->lock);
	event = list_first_entry_or_null(&events->pending, struct xr_event,
					 node);
	if (event) {
		out->type = event->type;
		out->id = event->id;
		list_del_init(&event->node);
	}
	spin_unlock_bh(&events->lock);
	return event;
}

void xr_event_init(struct xr_event *event, u32 type, u32 id, void *context)
{
	INIT_LIST_HEAD(&event->node);
	event->type = type;
	event->id = id;
	event->context = context;
}

void xr_event_raise(struct xr_events *events, struct xr_event *event)
{
	spin_lock_bh(&events->lock);
	if (list_empty(&event->node))
		list_add_tail(&event->node, &events->pending);
	spin_unlock_bh(&events->lock);
	wake_up_poll(&events->wait, EPOLLPRI);
}

/* Discard a pending event: its object is being destroyed. */
void xr_event_cancel(struct xr_events *events, struct xr_event *event)
{
	spin_lock_bh(&events->lock);
	list_del_init(&event->node);
	spin_unlock_bh(&events->lock);
}
