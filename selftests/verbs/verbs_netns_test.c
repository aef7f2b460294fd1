// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys and queue pairs of one namespace's device, tried from that of another one. This process has
 * opened both: xr1 in xr, and xr2 in yr.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "verbs_side.h"

#define BYTES	4096u	/* of a region */
#define LENGTH	64u	/* of a message */

/* 134 ms, three times: until the requester gives up. */
static const struct side_path path = { .mtu = IBV_MTU_1024, .timeout = 15, .retry = 2 };

/* A side, with two queue pairs that are connected to each other. */
struct end {
	struct side side;
	struct post_way qps[2];
};

static struct end xr, yr;

static bool enter(const char *netns)
{
	int fd = open(netns, O_RDONLY | O_CLOEXEC);
	bool in = fd >= 0 && !setns(fd, CLONE_NEWNET);

	close(fd);
	return check(in, "%s: %s", netns, strerror(errno));
}

static bool connect_loop(struct end *e)
{
	int err = side_connect(&e->side, e->qps[0].qp, &e->side, e->qps[1].qp, &path);

	return check(!err, "connect: %s", strerror(err));
}

static bool end_up(struct end *e, const char *netns, const char *dev, const char *ip)
{
	return enter(netns) && side_open(&e->side, dev, ip, BYTES, 2) &&
	       side_qp(&e->side, &e->qps[0]) && side_qp(&e->side, &e->qps[1]) && connect_loop(e);
}

static void end_down(struct end *e)
{
	int i;

	for (i = 0; i < 2; i++)
		check(!e->qps[i].qp || !ibv_destroy_qp(e->qps[i].qp), "queue pair");
	side_close(&e->side);
	memset(e, 0, sizeof(*e));
}

/* Set up both ends. xr's memory is zero, and yr's is not. */
static bool up(void)
{
	if (!end_up(&xr, "/run/netns/xr", "xr1", "10.79.0.2") ||
	    !end_up(&yr, "/run/netns/yr", "xr2", "10.79.0.3"))
		return false;
	memset(yr.side.buf, 0xa5, BYTES);
	return true;
}

static void down(void)
{
	end_down(&yr);
	end_down(&xr);
	enter("/proc/1/ns/net");
}

/*
 * WRITE by a queue pair of @by, from memory of @from with its L_Key, to memory of @to with its
 * R_Key. Return: the completion's status; -1: none has come.
 */
static int write_to(struct end *by, const struct end *from, const struct end *to)
{
	struct ibv_sge sge = { (uintptr_t)from->side.buf, LENGTH, from->side.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { (uintptr_t)to->side.buf, to->side.mr->rkey },
	};
	struct ibv_wc wc;

	if (!check(!ibv_post_send(by->qps[0].qp, &wr, &bad), "post"))
		return -1;
	return end_wait(by->side.cq, &wc);
}

static bool xr_untouched(void)
{
	static const uint8_t zero[BYTES];

	return check(!memcmp(xr.side.buf, zero, BYTES), "memory of xr has changed");
}

static void ends_with(int status, enum ibv_wc_status want)
{
	check(status == (int)want, "%d (%s), not %s", status,
	      status < 0 ? "nothing" : ibv_wc_status_str(status), ibv_wc_status_str(want));
}

/* The peer is a queue pair of xr2. */
TEST(netns_key_remote, "V10 V5", "an R_Key of another namespace's device")
{
	if (up()) {
		ends_with(write_to(&yr, &yr, &yr), IBV_WC_SUCCESS);
		ends_with(write_to(&yr, &yr, &xr), IBV_WC_REM_ACCESS_ERR);
		xr_untouched();
	}
	down();
}

/* xr2 would read memory of xr, and write it to its own. */
TEST(netns_key_local, "V10 V5", "an L_Key of another namespace's device")
{
	if (up()) {
		ends_with(write_to(&yr, &xr, &yr), IBV_WC_LOC_PROT_ERR);
		check(yr.side.buf[0] == 0xa5, "memory of xr was read");
	}
	down();
}

/* Connect a queue pair of xr2 with one of xr1, which agrees or does not. */
static bool connect_across(bool agreed)
{
	int err = side_connect(&yr.side, yr.qps[0].qp, &xr.side, xr.qps[0].qp, &path);

	if (!check(!err, "connect: %s", strerror(err)))
		return false;
	if (agreed)
		return true;
	return check(!end_state(xr.qps[0].qp, IBV_QPS_RESET) &&
		     !end_state(xr.qps[1].qp, IBV_QPS_RESET), "RESET") && connect_loop(&xr);
}

static bool to_reset(void)
{
	return check(!end_state(yr.qps[0].qp, IBV_QPS_RESET) &&
		     !end_state(xr.qps[0].qp, IBV_QPS_RESET), "RESET");
}

/* xr2 knows number, PSN and key; the queue pair of xr1 has another peer. Then it has this one. */
TEST(netns_qpn, "V10 V5", "a queue pair number and an R_Key of another namespace's device")
{
	if (up() && to_reset() && connect_across(false)) {
		ends_with(write_to(&yr, &yr, &xr), IBV_WC_RETRY_EXC_ERR);
		xr_untouched();
		ends_with(write_to(&xr, &xr, &xr), IBV_WC_SUCCESS);
		if (to_reset() && connect_across(true)) {
			ends_with(write_to(&yr, &yr, &xr), IBV_WC_SUCCESS);
			check(!memcmp(xr.side.buf, yr.side.buf, LENGTH), "not written");
		}
	}
	down();
}

TEST_MAIN(harness_main);
