// SPDX-License-Identifier: GPL-2.0-only
/*
 * The doorbell of xroce's own provider is a file of the program's: what may be asked of it, of
 * which queue pairs, and for how long.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "uapi/rdma/xroce-abi.h"

#include "provider_end.h"

static int ring(int fd, off_t qpn)
{
	return lseek(fd, qpn, XROCE_DOORBELL_SEND) ? errno : 0;
}

OWN_TEST(provider_doorbell, "V5 U3", "a doorbell names queue pairs of its context only")
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_RC };
	struct verbs_end other = {};
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	char byte[1] = "";
	int kept, whence;

	check_is(ring(own->doorbell, own->qp->qp_num), 0, "nothing is posted");
	check_is(ring(own->doorbell, own->peer->qp_num), ENOENT, "a number of the peer");
	check_is(ring(own->doorbell, 0), ENOENT, "0");
	check_is(ring(own->doorbell, 1), ENOENT, "that of the connection manager");
	check_is(ring(own->doorbell, own->qp->qp_num + (1l << 32)), ENOENT, "beyond 32 bits");
	check_is(ring(own->doorbell, -(off_t)own->qp->qp_num), ENOENT, "below 0");
	for (whence = -1; whence < 8; whence++)
		if (whence != XROCE_DOORBELL_SEND)
			check(lseek(own->doorbell, own->qp->qp_num, whence) < 0 && errno == EINVAL,
			      "command %d: %d", whence, errno);
	check(ioctl(own->doorbell, _IO(0xbd, 0), 0ul) && errno == ENOTTY, "an ioctl: %d", errno);
	check(read(own->doorbell, byte, 1) < 0 && errno == EINVAL, "a read: %d", errno);
	check(write(own->doorbell, byte, 1) < 0 && errno == EINVAL, "a write: %d", errno);
	check(fcntl(own->doorbell, F_GETFD) & FD_CLOEXEC, "closed on exec");
	if (!end_open(&other, "xr0", "10.77.0.2"))
		return;
	cq = ibv_create_cq(other.ctx, 16, NULL, NULL, 0);
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = cq ? own_qp(other.pd, &init) : NULL;
	if (check(qp, "another context: %s", strerror(errno))) {
		check_is(ring(own->doorbell, qp->qp_num), ENOENT, "of another context");
		kept = own_doorbell(other.ctx);
		check_is(ring(kept, qp->qp_num), EINVAL, "in RESET");
		check_is(ring(kept, own->qp->qp_num), ENOENT, "the other way round");
		kept = dup(kept);
		check(!ibv_destroy_qp(qp), "destroy");
		check_is(ring(kept, qp->qp_num), ENOENT, "destroyed");
		check(!ibv_destroy_cq(cq), "destroy");
		end_close(&other);
		check_is(ring(kept, own->qp->qp_num), ENODEV, "the context is closed");
		close(kept);
	}
	check_is(ring(own->doorbell, own->qp->qp_num), 0, "the first is as before");
}

/* A descriptor that is another file's by now has a position, which the program is not told of. */
OWN_TEST(provider_doorbell_lost, "V5", "the program has closed the doorbell")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	int kept = fcntl(own->doorbell, F_DUPFD_CLOEXEC, 0), other = memfd_create("other", 0);

	check(kept >= 0 && dup2(other, own->doorbell) == own->doorbell, "%s", strerror(errno));
	check_is(ibv_post_send(own->qp, &wr, &bad), EBADF, "a file");
	close(own->doorbell);
	check_is(ibv_post_send(own->qp, &wr, &bad), EBADF, "none");
	own_mend(own->doorbell, kept);
	close(other);
}

/* What a child rings is executed for its parent, as with the file of the context. */
OWN_TEST(provider_doorbell_fork, "V5 U3", "a child has its parent's doorbell")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge), *bad;
	struct ibv_wc wc;
	int kept, status;
	pid_t pid;

	memset(own->memory, 'f', OWN_BYTES);
	kept = own_cut(own->doorbell);
	check(ibv_post_send(own->qp, &wr, &bad), "the doorbell is cut");
	own_mend(own->doorbell, kept);
	check_is(ibv_poll_cq(own->cq, 1, &wc), 0, "nothing is executed");
	pid = fork();
	if (!pid)
		_exit(ring(own->doorbell, own->qp->qp_num));
	check(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "the child: %d", status);
	check_is(end_wait(own->cq, &wc), IBV_WC_SUCCESS, "a WRITE");
	check(own->peer_memory[0] == 'f', "its bytes");
}

TEST_MAIN(harness_main);
