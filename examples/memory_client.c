// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Write a file into memory that a server lends, read it back, and compare. Uses libibverbs
 * only and works with any RoCEv2 server.
 *
 * usage: memory_client [-c] [-p PORT] [-o OFFSET] [-n ROUNDS] [-k RKEY]
 *                      [-t TIMEOUT] [-r REGION [-a] | -s LINE [-w]] DEVICE SERVER FILE
 *
 *   memory_client rxe0 10.0.0.2 photo.jpg
 *   memory_client -r album rxe0 10.0.0.2 photo.jpg	# of xroce serve ... region album
 *   memory_client -r album -c rxe0 10.0.0.2 photo.jpg	# still there?
 *
 * -r requests a region by its name; with -a all regions are requested, and this one is
 * used: see exchange_json.h. With -c nothing is written: the file is compared with the
 * server's memory. RKEY replaces the server's key. OFFSET is where to begin in the
 * server's memory. What is not acknowledged is sent again after 4.096 us * 2^TIMEOUT, at
 * most six times; the default, 18, is a second. LINE replaces the server's answer (see
 * exchange.h) for a server without a TCP port, for example a queue pair made by hand; the
 * client then prints its own number and PSN, which that server needs, and with -w waits
 * for a line of its input until that server is ready. The exit status is 1 if the server
 * refuses a request or bytes differ.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "exchange.h"
#include "exchange_json.h"

#define MESSAGE		(1 << 20)	/* bytes of a message, at most */
#define GIDS		256
#define MTU		1024	/* the server uses the same */

struct client {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;	/* of two messages: one to send, one to read into */
	char *buf;
	uint8_t timeout;	/* 4.096 us * 2^timeout */
	struct end own, server;
};

static int complain(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(err));
	return 1;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	errno = ENODEV;
	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static int open_client(struct client *c, const char *device)
{
	struct ibv_qp_init_attr init = {
		.cap = {
			.max_send_wr = 1, .max_recv_wr = 1,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	c->ctx = open_device(device);
	if (!c->ctx)
		return complain(device, errno);
	c->buf = malloc(2 * MESSAGE);
	c->pd = ibv_alloc_pd(c->ctx);
	c->cq = ibv_create_cq(c->ctx, 2, NULL, NULL, 0);
	if (!c->buf || !c->pd || !c->cq)
		return complain("resources", errno);
	c->mr = ibv_reg_mr(c->pd, c->buf, 2 * MESSAGE, IBV_ACCESS_LOCAL_WRITE);
	if (!c->mr)
		return complain("region", errno);
	init.send_cq = c->cq;
	init.recv_cq = c->cq;
	c->qp = ibv_create_qp(c->pd, &init);
	if (!c->qp)
		return complain("queue pair", errno);
	c->own.qpn = c->qp->qp_num;
	c->own.psn = getpid() & 0xffffff;
	return 0;
}

static void close_client(struct client *c)
{
	if (c->qp)
		ibv_destroy_qp(c->qp);
	if (c->mr)
		ibv_dereg_mr(c->mr);
	if (c->cq)
		ibv_destroy_cq(c->cq);
	if (c->pd)
		ibv_dealloc_pd(c->pd);
	if (c->ctx)
		ibv_close_device(c->ctx);
	free(c->buf);
}

/* Find the device's GID with the address that TCP uses. */
static int gid_index(struct client *c)
{
	static struct ibv_gid_entry entry[GIDS];
	ssize_t i, n = ibv_query_gid_table(c->ctx, entry, GIDS, 0);

	for (i = 0; i < n; i++)
		if (entry[i].port_num == 1 &&
		    entry[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    !memcmp(entry[i].gid.raw, c->own.gid, 16))
			return entry[i].gid_index;
	return -1;
}

static int connect_qp(struct client *c)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,	/* MTU */
		.dest_qp_num = c->server.qpn,
		.rq_psn = c->server.psn,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh.hop_limit = 64,
		},
		.sq_psn = c->own.psn,
		.timeout = c->timeout,
		.retry_cnt = 6,			/* rxe takes 7 as unlimited */
		.rnr_retry = 7,			/* unlimited, for on-demand memory */
		.max_rd_atomic = 1,
	};
	int index = gid_index(c);
	int err;

	if (index < 0)
		return complain("RDMA device: address", EADDRNOTAVAIL);
	attr.ah_attr.grh.sgid_index = index;
	memcpy(attr.ah_attr.grh.dgid.raw, c->server.gid, 16);
	err = ibv_modify_qp(c->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	attr.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(c->qp, &attr, IBV_QP_STATE | IBV_QP_AV |
				    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MIN_RNR_TIMER |
				    IBV_QP_MAX_DEST_RD_ATOMIC);
	attr.qp_state = IBV_QPS_RTS;
	if (!err)
		err = ibv_modify_qp(c->qp, &attr, IBV_QP_STATE |
				    IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				    IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_MAX_QP_RD_ATOMIC);
	return err ? complain("connection", err) : 0;
}

/* WRITE the first half of the buffer to the server, or READ into the second. */
static int transfer(struct client *c, enum ibv_wr_opcode opcode, uint64_t off,
		    uint32_t length)
{
	const char *name = opcode == IBV_WR_RDMA_WRITE ? "WRITE" : "READ";
	struct ibv_sge sge = {
		.addr = (uintptr_t)c->buf +
			(opcode == IBV_WR_RDMA_WRITE ? 0 : MESSAGE),
		.length = length,
		.lkey = c->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.wr.rdma.remote_addr = c->server.addr + off,
		.wr.rdma.rkey = c->server.rkey,
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int n, err = ibv_post_send(c->qp, &wr, &bad);

	if (err)
		return complain(name, err);
	do {
		n = ibv_poll_cq(c->cq, 1, &wc);
	} while (!n);
	if (n < 0)
		return complain(name, EIO);
	if (wc.status == IBV_WC_SUCCESS)
		return 0;
	fprintf(stderr, "%s of %u bytes at offset %llu: %s\n", name, length,
		(unsigned long long)off, ibv_wc_status_str(wc.status));
	return 1;
}

static int put(struct client *c, uint64_t off, const char *file, size_t size)
{
	size_t at, length;

	for (at = 0; at < size; at += length) {
		length = size - at < MESSAGE ? size - at : MESSAGE;
		memcpy(c->buf, file + at, length);
		if (transfer(c, IBV_WR_RDMA_WRITE, off + at, length))
			return 1;
	}
	return 0;
}

static int compare(struct client *c, uint64_t off, const char *file, size_t size)
{
	size_t at, length;

	for (at = 0; at < size; at += length) {
		length = size - at < MESSAGE ? size - at : MESSAGE;
		memset(c->buf + MESSAGE, ~file[at], length);
		if (transfer(c, IBV_WR_RDMA_READ, off + at, length))
			return 1;
		if (memcmp(c->buf + MESSAGE, file + at, length))
			return complain("what was read back differs", EIO);
	}
	return 0;
}

/* The options. */
struct job {
	const char *host, *port, *line, *region;
	unsigned long rounds;
	bool compare, all, have_key, wait;
	uint32_t key;
	uint64_t off;
	const char *file;
	size_t size;
};

/* Exchange connection data with the server. */
static int meet(struct client *c, const struct job *job, int fd)
{
	struct json_request request = { .mtu = MTU, .region = job->region, .all = job->all };
	int err = exchange_gid(fd, c->own.gid);

	if (!err && job->line) {
		printf("qpn 0x%06x psn %u\n", c->own.qpn, c->own.psn);
		fflush(stdout);
		if (job->wait)
			getchar();
		err = exchange_parse(job->line, &c->server);
	} else if (!err && job->region) {
		err = exchange_json(fd, &c->own, &request, &c->server);
	} else if (!err) {
		err = exchange_send(fd, &c->own);
		if (!err)
			err = exchange_receive(fd, &c->server);
	}
	if (err == -EREMOTEIO)
		fprintf(stderr, "the server: %s\n", request.why);
	else if (err)
		complain("exchange", -err);
	if (job->have_key)
		c->server.rkey = job->key;
	return err ? 1 : 0;
}

static int talk(struct client *c, const struct job *job)
{
	int fd = job->line ? exchange_route(job->host, job->port) :
			     exchange_connect(job->host, job->port);
	unsigned long rounds = job->rounds;
	int status;

	if (fd < 0)
		return complain(job->host, -fd);
	status = meet(c, job, fd);
	if (!status)
		status = connect_qp(c);
	while (!status && rounds--) {
		if (!job->compare)
			status = put(c, job->off, job->file, job->size);
		if (!status)
			status = compare(c, job->off, job->file, job->size);
	}
	if (!status)
		printf("%zu bytes %s, and the same\n", job->size, job->compare ?
		       "read" : "written, read back");
	close(fd);		/* the server waits for this */
	return status;
}

static void *map_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *mem = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		*size = st.st_size;
		mem = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (mem == MAP_FAILED)
		complain(path, errno);
	if (fd >= 0)
		close(fd);
	return mem == MAP_FAILED ? NULL : mem;
}

static int usage(const char *name)
{
	fprintf(stderr, "usage: %s [-c] [-p PORT] [-o OFFSET] [-n ROUNDS] [-k RKEY] [-t TIMEOUT] [-r REGION [-a] | -s LINE [-w]] DEVICE SERVER FILE\n",
		name);
	return 2;
}

int main(int argc, char **argv)
{
	struct job job = { .rounds = 1 };
	struct client c = { .timeout = 18 };	/* a second */
	int opt, status;
	void *file;

	while ((opt = getopt(argc, argv, "acp:o:n:k:r:s:t:w")) != -1) {
		switch (opt) {
		case 'a':
			job.all = true;
			break;
		case 'c':
			job.compare = true;
			break;
		case 'p':
			job.port = optarg;
			break;
		case 'o':
			job.off = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			job.rounds = strtoul(optarg, NULL, 0);
			break;
		case 'k':
			job.key = strtoul(optarg, NULL, 0);
			job.have_key = true;
			break;
		case 'r':
			job.region = optarg;
			break;
		case 's':
			job.line = optarg;
			break;
		case 't':
			c.timeout = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			job.wait = true;
			break;
		default:
			return usage(argv[0]);
		}
	}
	if (argc - optind != 3 || (job.region && job.line))
		return usage(argv[0]);
	if (!job.port)
		job.port = job.region ? EXCHANGE_JSON_PORT : EXCHANGE_PORT;
	job.host = argv[optind + 1];
	file = map_file(argv[optind + 2], &job.size);
	if (!file)
		return 1;
	job.file = file;
	status = open_client(&c, argv[optind]);
	if (!status)
		status = talk(&c, &job);
	close_client(&c);
	munmap(file, job.size);
	return status;
}
