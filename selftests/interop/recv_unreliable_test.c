// SPDX-License-Identifier: GPL-2.0-only
/*
 * SENDs over unreliable services are received, or dropped silently without affecting later
 * ones. Run by recv.sh.
 */
#include <string.h>

#include <arpa/inet.h>

#include "harness.h"
#include "receiver.h"

/*
 * Send over an unreliable service, and wait until @packets have arrived: the client's
 * completion does not tell.
 */
static void arrives(struct receiver *r, struct ibv_send_wr wr, uint32_t len,
		    uint32_t packets)
{
	struct xroce_stat before, after;

	counters_read(server.stat, &before);
	receiver_must(r, wr, len);
	counters_settled(server.stat, &before, packets, &after);
}

TEST(uc_send, "D2 D5", "SENDs over UC")
{
	static const uint32_t lens[] = { 0, 1, 1024, 1025, 50001 };
	struct receiver_opts opts = receiver_rc;
	struct xroce_cqe want;
	struct receiver r;
	size_t i;

	opts.type = IBV_QPT_UC;
	if (!receiver_open(&r, &opts))
		return;
	/*
	 * Dropped because there is no receive, or a receive that is too small; later SENDs
	 * work.
	 */
	arrives(&r, receiver_send, 10, 1);
	receiver_recv(r.rq, 0, 0, 1500);
	arrives(&r, receiver_send, 1501, 2);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		if (lens[i] > 1025)
			receiver_recv(r.rq, i, 0, lens[i]);
		else if (i)
			receiver_recv(r.rq, i, 0, 1500);
		want = receiver_cqe(&r, i, lens[i]);
		if (!receiver_must(&r, receiver_send, lens[i]) ||
		    !receiver_completes(&r, &want))
			break;
		check(!memcmp(receiver_buf, sender_buf, lens[i]), "bytes");
		receiver_untouched(0, lens[i]);
	}
	check(receiver_query(&r).state == XROCE_QPS_RTR, "state");
	receiver_close(&r);
}

/* The GRH area: addresses are at the end of its 40 bytes. */
static void compare_grh(bool ipv6)
{
	static const uint8_t nothing[20];
	uint8_t addr[32] = {};

	if (ipv6) {
		inet_pton(AF_INET6, "fd77::1", addr);
		inet_pton(AF_INET6, "fd77::2", addr + 16);
		check(receiver_buf[0] >> 4 == 6 && receiver_buf[6] == 17 &&
		      !memcmp(receiver_buf + 8, addr, 32), "no IPv6 header");
	} else {
		inet_pton(AF_INET, "10.77.0.1", addr);
		inet_pton(AF_INET, "10.77.0.2", addr + 4);
		check(!memcmp(receiver_buf, nothing, 20) &&
		      receiver_buf[20] == 0x45 && receiver_buf[29] == 17 &&
		      !memcmp(receiver_buf + 32, addr, 8), "no IPv4 header");
	}
}

static void datagrams(bool ipv6)
{
	struct ibv_send_wr imm = {
		.opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htonl(77),
	};
	struct ibv_send_wr bad_key = {
		.opcode = IBV_WR_SEND,
		.wr.ud.remote_qkey = RECEIVER_QKEY ^ 1,
	};
	static const uint32_t lens[] = { 0, 1, 63, 1024, 4096 };
	struct receiver_opts opts = receiver_rc;
	struct xroce_cqe cqe, want;
	struct xroce_stat before, after;
	struct receiver r;
	size_t i;

	opts.type = IBV_QPT_UD;
	opts.ipv6 = ipv6;
	if (!receiver_open(&r, &opts))
		return;
	counters_read(server.stat, &before);
	arrives(&r, bad_key, 10, 1);
	arrives(&r, receiver_send, 10, 1);		/* no receive */
	receiver_recv(r.rq, 0, 0, 50);
	arrives(&r, receiver_send, 11, 1);		/* no room for 51 */
	receiver_none(&r);
	counters_read(server.stat, &after);
	check(after.drop_qkey - before.drop_qkey == 1 &&
	      after.drop_recv - before.drop_recv == 1 &&
	      after.inv_length - before.inv_length == 1, "dropped %llu %llu %llu",
	      after.drop_qkey - before.drop_qkey,
	      after.drop_recv - before.drop_recv,
	      after.inv_length - before.inv_length);
	receiver_must(&r, receiver_send, 10);
	receiver_wait(&r, &cqe);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		receiver_fill();
		receiver_recv(r.rq, i, 0, 40 + lens[i]);
		want = receiver_cqe(&r, i, 40 + lens[i]);
		want.flags = XROCE_WC_GRH | XROCE_WC_WITH_IMM | (ipv6 ? XROCE_WC_IPV6 : 0);
		want.imm_or_key = htonl(77);
		if (!receiver_must(&r, imm, lens[i]) ||
		    !receiver_completes(&r, &want))
			break;
		compare_grh(ipv6);
		check(!memcmp(receiver_buf + 40, sender_buf, lens[i]), "bytes");
		receiver_untouched(0, 40 + lens[i]);
	}
	receiver_close(&r);
}

TEST(ud_ipv4, "D2 D5", "UD datagrams over IPv4") { datagrams(false); }
TEST(ud_ipv6, "D2 D5", "UD datagrams over IPv6") { datagrams(true); }

TEST_MAIN(connection_main);
