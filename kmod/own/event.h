/* SPDX-License-Identifier: GPL-2.0-only */
/* Asynchronous events of a file's objects (IBTA 11.6.3). */
#ifndef _XR_EVENT_H
#define _XR_EVENT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct xroce_async;

/**
 * struct xr_events - those that a file has not read yet
 * @lock: for @pending; innermost, bottom halves off
 * @pending: events
 * @wait: for events, and for completion queues that take an arm
 */
struct xr_events {
	spinlock_t lock;
	struct list_head pending;
	wait_queue_head_t wait;
};

/**
 * struct xr_event - an event of an object, part of it
 * @node: in xr_events::pending, else empty
 * @type: enum xroce_event_type
 * @id: the object's number
 */
struct xr_event {
	struct list_head node;
	u32 type;
	u32 id;
};

void xr_events_init(struct xr_events *events);
bool xr_events_pending(struct xr_events *events);
bool xr_events_next(struct xr_events *events, struct xroce_async *out);

void xr_event_init(struct xr_event *event, u32 type, u32 id);
void xr_event_raise(struct xr_events *events, struct xr_event *event);
void xr_event_cancel(struct xr_events *events, struct xr_event *event);

#endif
