// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a doorbell with nothing posted, and of arming a completion queue. Run by doorbell.sh.
 *
 *   doorbell CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP
 *
 * prints "DOORBELL 0 empty INSTRUCTIONS CALLS" and "ARM 0 empty INSTRUCTIONS CALLS": the median of
 * ROUNDS, which together have that number of calls. The machine's clock counts instructions.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "uapi/rdma/xroce-abi.h"

#include "clock.h"
#include "median.h"
#include "rc_end.h"

#define ROUNDS	5	/* and one before them, to warm up */
#define CALLS	2000	/* of a round */
#define TIMEOUT	20	/* 4.3 s: no packet is lost */

static struct rc_end client, server;
static int file = -1;	/* the doorbell of xroce's provider; -1: the client's provider is another */

/* Find the doorbell of the client's context among the files of this process. */
static void find_doorbell(void)
{
	char path[32], to[64];
	struct dirent *d;
	ssize_t n;
	DIR *dir;
	int fd;

	dir = opendir("/proc/self/fd");
	needs(dir, "/proc/self/fd");
	while (file < 0 && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, to, sizeof(to) - 1);
		if (n < 0)
			continue;
		to[n] = '\0';
		if (strstr(to, "xroce-doorbell") &&
		    !lseek(fd, client.qp->qp_num, XROCE_DOORBELL_SEND))
			file = fd;
	}
	closedir(dir);
}

/* As rdma-core's provider for rxe rings it. */
static void ring_uverbs(void)
{
	struct ib_uverbs_post_send_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send post;
	} cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_POST_SEND,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.post = {
			.response = (uintptr_t)&resp,
			.qp_handle = client.qp->handle,
			.wqe_size = sizeof(struct ib_uverbs_send_wr),
		},
	};

	needs(write(client.ctx->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd), "doorbell");
}

static void ring_file(void)
{
	needs(!lseek(file, client.qp->qp_num, XROCE_DOORBELL_SEND), "doorbell");
}

static void arm(void)
{
	errno = ibv_req_notify_cq(client.cq, 0);
	needs(!errno, "arm");
}

static void measure(const char *op, void (*call)(void))
{
	double cost[ROUNDS + 1], start;
	int i, n;

	for (i = 0; i <= ROUNDS; i++) {
		start = clock_raw_ns();
		for (n = 0; n < CALLS; n++)
			call();
		cost[i] = (clock_raw_ns() - start) / CALLS;
	}
	printf("%s 0 empty %.0f %d\n", op, median(cost + 1, ROUNDS), ROUNDS * CALLS);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: doorbell CLIENT-DEV CLIENT-IP SERVER-DEV SERVER-IP\n");
		return 2;
	}
	rc_end_open(&client, argv[1], argv[2], 4096, 16);
	rc_end_open(&server, argv[3], argv[4], 4096, 16);
	rc_end_connect(&client, &server, TIMEOUT);
	rc_end_connect(&server, &client, TIMEOUT);
	find_doorbell();
	measure("DOORBELL", file < 0 ? ring_uverbs : ring_file);
	measure("ARM", arm);
	rc_end_close(&client);
	rc_end_close(&server);
	return 0;
}
