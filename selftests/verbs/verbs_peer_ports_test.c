// SPDX-License-Identifier: GPL-2.0-only
/*
 * The UDP source ports of requests, on a link with as many paths as it has: with one, all are that
 * of the queue pair.
 */
#include "live.h"

#include "verbs_peer.h"

#define CHUNK	16u		/* PSNs with the same port */
#define BASE	0xc000u		/* of the range of ports */
#define BURST	60u		/* SENDs of a packet each, at a time */
#define TRY	128u		/* packets after which two change places */

/* Number of paths of the link, which is the only one, in another namespace. */
static uint32_t paths(void)
{
	struct xroce_link_query q = { .flags = XROCE_F_NEXT };

	check(!xroce_link_query(&q), "the link");
	return q.paths ? : 1;
}

/* The port of the packet with number @n, which has been sent @again times before. */
static uint16_t port_of(uint32_t n, uint32_t again)
{
	uint32_t psn = (PEER_PSN + n) & XROCE_PSN_MASK;
	uint32_t i = (psn / CHUNK + again) % paths();

	return BASE | ((peer_map().sport + i) & (UINT16_MAX - BASE));
}

/* Take a request, with this number and port. */
static void comes(uint32_t n, uint16_t port)
{
	struct packet got;

	if (!peer_take(&got))
		return;
	check(got.psn == ((PEER_PSN + n) & XROCE_PSN_MASK) && got.sport == port,
	      "PSN %#x from port %#x; not %#x from %#x", got.psn, got.sport,
	      (PEER_PSN + n) & XROCE_PSN_MASK, port);
}

/* Post SENDs, whose first packet has number @n. */
static void post(uint32_t n, uint32_t count)
{
	peer_post_many(n + 1, IBV_WR_SEND, 4, count);
}

/* All packets up to number @n, @count of them, are acknowledged. */
static void done(uint32_t n, uint32_t count)
{
	uint32_t i;

	peer_ack(n);
	for (i = n + 1 - count; i <= n && !test_failed(); i++)
		peer_completes(i + 1, IBV_WC_SUCCESS);
}

/* SENDs from number @n on, each from the port of its chunk if @divided, otherwise from one. */
static void burst(uint32_t n, bool divided)
{
	uint32_t i;

	post(n, BURST);
	for (i = n; i < n + BURST && !test_failed(); i++)
		comes(i, divided ? port_of(i, 0) : peer_map().sport);
	done(n + BURST - 1, BURST);
}

PEER_TEST(ports_chunks, "Q1", "to a peer that keeps packets: a port for 16 PSNs, all paths in turn")
{
	peer_keep();
	burst(3, true);
	burst(3 + BURST, true);
}

PEER_TEST(ports_again, "Q1 Q3", "what is sent again has the next port, and then the one behind")
{
	uint32_t n;

	peer_keep();
	post(3, 5);
	for (n = 3; n < 8; n++)
		comes(n, port_of(n, 0));
	peer_sack(3, 3, 1 << 1 | 1 << 4);
	comes(3, port_of(3, 1));
	comes(5, port_of(5, 1));
	/* What is behind both has come: they have been lost once more. */
	post(8, 1);
	comes(8, port_of(8, 0));
	peer_sack(3, 6, 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5);
	comes(3, port_of(3, 2));
	comes(5, port_of(5, 2));
	done(8, 6);
}

PEER_TEST(ports_unknown, "Q1", "as long as nothing is known of the peer: one port")
{
	burst(0, false);
	burst(BURST, false);
}

PEER_TEST(ports_discards, "Q1 Q3", "to a peer that keeps nothing: one port")
{
	uint32_t n;

	post(0, 4);
	for (n = 0; n < 4; n++)
		comes(n, peer_map().sport);
	peer_nak(XROCE_SYN_NAK_SEQ, 0);
	comes(0, peer_map().sport);
	peer_ack(0);
	peer_completes(1, IBV_WC_SUCCESS);
	for (n = 1; n < 4; n++)
		comes(n, peer_map().sport);
	done(3, 3);
	burst(4, false);
	burst(4 + BURST, false);
	burst(4 + 2 * BURST, false);
}

/* Take @count requests from number @n on. Return: the first of two that changed places, or 0. */
static uint32_t changed(uint32_t n, uint32_t count)
{
	uint32_t i, first = 0;
	struct packet got;
	int32_t ahead;

	for (i = n; i < n + count && peer_take(&got); i++) {
		ahead = (got.psn - PEER_PSN - i) & XROCE_PSN_MASK;
		check(got.sport == peer_map().sport, "port %#x", got.sport);
		if (ahead == 1 && !first)
			first = i;
		else if (ahead)
			check(first && i == first + 1, "number %u is PSN %#x", i, got.psn);
	}
	return first;
}

/* The first two bursts, and a third one. Return: as changed(). */
static uint32_t three(void)
{
	burst(0, false);
	burst(BURST, false);
	post(2 * BURST, BURST);
	return changed(2 * BURST, BURST);
}

PEER_TEST(ports_tried, "Q1 Q3", "two packets change places, and a peer that keeps them is known")
{
	uint32_t first = three(), n = 3 * BURST;

	if (paths() == 1) {
		check(!first, "number %u changed places", first);
		return done(n - 1, BURST);
	}
	if (!check(first >= TRY - 2 && first < n, "number %u changed places", first))
		return;
	peer_nak(XROCE_SYN_NAK_SEQ, first);
	comes(first, peer_map().sport);
	done(n - 1, BURST);
	burst(n, true);
}

static const struct peer_opts once_opts = { .reads = 4 };

PEER_TEST_OPTS(ports_once, "Q1 Q3", "not on a connection without a second attempt", &once_opts)
{
	check(!three(), "two packets changed places");
	done(3 * BURST - 1, BURST);
}

TEST_MAIN(harness_main);
