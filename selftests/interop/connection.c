// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "connection.h"
#include "counters.h"
#include "gid.h"
#include "harness.h"

#define NETDEV		"x0"
#define NETNS		"/run/netns/xr"
#define RXE		"rxe0"

#define PSN		0xfffff0u		/* wraps early */

struct server server;
struct requester client;

/* Attach and open in the server's namespace, then return to the own one. */
static bool enter_and_open(void)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(NETNS, O_RDONLY | O_CLOEXEC);
	int err;

	if (!check(home >= 0 && there >= 0 && !setns(there, CLONE_NEWNET),
		   NETNS ": %s", strerror(errno)))
		return false;
	err = xroce_attach(NETDEV, &opts);
	if (check(!err, "attach: %s", opts.error)) {
		server.x = xroce_open(NETDEV);
		check(server.x, "open: %s", strerror(errno));
	}
	check(!setns(home, CLONE_NEWNET), "setns: %s", strerror(errno));
	close(home);
	close(there);
	return server.x;
}

static bool server_open(void)
{
	uint32_t i;
	int err;

	if (!enter_and_open())
		return false;
	server.stat = xroce_pin_open(NETDEV, "stat");
	server.file = memfd_create("region", MFD_CLOEXEC);
	server.want = malloc(FILE_SIZE);
	server.got = malloc(FILE_SIZE);
	if (!check(server.stat >= 0 && server.file >= 0 && server.want &&
		   server.got, "%s", strerror(errno)))
		return false;
	for (i = 0; i < FILE_SIZE; i++)
		server.want[i] = i * 13 + (i >> 8);
	if (!check(pwrite(server.file, server.want, FILE_SIZE, 0) == FILE_SIZE,
		   "file: %s", strerror(errno)))
		return false;

	err = xroce_pd_add(server.x, 0, &server.pd);
	if (!err)
		err = xroce_pd_add(server.x, 0, &server.other_pd);
	if (!check(!err, "pd: %s", strerror(-err)))
		return false;
	server.mr = (struct xroce_mr_reg){
		.pd = server.pd,
		.access = ACCESS_ALL,
		.length = REGION_LEN,
		.iova = IOVA,
	};
	err = xroce_mr_reg_file(server.x, server.file, REGION_OFF, &server.mr);
	return check(!err, "mr: %s", strerror(-err));
}

bool connection_setup_sized(size_t size)
{
	static bool done;

	if (!done)
		done = server_open() && requester_open(&client, RXE, size);
	return check(done, "no set-up");
}

bool connection_setup(void)
{
	return connection_setup_sized(REGION_LEN);
}

void connection_teardown(void)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(NETNS, O_RDONLY | O_CLOEXEC);
	char error[XROCE_ERROR_MAX] = "";

	requester_close(&client);
	xroce_close(server.x);
	if (server.x && !setns(there, CLONE_NEWNET)) {
		if (xroce_detach(NETDEV, XROCE_F_FORCE, error))
			note("detach: %s", error);
		setns(home, CLONE_NEWNET);
	}
	close(home);
	close(there);
}

int connection_main(int argc, char **argv)
{
	int status = harness_main(argc, argv);

	connection_teardown();
	return status;
}

void connection_modify(struct xroce_qp_modify *modify, const char *what)
{
	check_is(xroce_qp_modify(server.x, modify), 0, "%s", what);
}

bool connection_open(struct connection *c, enum ibv_mtu mtu, uint32_t access,
		     bool ipv6)
{
	const struct connection_opts opts = {
		.timeout = 18,		/* a second, for slow machines */
		.retry = 5,
	};

	return connection_open_opts(c, mtu, access, ipv6, &opts);
}

static int server_qp_add(struct connection *c, const struct connection_opts *opts)
{
	struct xroce_qp_add add = {
		.pd = server.pd,
		.type = XROCE_QPT_RC,
		.recv_cq = opts->cq ? xroce_cq_id(opts->cq) : 0,
		.srq = opts->srq ? xroce_srq_id(opts->srq) : 0,
		.rq_entries = opts->rq_entries,
		.rq_max_sge = opts->rq_entries ? 2 : 0,
	};
	int err;

	c->rq = NULL;
	err = opts->cq ? xroce_qp_create(server.x, &add, &c->rq) :
			 xroce_qp_create_responder(server.x, 0, server.pd, &add.qpn);
	c->qpn = add.qpn;
	return err;
}

bool connection_open_opts(struct connection *c, enum ibv_mtu mtu,
			  uint32_t access, bool ipv6,
			  const struct connection_opts *opts)
{
	struct requester_path path = {
		.sq_psn = PSN,
		.mtu = mtu,
		.timeout = opts->timeout,
		.retry = opts->retry,
		.rnr_retry = opts->rnr_retry,
		.rd_atomic = RD_ATOMIC,
	};
	struct xroce_qp_modify modify = {
		.mask = XROCE_QP_STATE | XROCE_QP_PKEY | XROCE_QP_ACCESS,
		.state = XROCE_QPS_INIT,
		.pkey = 0xffff,
		.access = access,
	};

	c->mtu = 128u << mtu;
	c->qp = requester_qp_add(&client);
	if (!c->qp)
		return false;
	if (!check_is(server_qp_add(c, opts), 0, "qp"))
		return false;

	gid_parse(ipv6 ? "fd77::1" : "10.77.0.1", path.sgid);
	gid_parse(ipv6 ? "fd77::2" : "10.77.0.2", path.dgid);
	path.dest_qpn = c->qpn;

	modify.qpn = c->qpn;
	connection_modify(&modify, "INIT");
	modify.mask = XROCE_QP_STATE | XROCE_QP_AV | XROCE_QP_PATH_MTU |
		      XROCE_QP_DEST_QPN | XROCE_QP_RQ_PSN |
		      XROCE_QP_MIN_RNR_TIMER | XROCE_QP_MAX_DEST_RD_ATOMIC;
	modify.state = XROCE_QPS_RTR;
	modify.path_mtu = mtu;
	modify.dest_qpn = c->qp->qp_num;
	modify.rq_psn = PSN;
	modify.min_rnr_timer = 12;
	modify.max_dest_rd_atomic = RD_ATOMIC;
	memcpy(modify.sgid, path.dgid, 16);
	memcpy(modify.dgid, path.sgid, 16);
	connection_modify(&modify, "RTR");
	return requester_qp_connect(&client, c->qp, &path) && !test_failed();
}

void connection_close(struct connection *c)
{
	int err;

	ibv_destroy_qp(c->qp);
	err = c->rq ? xroce_qp_destroy(c->rq) : xroce_qp_del(server.x, c->qpn);
	check(!err, "qp del: %s", strerror(-err));
}

void connection_compare(const char *when)
{
	uint32_t i;

	if (!check(pread(server.file, server.got, FILE_SIZE, 0) == FILE_SIZE,
		   "file: %s", strerror(errno)))
		return;
	if (!memcmp(server.want, server.got, FILE_SIZE))
		return;
	for (i = 0; server.want[i] == server.got[i]; i++)
		;
	check(false, "%s: byte %#x of the file, %#x of the region, is %#x, not %#x",
	      when, i, i - REGION_OFF, server.got[i], server.want[i]);
}

void connection_fill(const struct requester_op *op)
{
	static uint32_t round;
	uint32_t i;

	round += 101;
	for (i = 0; i < op->len; i++)
		client.buf[op->off + i] = round + i * 31 + (i >> 8);
	memcpy(server.want + REGION_OFF + (op->va - IOVA),
	       client.buf + op->off, op->len);
}

uint32_t connection_packets(uint32_t len, uint32_t mtu)
{
	return len ? (len + mtu - 1) / mtu : 1;
}

void connection_write(struct connection *c, uint32_t off, uint32_t len,
		      struct xroce_stat *delta)
{
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_WRITE,
		.off = off % 64,		/* any alignment of the source */
		.len = len,
		.va = IOVA + off,
		.rkey = server.mr.rkey,
	};
	int status;

	connection_fill(&op);
	status = requester_do(&client, c->qp, &op);
	if (!check(status == IBV_WC_SUCCESS, "%u bytes at %#x: %s", len, off,
		   status < 0 ? "no completion" : ibv_wc_status_str(status)))
		return;
	connection_compare("after a WRITE");
	delta->write += connection_packets(len, c->mtu);
	delta->write_bytes += len;
}

/*
 * On a slow machine packets get lost, or the client times out and sends again. Each request
 * still counts once, except READs.
 */
static void allow_again(const struct xroce_stat *before,
			const struct xroce_stat *after,
			struct xroce_stat *delta)
{
	__u64 again;

	delta->duplicate = after->duplicate - before->duplicate;
	delta->nak_seq = after->nak_seq - before->nak_seq;
	delta->drop_psn = after->drop_psn - before->drop_psn;
	again = delta->duplicate + delta->nak_seq + delta->drop_psn;
	if (!again)
		return;
	note("%llu duplicates, %llu sequence NAKs, %llu dropped behind them",
	       delta->duplicate, delta->nak_seq, delta->drop_psn);
	delta->rx = after->rx - before->rx;
	delta->tx = after->tx - before->tx;
	check(again <= delta->rx / 2, "of %llu packets %llu were sent again",
	      delta->rx, again);
	if (delta->read) {
		check(after->read - before->read <= delta->read + again,
		      "%llu READs", after->read - before->read);
		delta->read = after->read - before->read;
		delta->read_bytes = after->read_bytes - before->read_bytes;
	}
}

void connection_moved(const struct xroce_stat *before, struct xroce_stat *delta,
		  bool trailing)
{
	struct xroce_stat after;

	/* First wait for the packets that the client had sent before it got the NAK. */
	counters_settled(server.stat, before, 0, &after);
	if (delta->nak_acc && trailing)
		delta->drop_error = after.drop_error - before->drop_error;
	delta->rx = delta->write + delta->read + delta->atomic +
		    delta->nak_inv + delta->nak_acc + delta->nak_rnr +
		    delta->drop_error;
	delta->rx_bytes = after.rx_bytes - before->rx_bytes;
	delta->ack = after.ack - before->ack;
	/* tx does not count packets that the module sends. */
	delta->queued = after.queued - before->queued;
	delta->tx = delta->ack + delta->read + delta->atomic + delta->nak_inv +
		    delta->nak_acc + delta->nak_rnr - delta->queued;
	/* tx_test compares bytes, and the module's packets. */
	delta->tx_more = after.tx_more - before->tx_more;
	delta->module_tx = after.module_tx - before->module_tx;
	delta->module_tx_bytes = after.module_tx_bytes - before->module_tx_bytes;
	allow_again(before, &after, delta);
	counters_check(before, &after, delta);
}
