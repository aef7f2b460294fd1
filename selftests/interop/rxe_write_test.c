// SPDX-License-Identifier: GPL-2.0-only
/*
 * rxe writes to a region and reads from it; every byte is compared with the file that the
 * region is over. Run by rxe_write.sh.
 */
#include <string.h>

#include "connection.h"
#include "counters.h"
#include "harness.h"

static void write_patterns(enum ibv_mtu mtu, bool ipv6)
{
	uint32_t m = 128u << mtu;
	const uint32_t lens[] = {
		0, 1, 2, 3, 4, 7, 64, 255, m - 1, m, m + 1, 2 * m, 2 * m + 3,
		4095, 4096, 4097, 7 * m - 1, 65536, 100001,
	};
	struct xroce_stat before, delta = {};
	struct connection pair;
	size_t i;

	if (!connection_setup() || !connection_open(&pair, mtu, RIGHT, ipv6))
		return;
	counters_read(server.stat, &before);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		connection_write(&pair, 0, lens[i], &delta);
		connection_write(&pair, 4096 - 0x235 - 1, lens[i], &delta);
		connection_write(&pair, 12345 + 17 * i, lens[i], &delta);
		connection_write(&pair, REGION_LEN - lens[i], lens[i], &delta);
	}
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

TEST(mtu_256, "D1 D2 D4 R1", "WRITE: any size at any offset")
{
	write_patterns(IBV_MTU_256, false);
}

TEST(mtu_512, "D1 D2 D4 R1", "WRITE: any size at any offset")
{
	write_patterns(IBV_MTU_512, false);
}

TEST(mtu_1024, "D1 D2 D4 R1", "WRITE: any size at any offset")
{
	write_patterns(IBV_MTU_1024, false);
}

TEST(mtu_2048, "D1 D2 D4 R1", "WRITE: any size at any offset")
{
	write_patterns(IBV_MTU_2048, false);
}

TEST(mtu_4096, "D1 D2 D4 R1", "WRITE: any size at any offset")
{
	write_patterns(IBV_MTU_4096, false);
}

TEST(ipv6_1024, "D1 D2 D4", "WRITE over IPv6") { write_patterns(IBV_MTU_1024, true); }
TEST(ipv6_4096, "D1 D2 D4", "WRITE over IPv6") { write_patterns(IBV_MTU_4096, true); }

static void read_at(struct connection *pair, uint32_t off, uint32_t len,
		    struct xroce_stat *delta)
{
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_READ,
		.off = 64 + off % 64,		/* any alignment of the buffer */
		.len = len,
		.va = IOVA + off,
		.rkey = server.mr.rkey,
	};
	const uint8_t *want = server.want + REGION_OFF + off;
	uint8_t *got = client.buf + op.off;
	uint32_t i, end = op.off + len;
	int status;

	memset(client.buf, 0xa5, end + 64);
	status = requester_do(&client, pair->qp, &op);
	if (!check(status == IBV_WC_SUCCESS, "%u bytes at %#x: %s", len, off,
		   status < 0 ? "no completion" : ibv_wc_status_str(status)))
		return;
	for (i = 0; i < len && got[i] == want[i]; i++)
		;
	check(i == len, "%u bytes at %#x: byte %u is %#x, not %#x", len, off,
	      i, got[i], want[i]);
	for (i = 0; i < 64; i++)
		check(client.buf[i] == 0xa5 && client.buf[end + i] == 0xa5,
		      "%u bytes at %#x: bytes beside them", len, off);
	connection_compare("after a READ");
	delta->read++;
	delta->read_bytes += len;
}

static void read_patterns(enum ibv_mtu mtu, bool ipv6)
{
	uint32_t m = 128u << mtu;
	const uint32_t lens[] = {
		0, 1, 2, 3, 4, 7, 28, 29, 64, 255, m - 1, m, m + 1, 2 * m,
		2 * m + 3, 4095, 4096, 4097, 7 * m - 1, 65536, 100001,
	};
	struct xroce_stat before, delta = {};
	struct connection pair;
	size_t i;

	if (!connection_setup() || !connection_open(&pair, mtu, RIGHTS, ipv6))
		return;
	counters_read(server.stat, &before);
	for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++) {
		read_at(&pair, 0, lens[i], &delta);
		read_at(&pair, 4096 - 0x235 - 1, lens[i], &delta);
		read_at(&pair, 12345 + 17 * i, lens[i], &delta);
		read_at(&pair, REGION_LEN - lens[i], lens[i], &delta);
	}
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

TEST(read_256, "D1 D2 D4 R1", "READ: any size at any offset") { read_patterns(IBV_MTU_256, false); }

TEST(read_1024, "D1 D2 D4 R1", "READ: any size at any offset")
{
	read_patterns(IBV_MTU_1024, false);
}

TEST(read_4096, "D1 D2 D4 R1", "READ: any size at any offset")
{
	read_patterns(IBV_MTU_4096, false);
}

TEST(read_ipv6, "D1 D2 D4", "READ over IPv6") { read_patterns(IBV_MTU_2048, true); }

TEST(whole_region, "D2 R1", "the whole region in one WRITE")
{
	struct xroce_stat before, delta = {};
	struct requester_op op = {
		.opcode = IBV_WR_RDMA_WRITE,
		.len = REGION_LEN,
		.va = IOVA,
	};
	struct connection pair;

	if (!connection_setup() ||
	    !connection_open(&pair, IBV_MTU_1024, RIGHT, false))
		return;
	op.rkey = server.mr.rkey;
	counters_read(server.stat, &before);
	connection_fill(&op);
	check(requester_do(&client, pair.qp, &op) == IBV_WC_SUCCESS, "the WRITE");
	connection_compare("after a WRITE of all");
	delta.write = connection_packets(REGION_LEN, pair.mtu);
	delta.write_bytes = REGION_LEN;
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

/* Many overlapping WRITEs in flight: the bytes of the last one remain. */
TEST(in_flight, "D2 D5", "64 WRITEs in flight are executed in order")
{
	struct xroce_stat before, delta = {};
	struct connection pair;
	uint32_t i, posted = 0;

	if (!connection_setup() ||
	    !connection_open(&pair, IBV_MTU_2048, RIGHT, false))
		return;
	counters_read(server.stat, &before);
	for (i = 0; i < REQUESTER_DEPTH && !test_failed(); i++) {
		struct requester_op op = {
			.opcode = IBV_WR_RDMA_WRITE,
			.off = i * 5000,
			.len = 4999 - i,
			.va = IOVA + i * 1111,
			.rkey = server.mr.rkey,
		};

		connection_fill(&op);
		posted += requester_post(&client, pair.qp, &op);
		delta.write += connection_packets(op.len, pair.mtu);
		delta.write_bytes += op.len;
	}
	while (posted--)
		check(requester_wait(&client) == IBV_WC_SUCCESS, "%u to come",
		      posted);
	connection_compare("after all of them");
	connection_moved(&before, &delta, false);
	connection_close(&pair);
}

TEST_MAIN(connection_main);
