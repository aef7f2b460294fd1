/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asynchronous events of a file's objects (IBTA 11.6.3), returned by read(2) of the file. Events
 * of refused and dropped packets are written by the XDP program.
 */
#ifndef _XR_EVENT_H
#define _XR_EVENT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

struct xroce_async;

/**
 * struct xr_events - asynchronous events that a file has not read yet
 * @lock: for @pending; taken with bottom halves off, under locks of objects
 * @pending: struct xr_event, oldest first
 * @wait: read(2) and poll(2) wait here, for events and for armed completion queues to fire
 */
struct xr_events {
	spinlock_t lock;
	struct list_head pending;
	wait_queue_head_t wait;
};

/**
 * struct xr_event - an event of an object, embedded in the object
 * @node: in xr_events::pending; empty if the event is not pending
 * @type: enum xroce_event_type
 * @id: number of the object
 * @context: what the front end of a verbs device has given with the object; else NULL
 */
struct xr_event {
	struct list_head node;
	u32 type;
	u32 id;
	void *context;
};

void xr_events_init(struct xr_events *events);
bool xr_events_pending(struct xr_events *events);
bool xr_events_next(struct xr_events *events, struct xroce_async *out);

void xr_event_init(struct xr_event *event, u32 type, u32 id, void *context);
void xr_event_raise(struct xr_events *events, struct xr_event *event);
void xr_event_cancel(struct xr_events *events, struct xr_event *event);

#endif
