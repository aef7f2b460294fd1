// SPDX-License-Identifier: GPL-2.0-only
/*
 * WRITEs in frames of two buffers, as those of more than 3520 bytes are on veth: wherever
 * the second buffer begins, the CRC covers each byte, and each is written to its place.
 */
#include <string.h>

#include <sys/socket.h>

#include "counters.h"
#include "wire.h"

#define FIRST		3520u	/* bytes in the first buffer, at most */
#define MTU		4096u
#define AROUND		80u

static bool open_wire(struct wire *w, bool ipv6)
{
	const struct wire_opts opts = { .ipv6 = ipv6, .mtu = XROCE_MTU_4096 };

	return wire_open(w, &opts);
}

static uint32_t headers(const struct wire *w)
{
	return 14 + (w->opts.ipv6 ? 40 : 20) + 8 + 12 + 16;
}

/* WRITE @len bytes at offset @off. Return: whether exactly these bytes were written. */
static bool writes(struct wire *w, uint32_t off, uint32_t len)
{
	struct packet ack = wire_response(w, XROCE_RC_ACK);
	uint32_t i;

	w->req.va = w->mr.iova + off;
	w->req.dmalen = len;
	w->req.payload = len;
	w->req.pad = -len & 3;
	w->req.pattern = 1 + len + off;
	memset(w->mem, 0, WIRE_BYTES);
	if (!wire_send(w))
		return false;
	ack.psn = w->req.psn;
	ack.syndrome = XROCE_SYN_ACK;
	ack.msn = (w->req.psn - WIRE_PSN + 1) & XROCE_PSN_MASK;
	wire_expect(w, &ack);
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	for (i = 0; i < len; i++)
		if (!check((uint8_t)w->mem[off + i] == packet_pattern(w->req.pattern, i),
			   "%u bytes: byte %u is wrong", len, i))
			return false;
	for (i = 0; i < WIRE_BYTES; i++)
		if (!check((i >= off && i < off + len) || !w->mem[i],
			   "%u bytes at %u: byte %u was written, too", len, off, i))
			return false;
	return !test_failed();
}

/* At the start of a page, and across the end of one; acknowledged in the frame or not. */
static void lengths(bool ipv6)
{
	struct xroce_stat before, now;
	uint32_t len, most, n = 0;
	struct wire w;

	if (!open_wire(&w, ipv6))
		return;
	before = live_stat();
	most = FIRST - headers(&w) + AROUND;
	for (len = most - 2 * AROUND; len <= MTU && !test_failed();
	     len += len < most ? 1 : 29, n += 2)
		if (!writes(&w, 0, len) || !writes(&w, 4095 - len % 64, len))
			break;
	writes(&w, 1, MTU);
	now = live_stat();
	check(test_failed() || (now.tx > before.tx && now.queued > before.queued &&
				now.ack - before.ack == n + 1),
	      "%llu of %u acknowledged, %llu in their frames, %llu not",
	      now.ack - before.ack, n + 1, now.tx - before.tx,
	      now.queued - before.queued);
	wire_close(&w);
}

TEST(divided_lengths, "D1 D4", "WRITEs that just fit the first buffer, and longer ones")
{
	lengths(false);
}

TEST(divided_lengths_ipv6, "D1 D4", "the same over IPv6") { lengths(true); }

/* With one bit flipped in any byte from the RETH on, nothing is written. */
TEST(divided_bits, "D4", "the CRC detects a flipped bit in each byte")
{
	struct xroce_stat before, now;
	static struct frame frame;
	struct wire w;
	uint32_t at;

	if (!open_wire(&w, false))
		return;
	w.req.va = w.mr.iova;
	w.req.dmalen = MTU;
	w.req.payload = MTU;
	packet_build(&w.req, &frame);
	before = live_stat();
	for (at = headers(&w) - 16; at < frame.end; at++) {
		frame.bytes[at] ^= 1 << at % 8;
		check(send(w.fd, frame.bytes, frame.len, 0) == (ssize_t)frame.len,
		      "send");
		frame.bytes[at] ^= 1 << at % 8;
	}
	w.req.icrc_flip = 1;
	wire_counted(&w, COUNTER(drop_icrc));
	w.req.icrc_flip = 0;
	wire_untouched(&w);
	now = live_stat();
	check(now.drop_icrc - before.drop_icrc == frame.end - headers(&w) + 16 + 1,
	      "%llu dropped for their CRC", now.drop_icrc - before.drop_icrc);
	check(now.write == before.write && now.ack == before.ack,
	      "%llu WRITEs, %llu ACKs", now.write - before.write,
	      now.ack - before.ack);
	writes(&w, 0, MTU);
	wire_close(&w);
}

TEST_MAIN(live_main);
