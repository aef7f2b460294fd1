// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include <sys/mman.h>

#include "verbs_side.h"

#define RD_ATOMIC	8
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | WINDOW_FLUSH)

bool side_open(struct side *s, const char *dev, const char *ip, size_t size, uint32_t qps)
{
	if (!end_open(&s->end, dev, ip) || !notice_open(&s->notice, s->end.ctx))
		return false;
	s->rxe = !strncmp(dev, "rxe", 3);
	s->size = size;
	s->buf = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!check(s->buf != MAP_FAILED, "no memory"))
		return false;
	s->mr = ibv_reg_mr(s->end.pd, s->buf, size, ACCESS | IBV_ACCESS_MW_BIND);
	s->cq = ibv_create_cq(s->end.ctx, qps * (SIDE_SENDS + SIDE_RECEIVES), NULL,
			      s->notice.channel, 0);
	s->notice.cq = s->cq;
	return check(s->mr && s->cq, "%s: %s", dev, strerror(errno));
}

void side_close(struct side *s)
{
	notice_quiet(&s->notice);
	check(!s->cq || !ibv_destroy_cq(s->cq), "completion queue");
	notice_close(&s->notice);
	check(!s->mr || !ibv_dereg_mr(s->mr), "region");
	if (s->buf)
		munmap(s->buf, s->size);
	end_close(&s->end);
	*s = (struct side){};
}

bool side_qp(struct side *s, struct post_way *way)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.cap = { .max_send_wr = SIDE_SENDS, .max_send_sge = REQUEST_SGE,
			 .max_recv_wr = SIDE_RECEIVES, .max_recv_sge = 2,
			 .max_inline_data = REQUEST_INLINE },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = s->end.pd,
		.send_ops_flags = POST_OPS,
	};

	ring_forget();
	way->qp = ibv_create_qp_ex(s->end.ctx, &init);
	if (!check(way->qp, "create a queue pair: %s", strerror(errno)))
		return false;
	way->ex = ibv_qp_to_qp_ex(way->qp);
	way->mr = s->mr;
	/* Only xroce gives a ring as many slots as it grants requests, and one more. */
	return s->rxe || ring_new(&way->ring, init.cap.max_send_wr + 1);
}

static int to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = ACCESS,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					IBV_QP_ACCESS_FLAGS);
}

static int to_rtr(struct ibv_qp *qp, const struct side *own, const struct side *peer,
		  uint32_t peer_qpn, enum ibv_mtu mtu)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = peer_qpn,
		.rq_psn = END_PSN,
		.max_dest_rd_atomic = RD_ATOMIC,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = own->end.gid_index, .hop_limit = 64,
				      .dgid = peer->end.gid } },
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ibv_qp *qp, const struct side_path *path)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = END_PSN,
		.timeout = path->timeout,
		.retry_cnt = path->retry,
		.rnr_retry = 7,
		.max_rd_atomic = RD_ATOMIC,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
					IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					IBV_QP_MAX_QP_RD_ATOMIC);
}

int side_connect(const struct side *a, struct ibv_qp *a_qp, const struct side *b,
		 struct ibv_qp *b_qp, const struct side_path *path)
{
	return to_init(a_qp) ?: to_init(b_qp) ?:
	       to_rtr(a_qp, a, b, b_qp->qp_num, path->mtu) ?:
	       to_rtr(b_qp, b, a, a_qp->qp_num, path->mtu) ?:
	       to_rts(a_qp, path) ?: to_rts(b_qp, path);
}
