// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that polls the send queues of a context, so that the program need not ring the doorbell.
 * The program asks for it when it opens the device, and the administrator allows it by a parameter.
 *
 * It is a thread of the program, made with vhost_task_create(): it counts for the program's control
 * groups, RLIMIT_NPROC, RLIMIT_CPU and nice value, and ps(1) shows it. A kthread would count for
 * nobody, because the kernel lets modules move one into control groups of version 1 only. It ends
 * with the program, also by exec(2); a child made by fork(2) has none.
 *
 * While there is work it polls. After some time without, it tells the program by a word in mapped
 * memory that it needs the doorbell again, looks once more, and sleeps until the doorbell is rung.
 * The program writes the index of its ring before it reads the word, and the thread the word before
 * it reads the index, so one of them sees what the other one has written. The module never reads
 * the word: a program that changes it only delays itself.
 *
 * The program may be stopped, or its control group frozen, for any time, and nobody may wait for it
 * meanwhile. So the structure outlives the context, which closes without waiting for more than the
 * round that is being executed. The thread finds out when it runs again, and has a work item wait
 * for its end, which follows at once. Until then it holds the module.
 */
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "obj/link.h"
#include "send/poll.h"

#include "verbs.h"

#ifdef CONFIG_VHOST_TASK
#include <linux/sched/vhost_task.h>

static unsigned int poll_threads;
module_param(poll_threads, uint, 0644);
MODULE_PARM_DESC(poll_threads,
		 "threads that poll for programs instead of a doorbell, 0: none is allowed (0)");

static unsigned int poll_threads_user = 1;
module_param(poll_threads_user, uint, 0644);
MODULE_PARM_DESC(poll_threads_user, "of them, each user may have so many (1)");

/**
 * struct xr_poll - a thread that polls
 * @ref: the context has a reference, and the thread
 * @lock: held while the context is used, so that it is not closed meanwhile
 * @ctx: the context; NULL: it has been closed; under @lock, and compared with NULL without it
 * @ring: the mapped memory, struct xroce_poll_header, while there is a context
 * @idle: nanoseconds without work after which it sleeps
 * @asleep: it is to be woken by the doorbell
 * @ending: @stop has been queued; only the thread uses it
 * @wait: it sleeps there
 * @task: the thread
 * @stop: waits for the end of the thread
 * @uid: real user id of the program
 * @node: in the list of threads until the context is closed or the thread ends, under xr_polls_lock
 */
struct xr_poll {
	struct kref ref;
	struct mutex lock;
	struct xr_ibctx *ctx;
	struct xr_ring ring;
	u64 idle;
	bool asleep;
	bool ending;
	wait_queue_head_t wait;
	struct vhost_task *task;
	struct work_struct stop;
	kuid_t uid;
	struct list_head node;
};

/* Threads that poll. */
static LIST_HEAD(xr_polls);
static DEFINE_MUTEX(xr_polls_lock);

static void xr_poll_free(struct kref *ref)
{
	struct xr_poll *p = container_of(ref, struct xr_poll, ref);

	mutex_destroy(&p->lock);
	kfree(p);
}

/* Tell the program whether it needs the doorbell. */
static void xr_poll_tell(struct xr_poll *p, u32 wake)
{
	struct xroce_poll_header *header;

	mutex_lock(&p->lock);
	header = p->ring.mem;
	if (p->ctx)
		WRITE_ONCE(header->wake, wake);
	mutex_unlock(&p->lock);
}

/* Return: whether something was posted. */
static bool xr_poll_look(struct xr_poll *p)
{
	bool found = false;

	mutex_lock(&p->lock);
	if (p->ctx)
		found = xr_poll_round(p->ctx->link, &p->ctx->own);
	mutex_unlock(&p->lock);
	return found;
}

/* Poll until nothing has been posted for some time. */
static void xr_poll_while_busy(struct xr_poll *p)
{
	u64 since = ktime_get_ns();

	while (READ_ONCE(p->ctx) && !signal_pending(current)) {
		if (xr_poll_look(p))
			since = ktime_get_ns();
		else if (ktime_get_ns() - since >= p->idle)
			return;
		cpu_relax();
	}
}

static bool xr_poll_is_woken(struct xr_poll *p)
{
	return !READ_ONCE(p->asleep) || !READ_ONCE(p->ctx);
}

/* Sleep until the doorbell is rung, the context is closed or a signal comes. */
static void xr_poll_sleep(struct xr_poll *p)
{
	WRITE_ONCE(p->asleep, true);
	xr_poll_tell(p, 1);
	/* The word before the indices. Pairs with the fence of the program between them. */
	smp_mb();
	if (!xr_poll_look(p))
		wait_event_interruptible(p->wait, xr_poll_is_woken(p));
	WRITE_ONCE(p->asleep, false);
}

/* The thread ends when vhost_task_stop() is called, for which it sleeps. */
static void xr_poll_end(struct xr_poll *p)
{
	if (p->ending)
		return;
	p->ending = true;
	queue_work(system_unbound_wq, &p->stop);
}

/*
 * What the thread does, again and again. It is called with its state set to TASK_INTERRUPTIBLE,
 * and between two calls it takes signals. Return: false: sleep.
 */
static bool xr_poll_run(void *arg)
{
	struct xr_poll *p = arg;

	if (!READ_ONCE(p->ctx)) {
		xr_poll_end(p);
		return false;
	}
	__set_current_state(TASK_RUNNING);
	xr_poll_tell(p, 0);
	xr_poll_while_busy(p);
	xr_poll_sleep(p);
	return true;
}

/*
 * The thread does not poll any more. One whose program is stopped may exist for long, but uses no
 * CPU, and RLIMIT_NPROC counts it.
 */
static void xr_poll_uncharge(struct xr_poll *p)
{
	mutex_lock(&xr_polls_lock);
	list_del_init(&p->node);
	mutex_unlock(&xr_polls_lock);
}

/* The program is being killed, exits or executes another one; the thread ends now. */
static void xr_poll_killed(void *arg)
{
	struct xr_poll *p = arg;

	xr_poll_uncharge(p);
	xr_poll_end(p);
}

static void xr_poll_stop(struct work_struct *work)
{
	struct xr_poll *p = container_of(work, struct xr_poll, stop);

	vhost_task_stop(p->task);
	kref_put(&p->ref, xr_poll_free);
	module_put(THIS_MODULE);
	/* Nothing that sleeps may follow: see xr_ib_exit(). */
}

/* Return: 0; -EPERM: nobody may have one; -EDQUOT: the user has enough; -ENOSPC: all are taken. */
static int xr_poll_charge(struct xr_poll *p)
{
	u32 most = READ_ONCE(poll_threads), all = 0, mine = 0;
	struct xr_poll *other;
	int ret = 0;

	if (!most)
		return -EPERM;
	mutex_lock(&xr_polls_lock);
	list_for_each_entry(other, &xr_polls, node) {
		all++;
		mine += uid_eq(other->uid, p->uid);
	}
	if (mine >= READ_ONCE(poll_threads_user))
		ret = -EDQUOT;
	else if (all >= most)
		ret = -ENOSPC;
	else
		list_add(&p->node, &xr_polls);
	mutex_unlock(&xr_polls_lock);
	return ret;
}

/* Make the mapped memory and the thread, which does not run yet. Return: 0; -ENOMEM; -EAGAIN. */
static int xr_poll_make(struct xr_poll *p)
{
	int ret = xr_ring_alloc(&p->ring, XR_FORMAT_OWN, 1, sizeof(struct xroce_poll_header));

	if (ret)
		return ret;
	/* It may be killed before it runs. */
	xr_poll_tell(p, 1);
	p->task = vhost_task_create(xr_poll_run, xr_poll_killed, p, "xroce-poll");
	/* RLIMIT_NPROC, the limit of a control group, no memory: some kernels do not say. */
	if (!IS_ERR_OR_NULL(p->task))
		return 0;
	xr_ring_free(&p->ring);
	return -EAGAIN;
}

static struct xr_poll *xr_poll_new(struct xr_ibctx *ctx, u32 us)
{
	struct xr_poll *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);

	if (!p)
		return NULL;
	kref_init(&p->ref);
	mutex_init(&p->lock);
	init_waitqueue_head(&p->wait);
	INIT_WORK(&p->stop, xr_poll_stop);
	INIT_LIST_HEAD(&p->node);
	p->ctx = ctx;
	p->idle = min(us, XROCE_POLL_MAX) * (u64)NSEC_PER_USEC;
	p->uid = ctx->own.uid;
	return p;
}

/**
 * xr_poll_open() - start a thread that polls for a context that is being opened
 * @ctx: the context, which is ready for use
 * @us: microseconds without work after which it sleeps
 * @ring: out: its mapped memory
 *
 * Return: 0, and xr_poll_close() undoes it; -EPERM: the parameter poll_threads is 0; -EDQUOT:
 * poll_threads_user; -ENOSPC: poll_threads; -EAGAIN: RLIMIT_NPROC or a control group; -ENOMEM;
 * -EOPNOTSUPP: the kernel has no such threads.
 */
int xr_poll_open(struct xr_ibctx *ctx, u32 us, struct xroce_abi_ring *ring)
{
	struct xr_poll *p = xr_poll_new(ctx, us);
	int ret;

	if (!p)
		return -ENOMEM;
	ret = xr_poll_charge(p);
	if (ret)
		goto err;
	ret = xr_poll_make(p);
	if (ret)
		goto err_charge;
	mutex_lock(&ctx->link->lock);
	xr_ring_publish(&p->ring, &ctx->own);
	mutex_unlock(&ctx->link->lock);
	*ring = xr_ib_ring(p->ring.offset, p->ring.bytes, 1, sizeof(struct xroce_poll_header));
	ctx->poll = p;
	/* The thread's. The context holds the module. */
	kref_get(&p->ref);
	__module_get(THIS_MODULE);
	vhost_task_start(p->task);
	return 0;

err_charge:
	xr_poll_uncharge(p);
err:
	kref_put(&p->ref, xr_poll_free);
	return ret;
}

/*
 * The doorbell of the context, which has a thread, has been rung. A process that has inherited it
 * wakes nobody.
 */
void xr_poll_rung(struct xr_ibctx *ctx)
{
	struct xr_poll *p = ctx->poll;

	if (!READ_ONCE(p->asleep) || task_tgid(current) != ctx->own.pid)
		return;
	WRITE_ONCE(p->asleep, false);
	wake_up(&p->wait);
}

/* Nobody uses the context by it when this returns. Sleeps. */
void xr_poll_close(struct xr_ibctx *ctx)
{
	struct xr_poll *p = ctx->poll;

	if (!p)
		return;
	xr_poll_tell(p, 1);
	mutex_lock(&p->lock);
	WRITE_ONCE(p->ctx, NULL);
	mutex_unlock(&p->lock);
	mutex_lock(&ctx->link->lock);
	xr_ring_free(&p->ring);
	mutex_unlock(&ctx->link->lock);
	xr_poll_uncharge(p);
	wake_up(&p->wait);
	kref_put(&p->ref, xr_poll_free);
}

#else

int xr_poll_open(struct xr_ibctx *ctx, u32 us, struct xroce_abi_ring *ring)
{
	return -EOPNOTSUPP;
}

void xr_poll_rung(struct xr_ibctx *ctx)
{
}

void xr_poll_close(struct xr_ibctx *ctx)
{
}

#endif
