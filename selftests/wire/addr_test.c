// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames for Ethernet addresses other than the device's, as a promiscuous port receives
 * them: the responder leaves them to the stack, and responds only from its own addresses.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "siblings.h"
#include "odp.h"
#include "wire.h"

static const struct wire_opts rc;

#define LONG	8192u		/* bytes of a READ that the module answers */
#define LONG_PACKETS	(LONG / 1024)

/* Last byte of an address 02:00:00:00:00:XX. */
enum { OWN = 2, NEW = 0x0a, SECOND, MACVLAN, MACVLAN_VLAN, VLAN, BRIDGE, NOBODY };

static void to(struct wire *w, uint8_t last)
{
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, last };

	memcpy(w->req.dst_mac, mac, sizeof(mac));
}

/* Request number @n passes to the stack, and gets no response. */
static void passed(struct wire *w, uint32_t n)
{
	w->req.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
	wire_counted(w, COUNTER(pass));
	wire_quiet(w);
}

/* Request @n is executed as message @msn; the response is from the address it was sent to. */
static void executed(struct wire *w, uint32_t n, uint32_t msn)
{
	w->req.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
	wire_send(w);
	wire_expect_ack(w, WIRE_PSN + n, msn);
}

/* A READ that the module answers with @packets packets. */
static void read_long(struct wire *w, uint32_t n, uint32_t packets)
{
	struct packet got, was = w->req;
	uint32_t i;

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.psn = (WIRE_PSN + n) & XROCE_PSN_MASK;
	w->req.payload = 0;
	w->req.dmalen = LONG;
	wire_send(w);
	for (i = 0; i < packets; i++)
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "response %u", i) ||
		    !check(!memcmp(got.src_mac, w->req.dst_mac, 6) &&
			   !memcmp(got.dst_mac, w->req.src_mac, 6),
			   "response %u is from another address", i))
			break;
	wire_quiet(w);
	w->req = was;
}

TEST(addr_others, "D1 D5", "frames for other unicast, multicast and broadcast addresses")
{
	static const uint8_t macs[][6] = {
		{ 0 },
		{ 2, 0, 0, 0, 0, NOBODY },
		{ 2, 0, 0, 0, 0, 1 },
		{ 1, 0, 0x5e, 0, 0, 1 },
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	static const struct wire_opts kinds[] = {
		{ }, { .ipv6 = true }, { .type = XROCE_QPT_UC },
	};
	struct wire w;
	size_t kind, i;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		if (!wire_open(&w, &kinds[kind]))
			return;
		for (i = 0; i < ARRAY_SIZE(macs); i++) {
			memcpy(w.req.dst_mac, macs[i], 6);
			passed(&w, 0);
		}
		wire_untouched(&w);
		to(&w, OWN);
		if (!kinds[kind].type)
			executed(&w, 0, 1);
		to(&w, NOBODY);
		read_long(&w, 1, 0);
		wire_close(&w);
	}
}

static void reload(void)
{
	struct xroce_attach_opts opts = { .size = sizeof(opts) };

	check(!xroce_reload(LIVE_DEV, &opts), "reload: %s", opts.error);
}

WIRE_TEST(addr_changed, "D1 D5", "the device's address changes under traffic", &rc)
{
	executed(w, 0, 1);
	check_sh("ip link set " LIVE_DEV " address 02:00:00:00:00:0a");
	passed(w, 1);
	to(w, NEW);
	executed(w, 1, 2);
	read_long(w, 2, LONG_PACKETS);
	reload();
	executed(w, 2 + LONG_PACKETS, 4);
	to(w, OWN);
	passed(w, 3 + LONG_PACKETS);
	check_sh("ip link set " LIVE_DEV " address 02:00:00:00:00:02");
	executed(w, 3 + LONG_PACKETS, 5);
}

WIRE_TEST(addr_second, "D1 D5", "an address in the device's unicast list", &rc)
{
	to(w, SECOND);
	passed(w, 0);
	check_sh("bridge fdb add 02:00:00:00:00:0b dev " LIVE_DEV " self");
	executed(w, 0, 1);
	read_long(w, 1, LONG_PACKETS);
	to(w, NOBODY);
	passed(w, 1 + LONG_PACKETS);
	to(w, OWN);
	executed(w, 1 + LONG_PACKETS, 3);
	check_sh("bridge fdb del 02:00:00:00:00:0b dev " LIVE_DEV " self");
	to(w, SECOND);
	passed(w, 2 + LONG_PACKETS);
}

/* A VLAN device on top belongs to the link; a macvlan device does not. */
WIRE_TEST(addr_upper, "D1 D5", "addresses of VLAN and macvlan devices on top", &rc)
{
	check_sh("modprobe 8021q");
	check_sh("ip link add v0 link " LIVE_DEV " address 02:00:00:00:00:0e type vlan id 5 && "
		"ip link set v0 up");
	check_sh("ip link add m0 link " LIVE_DEV " address 02:00:00:00:00:0c type macvlan && "
		"ip link set m0 up");
	check_sh("ip link add mv0 link m0 address 02:00:00:00:00:0d type vlan id 6 && "
		"ip link set mv0 up");
	to(w, MACVLAN);
	passed(w, 0);
	to(w, MACVLAN_VLAN);
	passed(w, 0);
	to(w, VLAN);
	w->req.vlan[w->req.vlans].tpid = 0x8100;
	w->req.vlan[w->req.vlans++].tci = 5;
	executed(w, 0, 1);
	check_sh("ip link del v0 && ip link del m0");
	passed(w, 1);
}

/* The unicast list of a bridge port has addresses of machines behind other ports. */
WIRE_TEST(addr_port, "D1 D5", "addresses of a bridge port", &rc)
{
	check_sh("ip link add br0 address 02:00:00:00:00:0f type bridge && "
		"ip link set br0 up && ip link set " LIVE_DEV " master br0 && "
		"bridge fdb add 02:00:00:00:00:0b dev " LIVE_DEV " self");
	executed(w, 0, 1);
	to(w, BRIDGE);
	executed(w, 1, 2);
	to(w, SECOND);
	passed(w, 2);
	check_sh("bridge fdb del 02:00:00:00:00:0b dev " LIVE_DEV " self && "
		"ip link set " LIVE_DEV " nomaster && ip link del br0");
	to(w, BRIDGE);
	passed(w, 2);
}

/* The address of a deferred frame is checked again before the frame is executed. */
ODP_TEST(addr_deferred, "D1 D5 O3", "the address of a deferred frame", 4)
{
	check_sh("bridge fdb add 02:00:00:00:00:0b dev " LIVE_DEV " self");
	to(&o->w, SECOND);
	ACKED(odp_write(o, 0, 512, 7));
	check(odp_is(o->mem, 512, 7), "written");
	check_sh("bridge fdb del 02:00:00:00:00:0b dev " LIVE_DEV " self");
	to(&o->w, SECOND);
	wire_counted(&o->w, COUNTER(pass));
	wire_quiet(&o->w);
}

TEST(addr_generic, "D1 D5", "addresses in generic mode")
{
	static const struct wire_opts there = { .dev = LIVE_SPARE, .from = "c1" };
	struct wire w;

	if (!live_attach_generic())
		return;
	if (wire_open(&w, &there)) {
		to(&w, NOBODY);
		wire_send(&w);
		wire_quiet(&w);
		wire_untouched(&w);
		to(&w, OWN);
		executed(&w, 0, 1);
		check_sh("ip link set " LIVE_SPARE " address 02:00:00:00:00:0a");
		to(&w, NEW);
		executed(&w, 1, 2);
		check_sh("ip link set " LIVE_SPARE " address 02:00:00:00:00:02");
		wire_close(&w);
	}
	check(!live_detach(LIVE_SPARE, 0), "detach");
}

TEST_MAIN(live_main);
