// SPDX-License-Identifier: GPL-2.0-only
/*
 * READs of one packet: header fields of their requests; bytes, pad and invariant CRC of
 * their responses, whichever way these are put into the frame (IBTA 9.4.4).
 */
#include <string.h>

#include <sys/socket.h>

#include "mem.h"
#include "wire.h"

static const struct wire_opts rc;

#define LENGTHS		260u	/* longer than all lengths with a path of their own */
#define LONG		1024u	/* longer than the room in some frames on veth */
#define LONGS		300u

/* READ @len bytes at offset @off. Return: whether the response has them. */
static bool reads(struct wire *w, uint32_t off, uint32_t len)
{
	static const char pad[4];
	struct packet got;
	struct frame frame;
	size_t data = WIRE_DATA_OFF + (w->opts.ipv6 ? 20 : 0);

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.va = w->mr.iova + off;
	w->req.dmalen = len;
	w->req.payload = 0;
	if (!wire_send(w) ||
	    !check(wire_take(w, WIRE_MS, &got, &frame), "%u bytes: no response", len))
		return false;
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	return check(got.opcode == XROCE_RC_READ_RESPONSE_ONLY &&
		     got.payload == len && got.pad == (-len & 3),
		     "opcode %#x, %u bytes, pad %u", got.opcode, got.payload, got.pad) &&
	       check(!memcmp(frame.bytes + data, w->mem + off, len) &&
		     !memcmp(frame.bytes + data + len, pad, -len & 3),
		     "%u bytes at %u: wrong data", len, off);
}

static void fill(char *mem)
{
	uint32_t i;

	for (i = 0; i < WIRE_BYTES; i++)
		mem[i] = 1 + i * 31 + i / 256;
}

/* Each length, from the start of a page, and across the end of one. */
static void lengths(const struct wire_opts *opts)
{
	struct wire w;
	uint32_t i;

	if (!wire_open(&w, opts))
		return;
	fill(w.mem);
	for (i = 1; i <= LENGTHS; i++)
		if (!reads(&w, 0, i) || !reads(&w, MEM_PAGE - 1 - i / 2, i))
			break;
	wire_close(&w);
}

TEST(response_lengths, "D2 D4", "all short lengths over IPv4, also across pages")
{
	static const struct wire_opts rc;

	lengths(&rc);
}

TEST(response_lengths_ipv6, "D1 D2 D4", "all short lengths over IPv6, also across pages")
{
	static const struct wire_opts rc6 = { .ipv6 = true };

	lengths(&rc6);
}

/* Responses without room in the frame are sent by the module, the others are not. */
WIRE_TEST(response_room, "D2 D5", "READs without room for the response in the frame", &rc)
{
	struct xroce_stat before, now;
	uint32_t i;

	fill(w->mem);
	before = live_stat();
	for (i = 0; i < LONGS; i++)
		if (!reads(w, i, LONG) || !reads(w, i, 1 + i % 64))
			break;
	now = live_stat();
	check(now.queued - before.queued <= LONGS, "%llu responses were queued",
	      now.queued - before.queued);
	check(now.read - before.read == 2 * LONGS, "%llu READs",
	      now.read - before.read);
}

/* Fields that a peer may choose, or routers may change, do not matter. */
WIRE_TEST(response_requests, "D1 D4", "any values of request fields that do not matter", &rc)
{
	struct packet was;
	uint32_t i;

	fill(w->mem);
	was = w->req;
	for (i = 0; i < 16 && !test_failed(); i++) {
		w->req.tos = i * 16;
		w->req.ttl = 255 - i;
		w->req.udp_csum = i * 0x1111;
		w->req.ip_id = i * 0x1357;
		w->req.frag = i % 2 ? PACKET_IP_DF : 0;
		w->req.sport = 0xc000 + i * 0x123;
		w->req.se = i & 2;
		w->req.mig = i & 4;
		w->req.ackreq = i & 8;
		/* Requests of a limited member take another path. */
		w->req.pkey = i % 5 ? was.pkey : was.pkey ^ 0x8000;
		reads(w, i * 8, 64);
	}
}

/* Whether routers may change the byte, or it is of the IPv4 header checksum. */
static bool varies(uint32_t at)
{
	return at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27 ||
	       at == 32;
}

/*
 * Every other bit matters. Only the invariant CRC detects changes of these: 16 of the
 * identification, 2 of the flags of IPv4, 16 of the port, 4 of the flags of the BTH, the
 * membership bit of the P_Key, 32 of PSN and AckReq, 128 of the RETH, the CRC's own 32.
 */
WIRE_TEST(response_bits, "D4", "a flipped bit in any other field of a request", &rc)
{
	struct xroce_stat before, now;
	static struct frame frame;
	uint32_t i, at, sum;

	fill(w->mem);
	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.va = w->mr.iova;
	w->req.dmalen = 64;
	w->req.payload = 0;
	packet_build(&w->req, &frame);
	before = live_stat();
	for (i = 0; i < 8 * (frame.end - frame.l3); i++) {
		at = frame.l3 + i / 8;
		if (varies(i / 8))
			continue;
		frame.bytes[at] ^= 1 << i % 8;
		memset(frame.bytes + frame.l3 + 10, 0, 2);
		sum = packet_ip_checksum(frame.bytes + frame.l3, 20);
		frame.bytes[frame.l3 + 10] = sum >> 8;
		frame.bytes[frame.l3 + 11] = sum;
		check(send(w->fd, frame.bytes, frame.len, 0) == (ssize_t)frame.len,
		      "send");
		frame.bytes[at] ^= 1 << i % 8;
	}
	reads(w, 0, 64);
	now = live_stat();
	check(now.read - before.read == 1 && now.tx - before.tx == 1,
	      "%llu READs, %llu responses", now.read - before.read, now.tx - before.tx);
	check(now.drop_icrc - before.drop_icrc >= 231, "%llu dropped for their CRC",
	      now.drop_icrc - before.drop_icrc);
}

TEST_MAIN(live_main);
