// SPDX-License-Identifier: GPL-2.0-only
/*
 * READs of one packet: their bytes, pad and invariant CRC, whichever way they are put
 * into the frame (IBTA 9.4.4).
 */
#include <string.h>

#include "mem.h"
#include "wire.h"

#define LENGTHS		260u	/* past all that is done in another way */
#define LONG		1024u	/* as much as there is no room for on veth */
#define LONGS		300u

/* A READ of @len bytes from @off on is answered with them. Return: whether it is. */
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
	    !check(wire_take(w, WIRE_MS, &got, &frame), "%u bytes: no answer", len))
		return false;
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	return check(got.opcode == XROCE_RC_READ_RESPONSE_ONLY &&
		     got.payload == len && got.pad == (-len & 3),
		     "opcode %#x, %u bytes and %u", got.opcode, got.payload, got.pad) &&
	       check(!memcmp(frame.bytes + data, w->mem + off, len) &&
		     !memcmp(frame.bytes + data + len, pad, -len & 3),
		     "%u bytes from %u on: others", len, off);
}

static void fill(char *mem)
{
	uint32_t i;

	for (i = 0; i < WIRE_BYTES; i++)
		mem[i] = 1 + i * 31 + i / 256;
}

/* Each length from the beginning of a page, and across the end of one. */
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

static void lengths_ipv4(void)
{
	static const struct wire_opts rc;

	lengths(&rc);
}

static void lengths_ipv6(void)
{
	static const struct wire_opts rc6 = { .ipv6 = true };

	lengths(&rc6);
}

/* Those that find no room in the frame are the module's; what comes between is not. */
static void room(void)
{
	static const struct wire_opts rc;
	struct xroce_stat before, now;
	struct wire w;
	uint32_t i;

	if (!wire_open(&w, &rc))
		return;
	fill(w.mem);
	before = live_stat();
	for (i = 0; i < LONGS; i++)
		if (!reads(&w, i, LONG) || !reads(&w, i, 1 + i % 64))
			break;
	now = live_stat();
	check(now.queued - before.queued <= LONGS, "%llu answers are the module's",
	      now.queued - before.queued);
	check(now.read - before.read == 2 * LONGS, "%llu READs",
	      now.read - before.read);
	wire_close(&w);
}

static const struct test tests[] = {
	{ "response_lengths", "D2 D4",
	  "all short lengths over IPv4, also across pages", lengths_ipv4 },
	{ "response_lengths_ipv6", "D1 D2 D4",
	  "and over IPv6", lengths_ipv6 },
	{ "response_room", "D2 D5", "no room in the frame for some of them", room },
};

int main(int argc, char **argv)
{
	return live_main(argc, argv, tests, ARRAY_SIZE(tests));
}
