// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that has a verbs device open, with a domain, a region, a completion queue, a
 * shared receive queue, a window and a queue pair in RTR. Uses nothing of this tree.
 *
 *	verbs_holder DEV GID-INDEX
 *
 * It prints a line when it is ready, and one for each asynchronous event:
 *
 *	ready pid P pd H lkey L rkey R qpn Q srq H window KEY
 *	event NAME [port N]
 *	closed ERRNO		no more events: the device has been taken away
 *
 * It reads commands from stdin, a line each:
 *
 *	rts		move the queue pair to RTS, print "rts"
 *	query		print "query STATE", or "query ERRNO", of the port
 *	join ADDRESS	have a queue pair of UD join a group of IPv4; print "joined ERRNO"
 *	leave		enter the network namespace of process 1, print "left"
 *	end		destroy everything; print "destroyed OBJECT ERRNO" for each
 *
 * At the end of stdin it ends and leaves destruction to the kernel. Exit status: 0; 1: an
 * object could not be made.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#define PORT	1

static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mw *mw;
	struct ibv_qp *qp;
	struct ibv_qp *member;	/* NULL: it has joined no group */
	union ibv_gid group;	/* that it joined last */
	char memory[8192] __attribute__((aligned(4096)));
} held;

static void *made(const char *what, void *object)
{
	if (!object) {
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
		exit(1);
	}
	return object;
}

static void open_device(const char *name)
{
	struct ibv_device **list = made("list of devices", ibv_get_device_list(NULL));
	int i;

	for (i = 0; list[i] && strcmp(ibv_get_device_name(list[i]), name); i++)
		;
	errno = ENODEV;
	held.ctx = made("open", list[i] ? ibv_open_device(list[i]) : NULL);
	ibv_free_device_list(list);
}

static void make_objects(void)
{
	const int rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND;
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_qp_init_attr qp = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	held.pd = made("pd", ibv_alloc_pd(held.ctx));
	held.mr = made("mr", ibv_reg_mr(held.pd, held.memory, sizeof(held.memory), rights));
	held.channel = made("channel", ibv_create_comp_channel(held.ctx));
	held.cq = made("cq", ibv_create_cq(held.ctx, 8, NULL, held.channel, 0));
	held.srq = made("srq", ibv_create_srq(held.pd, &srq));
	held.mw = made("mw", ibv_alloc_mw(held.pd, IBV_MW_TYPE_1));
	qp.send_cq = held.cq;
	qp.recv_cq = held.cq;
	held.qp = made("qp", ibv_create_qp(held.pd, &qp));
}

static void modify(struct ibv_qp_attr *attr, int mask)
{
	errno = ibv_modify_qp(held.qp, attr, mask);
	made("modify", errno ? NULL : held.qp);
}

/* Its peer is a queue pair that does not exist, at its own address. */
static void connect_qp(int gid_index)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_256,
		.dest_qp_num = 0x11,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = PORT,
			     .grh = { .sgid_index = gid_index, .hop_limit = 64 } },
	};

	errno = ibv_query_gid(held.ctx, PORT, gid_index, &rtr.ah_attr.grh.dgid);
	made("gid", errno ? NULL : held.qp);
	modify(&init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	modify(&rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static void to_rts(void)
{
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 0x123456,
		.timeout = 15,
		.retry_cnt = 3,
		.rnr_retry = 4,
		.max_rd_atomic = 5,
	};

	modify(&rts, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
	printf("rts\n");
}

static const char *event_name(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_DEVICE_FATAL:	return "DEVICE_FATAL";
	case IBV_EVENT_PORT_ACTIVE:	return "PORT_ACTIVE";
	case IBV_EVENT_PORT_ERR:	return "PORT_ERR";
	case IBV_EVENT_GID_CHANGE:	return "GID_CHANGE";
	case IBV_EVENT_QP_FATAL:	return "QP_FATAL";
	case IBV_EVENT_CQ_ERR:		return "CQ_ERR";
	default:			return ibv_event_type_str(type);
	}
}

/* Return: whether more can come. */
static int print_event(void)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(held.ctx, &event)) {
		printf("closed %d\n", errno);
		return 0;
	}
	switch (event.event_type) {
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_GID_CHANGE:
		printf("event %s port %d\n", event_name(event.event_type),
		       event.element.port_num);
		break;
	default:
		printf("event %s\n", event_name(event.event_type));
	}
	ibv_ack_async_event(&event);
	return 1;
}

static void join(const char *address)
{
	struct ibv_qp_init_attr qp = {
		.qp_type = IBV_QPT_UD, .send_cq = held.cq, .recv_cq = held.cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	held.group = (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff } };
	if (!held.member)
		held.member = made("member", ibv_create_qp(held.pd, &qp));
	errno = EINVAL;
	made("address", inet_pton(AF_INET, address, &held.group.raw[12]) == 1 ? &held : NULL);
	printf("joined %d\n", ibv_attach_mcast(held.member, &held.group, 0));
}

static void query(void)
{
	struct ibv_port_attr attr;
	int err = ibv_query_port(held.ctx, PORT, &attr);

	if (err)
		printf("query errno %d\n", err);
	else
		printf("query %s\n", ibv_port_state_str(attr.state));
}

/* What is open stays open. */
static void leave(void)
{
	int fd = open("/proc/1/ns/net", O_RDONLY);

	made("namespace", fd < 0 || setns(fd, CLONE_NEWNET) ? NULL : &held);
	close(fd);
	printf("left\n");
}

#define DESTROY(what, call) printf("destroyed " what " %d\n", call)

static void destroy(void)
{
	if (held.member) {
		DESTROY("membership", ibv_detach_mcast(held.member, &held.group, 0));
		DESTROY("member", ibv_destroy_qp(held.member));
	}
	DESTROY("qp", ibv_destroy_qp(held.qp));
	DESTROY("mw", ibv_dealloc_mw(held.mw));
	DESTROY("srq", ibv_destroy_srq(held.srq));
	DESTROY("cq", ibv_destroy_cq(held.cq));
	DESTROY("channel", ibv_destroy_comp_channel(held.channel));
	DESTROY("mr", ibv_dereg_mr(held.mr));
	DESTROY("pd", ibv_dealloc_pd(held.pd));
	DESTROY("context", ibv_close_device(held.ctx));
}

/* Return: whether to go on. */
static int command(void)
{
	char line[32];

	if (!fgets(line, sizeof(line), stdin))
		return 0;
	if (!strcmp(line, "query\n")) {
		query();
	} else if (!strncmp(line, "join ", 5)) {
		line[strcspn(line, "\n")] = 0;
		join(line + 5);
	} else if (!strcmp(line, "leave\n")) {
		leave();
	} else if (!strcmp(line, "rts\n")) {
		to_rts();
	} else if (!strcmp(line, "end\n")) {
		destroy();
		return 0;
	}
	return 1;
}

static void serve(void)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = held.ctx->async_fd, .events = POLLIN },
	};

	while (poll(fds, 2, -1) > 0) {
		if (fds[1].revents && !print_event())
			fds[1].fd = -1;
		if (fds[0].revents && !command())
			break;
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: verbs_holder DEV GID-INDEX\n");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* A line at a time, so that poll() tells whether there is another one. */
	setvbuf(stdin, NULL, _IONBF, 0);
	open_device(argv[1]);
	make_objects();
	connect_qp(atoi(argv[2]));
	printf("ready pid %d pd %u lkey 0x%x rkey 0x%x qpn 0x%06x srq %u window 0x%x\n",
	       getpid(), held.pd->handle, held.mr->lkey, held.mr->rkey, held.qp->qp_num,
	       held.srq->handle, held.mw->rkey);
	serve();
	return 0;
}
