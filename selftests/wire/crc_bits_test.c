// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's parameter crc_bits, and the invariant CRC with it: by a table, and in registers of
 * 128 bits. Each test loads the module. unit/clmul_test has wider registers, if the CPU does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "wire.h"

#ifdef __x86_64__
#define BITS	"/sys/module/xroce/parameters/crc_bits"

/* Return: the bits in use, or UINT_MAX. */
static unsigned int bits_used(void)
{
	unsigned int bits = -1;
	FILE *f = fopen(BITS, "re");

	check(f && fscanf(f, "%u", &bits) == 1, "no %s", BITS);
	if (f)
		fclose(f);
	return bits;
}

static bool load(const char *parameter)
{
	int ret = live_module_load_with(parameter);

	return check(!ret, "load with '%s': %d", parameter, ret);
}

/* WRITE @len bytes, and READ them. */
static void transfer(struct wire *w, uint32_t len)
{
	struct packet ack = wire_response(w, XROCE_RC_ACK);
	struct packet data = wire_response(w, XROCE_RC_READ_RESPONSE_ONLY);

	w->req.opcode = XROCE_RC_WRITE_ONLY;
	w->req.dmalen = len;
	w->req.payload = len;
	w->req.pad = -len & 3;
	ack.syndrome = XROCE_SYN_ACK;
	ack.psn = w->req.psn;
	ack.msn = (w->req.psn + 1 - WIRE_PSN) & XROCE_PSN_MASK;
	wire_send(w);
	wire_expect(w, &ack);
	w->req.psn++;

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.payload = 0;
	w->req.pad = 0;
	data.syndrome = XROCE_SYN_ACK;
	data.psn = w->req.psn;
	data.msn = (w->req.psn + 1 - WIRE_PSN) & XROCE_PSN_MASK;
	data.payload = len;
	data.pad = -len & 3;
	data.pattern = w->req.pattern;
	wire_send(w);
	wire_expect(w, &data);
	w->req.psn++;
}

/* A wrong CRC is found in each packet of a message, in one buffer, and nothing is executed. */
static void wrong(bool ipv6)
{
	const struct wire_opts opts = { .ipv6 = ipv6, .mtu = XROCE_MTU_1024 };
	static const uint8_t opcodes[] = {
		XROCE_RC_WRITE_ONLY, XROCE_RC_WRITE_FIRST, XROCE_RC_WRITE_MIDDLE,
		XROCE_RC_WRITE_LAST,
	};
	struct wire w;
	size_t i;

	if (!wire_open(&w, &opts))
		return;
	w.req.va = w.mr.iova;
	w.req.payload = 1024;
	for (i = 0; i < ARRAY_SIZE(opcodes) && !test_failed(); i++) {
		w.req.opcode = opcodes[i];
		w.req.dmalen = i ? 3 * 1024 : 1024;
		w.req.icrc_flip = 1;
		wire_counted(&w, COUNTER(drop_icrc));
		if (!i)
			continue;
		/* It is still the one that is expected. */
		w.req.icrc_flip = 0;
		wire_counted(&w, COUNTER(write));
		w.req.psn++;
	}
	wire_close(&w);
}

/* Send @bad with the CRC of @w->req. */
static void stale(struct wire *w, struct packet bad)
{
	struct packet good = w->req;

	packet_stale(&bad, &good);
	w->req = bad;
	wire_counted(w, COUNTER(drop_icrc));
	w->req = good;
}

/* The CRC does not agree with one bit behind the PSN: of a RETH, or of an AtomicETH. */
static void stale_behind(struct wire *w, bool atomic)
{
	struct packet bad = w->req;
	uint32_t i;

	for (i = 0; i < 64 && !test_failed(); i++) {
		bad.va = w->req.va ^ 1ull << i;
		stale(w, bad);
		bad.va = w->req.va;
		bad.swap ^= atomic ? 1ull << i : 0;
		bad.dmalen ^= atomic ? 0 : 1u << i % 32;
		stale(w, bad);
		bad.swap = w->req.swap;
		bad.dmalen = w->req.dmalen;
		bad.compare ^= atomic ? 1ull << i : 0;
		bad.rkey ^= atomic ? 0 : 1u << i % 32;
		stale(w, bad);
		bad.compare = w->req.compare;
		bad.rkey = w->req.rkey ^ 1u << i % 32;
		stale(w, bad);
		bad.rkey = w->req.rkey;
	}
}

/*
 * A READ or atomic is executed with unusual fields, and not if the CRC does not agree with one bit
 * of those that may vary.
 */
static void vary(struct wire *w, uint8_t opcode)
{
	bool atomic = opcode != XROCE_RC_READ_REQUEST;
	struct packet bad;
	uint32_t i;

	w->req.opcode = opcode;
	w->req.payload = 0;
	w->req.dmalen = 8;
	bad = w->req;
	for (i = 0; packet_vary(&bad, i) && !test_failed(); i++) {
		stale(w, bad);
		packet_vary(&bad, i);
	}
	stale_behind(w, atomic);
	w->req.ip_id = 0xa55a;
	w->req.frag ^= 0x4000;
	w->req.sport ^= 0x5aa5;
	w->req.tos = 0xfc;
	w->req.se = !w->req.se;
	w->req.mig = !w->req.mig;
	wire_counted(w, atomic ? COUNTER(atomic) : COUNTER(read));
	w->req.psn++;
}

/* READs and atomics, whose CRC may be found in another way than that of other packets. */
static void requests(void)
{
	const struct wire_opts opts = {};
	struct wire w;

	if (!wire_open(&w, &opts))
		return;
	w.req.va = w.mr.iova;
	w.req.swap = 0x1122334455667788;
	w.req.compare = 0x99aabbccddeeff00;
	vary(&w, XROCE_RC_READ_REQUEST);
	vary(&w, XROCE_RC_CMP_SWAP);
	vary(&w, XROCE_RC_FETCH_ADD);
	wire_close(&w);
}

/* All lengths work with the parameter; a wrong CRC is still found. */
static void works(const char *parameter, unsigned int bits, bool ipv6)
{
	const struct wire_opts opts = { .ipv6 = ipv6, .mtu = XROCE_MTU_4096 };
	static const uint32_t lens[] = { 1, 8, 64, 100, 340, 352, 1000, 1024, 3500, 3601, 4096 };
	struct wire w;
	size_t i;

	if (!load(parameter))
		return;
	check_is(bits_used(), bits, "'%s'", parameter);
	if (check(!live_veth_add(LIVE_DEV, "c0"), "veth") &&
	    check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES), "attach") &&
	    wire_open(&w, &opts)) {
		w.req.va = w.mr.iova;
		for (i = 0; i < ARRAY_SIZE(lens) && !test_failed(); i++)
			transfer(&w, lens[i]);
		w.req.icrc_flip = 1;
		wire_counted(&w, COUNTER(drop_icrc));
		wire_close(&w);
		wrong(ipv6);
		if (!ipv6)
			requests();
	}
	check_is(live_detach(LIVE_DEV, 0), 0, "detach");
	live_veth_del(LIVE_DEV);
	check_is(live_module_unload(), 0, "unload");
}

TEST(crc_bits_table, "D4", "by a table, without vector registers")
{
	works("crc_bits=0", 0, false);
}

TEST(crc_bits_table_ipv6, "D4", "the same over IPv6") { works("crc_bits=127", 0, true); }

TEST(crc_bits_128, "D4", "in registers of 128 bits, whatever the CPU has")
{
	if (!__builtin_cpu_supports("avx") || !__builtin_cpu_supports("pclmul"))
		skip("the CPU has no AVX or no PCLMULQDQ");
	else
		works("crc_bits=255", 128, false);
}

/* A program cannot see which registers the kernel prefers, so 512 may be 256. */
TEST(crc_bits_widest, "D4", "the parameter is a maximum; no more is in use than the CPU has")
{
	unsigned int most = 0, bits;

	if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("pclmul"))
		most = 128;
	if (most && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq"))
		most = __builtin_cpu_supports("avx512f") ? 512 : 256;
	if (!load(""))
		return;
	bits = bits_used();
	check(bits == most || (most == 512 && bits == 256), "%u bits, not %u", bits, most);
	check_is(live_module_unload(), 0, "unload");
	if (!load("crc_bits=4000"))
		return;
	check_is(bits_used(), bits, "a larger number");
	check_is(live_module_unload(), 0, "unload");
}

TEST_MAIN(live_main_alone);
#else
int main(void)
{
	return HARNESS_SKIPPED;
}
#endif
