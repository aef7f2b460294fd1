// SPDX-License-Identifier: GPL-2.0-only
/* The device goes while a program with xroce's own provider uses it. provider.sh makes it again. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "uapi/rdma/xroce-abi.h"

#include "live.h"
#include "provider_end.h"

static bool is_gone(void *fd)
{
	return lseek(*(int *)fd, 0, XROCE_DOORBELL_SEND) < 0 && errno == ENODEV;
}

OWN_TEST(provider_gone, "V5 U3", "the device goes: calls fail, and nothing is sent")
{
	struct ibv_sge sge = { (uintptr_t)own->memory, 8, own->mr->lkey };
	struct ibv_send_wr *bad, wr = own_wr(own, IBV_WR_RDMA_WRITE, &sge);
	int kept = dup(own->doorbell);
	struct ibv_wc wc;

	*own->memory = 'g';
	check(!system("nsenter --net=/run/netns/xr rdma link delete xr0"), "rdma link delete");
	check(live_wait(is_gone, &kept), "the doorbell answers");
	check_is(ibv_post_send(own->qp, &wr, &bad), ENODEV, "post");
	check_is(ibv_poll_cq(own->cq, 1, &wc), 0, "a completion");
	check(!ibv_req_notify_cq(own->cq, 0), "arm: a word in memory that nobody reads");
	check(*own->peer_memory != 'g', "it was sent");
	errno = 0;
	check(!ibv_alloc_pd(xr_end.ctx) && errno == EIO, "a command: %d", errno);
	close(kept);
}

TEST_MAIN(harness_main);
