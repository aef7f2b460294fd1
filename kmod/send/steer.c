// SPDX-License-Identifier: GPL-2.0-only
/* Which CPU sends: see steer.h. */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "uapi/xroce.h"

#include "steer.h"

/* UC: after that time a packet has left the queue of the device. In jiffies. */
#define XR_STEER_UC_LEAVES	HZ

/* On the CPU that has sent what is under way. No lock is held. */
static void xr_steer_called(void *arg)
{
	struct xr_send *s = arg;

	tasklet_schedule(&s->tasklet);
	/* Pairs with xr_steer_close(), after which it is freed. */
	atomic_dec_return_release(&s->calls);
}

/* True if packets that this queue pair has sent may still be in a queue of the device. */
static bool xr_steer_queued(const struct xr_qp *qp)
{
	const struct xr_send *s = &qp->send;

	if (s->batch.count)
		return true;
	switch (qp->type) {
	case XROCE_QPT_RC:
		return s->una != s->top;
	case XROCE_QPT_UC:
		return time_before(jiffies, s->sent + XR_STEER_UC_LEAVES);
	}
	return false;	/* datagrams need not arrive in order */
}

/* Another CPU sent the last packets. Return: as xr_steer_moves(). */
bool xr_steer_call(struct xr_qp *qp)
{
	int cpu = smp_processor_id();
	struct xr_send *s = &qp->send;
	int ret;

	if (!xr_steer_queued(qp) || !cpu_online(s->cpu))
		goto here;
	if (s->called || s->state == XR_SEND_DYING)
		return true;
	s->called = true;
	atomic_inc(&s->calls);
	ret = smp_call_function_single_async(s->cpu, &s->call);
	if (!ret)
		return true;
	atomic_dec(&s->calls);
	/* An earlier call is still on its way, and schedules the tasklet when it arrives. */
	if (ret == -EBUSY)
		return true;
	s->called = false;
here:
	s->cpu = cpu;
	return false;
}

/* The send side is being made. */
void xr_steer_init(struct xr_send *s)
{
	INIT_CSD(&s->call, xr_steer_called, s);
}

/* The queue pair comes to RTS, and has nothing in the device. The lock is held. */
void xr_steer_start(struct xr_send *s)
{
	s->sent = jiffies - XR_STEER_UC_LEAVES;
}

/* UC: packets have been given to the device. The lock is held. */
void xr_steer_sent(struct xr_send *s)
{
	s->sent = jiffies;
}

/* In XR_SEND_DYING: wait for calls under way. Sleeps. */
void xr_steer_close(struct xr_send *s)
{
	/* Pairs with xr_steer_called(). */
	while (atomic_read_acquire(&s->calls))
		cond_resched();
}
