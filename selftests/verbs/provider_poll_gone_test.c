// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device goes while threads poll for programs with xroce's own provider: one that is busy, and
 * one whose program is stopped, which nobody waits for. provider.sh makes the device again.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/wait.h>

#include "uapi/rdma/xroce-abi.h"

#include "live.h"
#include "provider_poller.h"

/*
 * Post until that fails, or the doorbell if there is no room. The queue pair goes before the
 * context does. Return: the errno.
 */
static int posts(struct own *own)
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	struct ibv_wc wc[8];
	int err;

	do {
		err = ibv_post_send(own->qp, &wr, &bad);
		if (err == ENOMEM)
			err = lseek(own->doorbell, own->qp->qp_num, XROCE_DOORBELL_SEND) < 0 ?
			      errno : 0;
		ibv_poll_cq(own->cq, 8, wc);
	} while (!err || err == ENOENT);
	return err;
}

static void *posts_beside(void *own)
{
	return (void *)(intptr_t)posts(own);
}

static bool no_thread(void *unused __attribute__((unused)))
{
	return !poller_of(getpid());
}

/* The program that is stopped. Return: its exit status. */
static int stopped(void)
{
	struct own own;

	if (!own_open(&own, NULL, 0) || !poller_of(getpid()))
		return 1;
	raise(SIGSTOP);
	if (posts(&own) != ENODEV)
		return 2;
	return live_wait(no_thread, NULL) ? 0 : 3;
}

TEST_OPENED(own, own, poller_open(&own, XROCE_POLL_MAX), poller_close, provider_poll_gone, "V5 U3",
	    "the device goes, with a thread that is busy and one that is stopped")
{
	pid_t pid = fork();
	pthread_t beside;
	int status = -1;
	void *err;

	if (!pid)
		_exit(stopped());
	check(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status), "stop: %#x", status);
	if (!check(!pthread_create(&beside, NULL, posts_beside, own), "thread"))
		return;
	usleep(100000);
	check(!system("nsenter --net=/run/netns/xr rdma link delete xr0"), "rdma link delete");
	pthread_join(beside, &err);
	check_is((intptr_t)err, ENODEV, "post");
	check(live_wait(no_thread, NULL), "the thread is left");
	check(poller_of(pid), "that of the program that is stopped has ended");
	check(!kill(pid, SIGCONT) && waitpid(pid, &status, 0) == pid && !status,
	      "the program that was stopped: %#x", status);
}

TEST_MAIN(harness_main);
