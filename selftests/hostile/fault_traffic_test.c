// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocations fail at random under traffic whose responses are checked. Packets lost for
 * want of memory are sent again. No data is wrong, and no queue pair goes to ERR, except by
 * a remote operational error if on-demand memory could not be allocated for a second.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fault.h"
#include "siblings.h"
#include "mem.h"
#include "odp_implicit.h"
#include "setting.h"

#define OFTEN		30u		/* percent of allocations that fail */
#define SELDOM		20u
#define REQUESTS	200u
#define ROUNDS		20u		/* queue pairs made meanwhile */
#define PAGES		256u		/* pages that the peer writes to, one after the other */
#define AGAIN_MS	100
#define PATIENCE	100	/* seconds to wait for a response */

static struct odp o;
static size_t stride;		/* distance in bytes between two of these pages */
static struct frame answer;	/* the last response */

/* A packet that the sender has no memory for is lost, like on any network. */
static void send_request(void)
{
	static struct frame frame;

	packet_build(&o.w.req, &frame);
	if (send(o.w.fd, frame.bytes, frame.len, 0) < 0)
		check(errno == ENOBUFS || errno == ENOMEM, "send: %s", strerror(errno));
}

/*
 * Send the request until there is a response other than an RNR NAK. Return: its syndrome,
 * with the response in @got, or -1.
 */
static int ask(struct packet *got)
{
	const double end = clock_now() + patience(PATIENCE);

	while (clock_now() < end) {
		send_request();
		while (wire_take(&o.w, AGAIN_MS, got, &answer)) {
			if (got->psn != o.w.req.psn)
				continue;
			if (got->opcode == XROCE_RC_ACK && got->syndrome >> 5 == 1)
				break;
			if (got->syndrome == XROCE_SYN_ACK)
				o.w.req.psn = (o.w.req.psn + 1) & XROCE_PSN_MASK;
			return got->syndrome;
		}
	}
	return -1;
}

/* WRITE to a page that is not resident. Return: as ask(). */
static int write_page(uint32_t page)
{
	struct packet *req = &o.w.req, got;

	req->opcode = XROCE_RC_WRITE_ONLY;
	req->va = o.mr.iova + page * stride;
	if (o.mr.length == XROCE_LENGTH_ALL)
		req->va = (uintptr_t)o.mem + page * stride;
	req->rkey = o.mr.rkey;
	req->dmalen = req->payload = 64;
	req->pattern = page;
	return ask(&got);
}

/* WRITE to each page once. Return: the number of pages that could not be allocated. */
static uint32_t write_all(bool *good)
{
	uint32_t page, refused = 0;
	int syndrome;

	for (page = 0; page < PAGES && !test_failed(); page++) {
		syndrome = write_page(page);
		good[page] = syndrome == XROCE_SYN_ACK;
		if (good[page])
			continue;
		refused++;
		if (!check(syndrome == XROCE_SYN_NAK_OP, "page %u: syndrome %#x", page,
			   syndrome) || !wire_again(&o.w))
			break;
	}
	return refused;
}

static void demand(enum fault_whose whose, unsigned int percent, bool space)
{
	static const struct wire_opts rc;
	static bool good[PAGES];
	uint32_t page, refused;
	unsigned int failed;

	/* With @space, each page is in another child of the implicit on-demand region. */
	stride = space ? IMPLICIT_CHILD : MEM_PAGE;
	if (!(space ? implicit_open(&o, PAGES * IMPLICIT_CHILD / MEM_PAGE, &rc) :
		      odp_open(&o, PAGES)))
		return;
	memset(good, 0, sizeof(good));
	fault_chance(whose, percent);
	refused = write_all(good);
	failed = fault_chance_end();
	for (page = 0; page < PAGES && !test_failed(); page++)
		if (good[page])
			odp_is(o.mem + page * stride, 64, page);
	note("%u allocations failed, %u of %u pages could not be allocated", failed, refused,
	     PAGES);
	check(failed, "no allocation failed");
	check(refused < PAGES / 2, "%u of %u pages", refused, PAGES);
	/* Without faults, every page can be written. */
	for (page = 0; page < PAGES && !test_failed(); page++)
		ACKED(write_page(page));
	odp_close(&o);
}

TEST(fault_defer, "O3 D5", "random failures for deferred frames")
{
	demand(FAULT_DATA_PATH, OFTEN, false);
}

TEST(fault_pages, "O3 O4 D5", "random failures for on-demand pages")
{
	demand(FAULT_WORKERS, SELDOM, false);
}

TEST(fault_parts, "O2 O3 D5", "random failures for children of implicit on-demand regions")
{
	demand(FAULT_WORKERS, SELDOM, true);
}

/* Queue pairs that exist already. */
TEST(fault_responses, "D2 D5", "random failures for frames and buffers")
{
	unsigned int failed;

	if (!siblings_start())
		return;
	fault_chance(FAULT_DATA_PATH, OFTEN);
	checked_goes_on(&sibling_changed, REQUESTS);
	checked_goes_on(&sibling_quiet, REQUESTS / 4);
	failed = fault_chance_end();
	note("%u allocations failed", failed);
	check(failed, "no allocation failed");
	siblings_stop();
}

/* FETCH_ADD to a word; the module sends the response. */
static void add_to_word(uint64_t round)
{
	struct packet *req = &o.w.req, got;
	int syndrome;

	req->opcode = XROCE_RC_FETCH_ADD;
	req->payload = req->pad = 0;
	req->swap = 5;
	syndrome = ask(&got);
	check(syndrome == XROCE_SYN_ACK && got.opcode == XROCE_RC_ATOMIC_ACK &&
	      got.orig == 5 * round, "syndrome %#x, finds %llu", syndrome,
	      (unsigned long long)got.orig);
	check(*(uint64_t *)o.w.mem == 5 * round + 5, "not once");
}

/* READ that word. */
static void read_word(uint64_t value)
{
	struct packet *req = &o.w.req, got;
	int syndrome;

	req->opcode = XROCE_RC_READ_REQUEST;
	req->dmalen = sizeof(value);
	syndrome = ask(&got);
	check(syndrome == XROCE_SYN_ACK && got.payload == sizeof(value) &&
	      !memcmp(answer.bytes + WIRE_DATA_OFF, &value, sizeof(value)),
	      "syndrome %#x, %u bytes", syndrome, got.payload);
}

/* Allocations that a queue pair makes at its first use. */
TEST(fault_first_responses, "D2 D5", "random failures for queues of responses")
{
	static const struct wire_opts rc;
	unsigned int failed, round;
	uint64_t i;

	/* Connect once before, so that the one-time setup is done. */
	if (!wire_open(&o.w, &rc))
		return;
	wire_close(&o.w);
	fault_chance(FAULT_DATA_PATH, OFTEN);
	for (round = 0; round < ROUNDS && !test_failed(); round++) {
		if (!wire_open(&o.w, &rc))
			break;
		for (i = 0; i < 2; i++) {
			add_to_word(i);
			read_word(5 * i + 5);
		}
		wire_close(&o.w);
	}
	failed = fault_chance_end();
	note("%u allocations failed", failed);
	check(failed, "no allocation failed");
}

TEST_MAIN(fault_main);
