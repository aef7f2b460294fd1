// SPDX-License-Identifier: GPL-2.0-only
/*
 * Null regions (ibv_alloc_null_mr()) of a program with xroce's own provider: what is read locally,
 * where local writes go, and who may not use them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>
#include <rdma/ib_user_verbs.h>
#include <sys/wait.h>

#include "uapi/rdma/xroce-abi.h"
#include "uapi/xroce.h"

#include "live.h"
#include "provider_end.h"

#define FAR		0x7123456789abcdefull	/* an address where the program has no memory */
#define LENGTH		(OWN_BYTES - 24)	/* bytes, in several packets */
#define REGIONS		3u		/* limit of a user */
#define NOBODY		65534

/* A null region in a connection's domain. */
static struct ibv_mr *null_open(void)
{
	struct ibv_mr *mr = ibv_alloc_null_mr(xr_end.pd);

	check(mr, "null region: %s", strerror(errno));
	return mr;
}

static int is_all(const char *at, char byte, size_t n)
{
	while (n && *at == byte) {
		at++;
		n--;
	}
	return !n;
}

/* Execute a work request. Return: status of its completion. */
static int execute(struct own *own, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int ret = ibv_post_send(own->qp, wr, &bad);

	return check(!ret, "post: %s", strerror(ret)) ? end_wait(own->cq, &wc) : -1;
}

/* @n elements, of a WRITE or READ. Return: status. */
static int moves(struct own *own, enum ibv_wr_opcode opcode, struct ibv_sge *sge, int n)
{
	struct ibv_send_wr wr = own_wr(own, opcode, sge);

	wr.num_sge = n;
	return execute(own, &wr);
}

OWN_TEST(provider_null_reads, "V5", "a null region is read as zeros, at each address")
{
	struct ibv_mr *mr = null_open();
	const uint64_t at[] = { 0, 1, MEM_PAGE - 3, FAR, UINT64_MAX - LENGTH };
	struct ibv_sge sge = { .length = LENGTH };
	size_t i;

	if (!mr)
		return;
	sge.lkey = mr->lkey;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		memset(own->peer_memory, 'p', OWN_BYTES);
		sge.addr = at[i];
		check_is(moves(own, IBV_WR_RDMA_WRITE, &sge, 1), IBV_WC_SUCCESS, "at %#llx",
			 (unsigned long long)at[i]);
		check(is_all(own->peer_memory, 0, LENGTH), "at %#llx: bytes",
		      (unsigned long long)at[i]);
		check(is_all(own->peer_memory + LENGTH, 'p', 24), "behind them");
	}
	check(!ibv_dereg_mr(mr), "deregister");
}

OWN_TEST(provider_null_writes, "V5", "what is written to a null region is discarded")
{
	struct ibv_mr *mr = null_open();
	struct ibv_sge sge = { .addr = FAR, .length = LENGTH };
	struct ibv_sge from = { (uintptr_t)own->peer_memory, LENGTH, own->peer_mr->lkey };
	struct ibv_recv_wr *bad_recv, receive = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr *bad, send = {
		.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc;

	if (!mr)
		return;
	sge.lkey = mr->lkey;
	memset(own->memory, 'm', OWN_BYTES);
	memset(own->peer_memory, 'p', OWN_BYTES);
	check_is(moves(own, IBV_WR_RDMA_READ, &sge, 1), IBV_WC_SUCCESS, "READ");
	check(!ibv_post_recv(own->qp, &receive, &bad_recv) &&
	      !ibv_post_send(own->peer, &send, &bad), "post");
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "receive");
	check(wc.byte_len == LENGTH, "%u bytes", wc.byte_len);
	check_is(end_wait(own->peer_cq, &wc), IBV_WC_SUCCESS, "SEND");
	check(is_all(own->memory, 'm', OWN_BYTES), "memory of the program");
	/* Nothing of it is read again. */
	check_is(moves(own, IBV_WR_RDMA_WRITE, &sge, 1), IBV_WC_SUCCESS, "WRITE");
	check(is_all(own->peer_memory, 0, LENGTH), "the next WRITE");
	check(!ibv_dereg_mr(mr), "deregister");
}

/* The data between, and zeros around them; and only the data between. */
OWN_TEST(provider_null_lists, "V5", "a null region as one element of several")
{
	struct ibv_mr *mr = null_open();
	struct ibv_sge sge[] = {
		{ FAR, 100, 0 },
		{ (uintptr_t)own->memory, 8, own->mr->lkey },
		{ 0, MEM_PAGE, 0 },
	};

	if (!mr)
		return;
	sge[0].lkey = sge[2].lkey = mr->lkey;
	memset(own->memory, 'm', OWN_BYTES);
	memset(own->peer_memory, 'p', OWN_BYTES);
	check_is(moves(own, IBV_WR_RDMA_WRITE, sge, 3), IBV_WC_SUCCESS, "WRITE");
	check(is_all(own->peer_memory, 0, 100) && is_all(own->peer_memory + 100, 'm', 8) &&
	      is_all(own->peer_memory + 108, 0, MEM_PAGE) &&
	      own->peer_memory[108 + MEM_PAGE] == 'p', "what was sent");
	memcpy(own->peer_memory + 100, "the data", 8);
	check_is(moves(own, IBV_WR_RDMA_READ, sge, 3), IBV_WC_SUCCESS, "READ");
	check(!memcmp(own->memory, "the data", 8) && is_all(own->memory + 8, 'm', OWN_BYTES - 8),
	      "what was received");
	check(!ibv_dereg_mr(mr), "deregister");
}

/* A peer names the key that the region would have. */
static void peer_refused(struct own *own, enum ibv_wr_opcode opcode, uint32_t rkey,
			 const char *what)
{
	struct ibv_sge sge = { (uintptr_t)own->peer_memory, 8, own->peer_mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = FAR & ~7ull, .rkey = rkey },
	};
	struct ibv_wc wc;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = FAR & ~7ull;
		wr.wr.atomic.rkey = rkey;
	}
	check(!ibv_post_send(own->peer, &wr, &bad), "post");
	check_is(end_wait(own->peer_cq, &wc), IBV_WC_REM_ACCESS_ERR, "%s", what);
	own_again(own);
}

/* A local access that ends the connection. */
static void refused(struct own *own, uint64_t at, uint32_t lkey, const char *what)
{
	struct ibv_sge sge = { at, 8, lkey };

	memset(own->peer_memory, 'p', 8);
	check_is(moves(own, IBV_WR_RDMA_WRITE, &sge, 1), IBV_WC_LOC_PROT_ERR, "%s", what);
	check(is_all(own->peer_memory, 'p', 8), "%s: something was sent", what);
	own_again(own);
}

static void other_domain(struct own *own, uint32_t lkey)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = own->cq, .recv_cq = own->cq,
	};
	struct ibv_qp *qp = own_qp(own->pd2, &init), *first = own->qp;

	if (!qp)
		return;
	own->qp = qp;
	own_again(own);
	refused(own, FAR, lkey, "another domain");
	check(!ibv_destroy_qp(qp), "queue pair");
	own->qp = first;
	own_again(own);
}

OWN_TEST(provider_null_refused, "V5", "a null region gives no right to peers, or beyond its domain")
{
	struct ibv_mr *mr = null_open();
	struct ibv_sge sge = { FAR, MEM_PAGE, 0 };
	struct ibv_mw *mw = ibv_alloc_mw(xr_end.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = mr, .addr = FAR, .length = 64,
			       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};
	struct ibv_wc wc;
	uint32_t lkey;

	if (!mr || !check(mw, "window"))
		return;
	sge.lkey = lkey = mr->lkey;
	check(!mr->rkey && mr->length == SIZE_MAX, "rkey %#x, length %#zx", mr->rkey, mr->length);
	peer_refused(own, IBV_WR_RDMA_WRITE, lkey, "WRITE of a peer");
	peer_refused(own, IBV_WR_RDMA_READ, lkey, "READ of a peer");
	peer_refused(own, IBV_WR_ATOMIC_FETCH_AND_ADD, lkey, "FETCH_ADD of a peer");
	refused(own, UINT64_MAX - 3, lkey, "beyond the last address");
	refused(own, FAR, lkey ^ 1, "another key");
	other_domain(own, lkey);
	check(!ibv_bind_mw(own->qp, mw, &bind), "post a bind");
	check_is(end_wait(own->cq, &wc), IBV_WC_MW_BIND_ERR, "bind");
	own_again(own);
	check(ibv_advise_mr(xr_end.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH,
			    &sge, 1) == EOPNOTSUPP, "advice");
	check(!ibv_dereg_mr(mr) && !ibv_dealloc_mw(mw), "destroy");
	refused(own, FAR, lkey, "deregistered");
}

/* Registration by a command, with what no library says. Return: 0 or an errno. */
static int command(uint32_t flags, uint32_t reserved, uint64_t start, uint64_t length,
		   uint32_t access)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_reg_mr arg;
		struct xroce_reg_mr_cmd xroce;
	} cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_REG_MR,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.arg = {
			.response = (uintptr_t)&resp, .start = start, .hca_va = start,
			.length = length, .pd_handle = xr_end.pd->handle, .access_flags = access,
		},
		.xroce = { .flags = flags, .reserved = reserved },
	};

	return write(xr_end.ctx->cmd_fd, &cmd, sizeof(cmd)) == sizeof(cmd) ? 0 : errno;
}

OWN_TEST(provider_null_wrong, "V5", "what a null region cannot have")
{
	const uint64_t at = (uintptr_t)own->memory;

	check_is(command(XROCE_REG_MR_NULL << 1, 0, at, 8, 1), EINVAL, "an unknown flag");
	check_is(command(0, 1, at, 8, 1), EINVAL, "a reserved word");
	check_is(command(XROCE_REG_MR_NULL, 0, at, 0, 1), EINVAL, "an address");
	check_is(command(XROCE_REG_MR_NULL, 0, 0, 8, 1), EINVAL, "a length");
	check_is(command(XROCE_REG_MR_NULL, 0, 0, 0, 0), EINVAL, "no local write");
	check_is(command(XROCE_REG_MR_NULL, 0, 0, 0, IBV_ACCESS_LOCAL_WRITE |
			 IBV_ACCESS_REMOTE_READ), EINVAL, "a remote right");
	check_is(command(XROCE_REG_MR_NULL, 0, 0, 0, IBV_ACCESS_LOCAL_WRITE |
			 IBV_ACCESS_ON_DEMAND), EINVAL, "on demand");
}

/* Let each user have @most regions of the link; XROCE_LIMIT_NONE: any number. */
static void allow(uint64_t most)
{
	int fd = open(XROCE_DEV_PATH, O_RDWR | O_CLOEXEC);
	struct xroce_link_query link = { .size = sizeof(link), .flags = XROCE_F_NEXT };
	struct xroce_limit_set limit = {
		.size = sizeof(limit), .flags = XROCE_F_USER, .mask = 1u << XROCE_COUNT_MR,
	};

	check(!live_ioctl(fd, XROCE_CMD_LINK_QUERY, &link), "LINK_QUERY");
	limit.link = link.link;
	limit.limit[XROCE_COUNT_MR] = most;
	check(!live_ioctl(fd, XROCE_CMD_LIMIT_SET, &limit), "LIMIT_SET");
	close(fd);
}

/* As a user with that limit. Return: exit status. */
static int limited(void)
{
	struct ibv_mr *mr[REGIONS + 1];
	struct verbs_end end;
	unsigned int n;

	live_drop_cap(CAP_NET_ADMIN);
	if (!check(!setresuid(NOBODY, -1, -1), "setresuid: %s", strerror(errno)) ||
	    !end_open(&end, "xr0", "10.77.0.2"))
		return 1;
	for (n = 0; n <= REGIONS; n++) {
		errno = 0;
		mr[n] = ibv_alloc_null_mr(end.pd);
		if (!mr[n])
			break;
	}
	check(n == REGIONS && errno == EDQUOT, "%u regions: %s", n, strerror(errno));
	check(!ibv_dereg_mr(mr[0]) && ibv_alloc_null_mr(end.pd), "again: %s", strerror(errno));
	fflush(stdout);
	return test_failed();
}

OWN_TEST(provider_null_limited, "V5 R10", "null regions count as regions of their user")
{
	int status = -1;
	pid_t pid;

	allow(REGIONS);
	pid = fork();
	if (!pid)
		_exit(limited());
	check(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "the user: %#x", status);
	allow(XROCE_LIMIT_NONE);
}

TEST_MAIN(harness_main);
