// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random requests of several queue pairs, compared with a model: results of requests,
 * received messages, and memory; on a clean link and on impaired ones. Run by shadow.sh.
 *
 * Environment: XROCE_SHADOW_OPS is the number of requests on the clean link; an impaired
 * one gets a fifth of them, or a twentieth. XROCE_SEED is the seed of the random numbers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "harness.h"
#include "impair.h"
#include "rng.h"
#include "setting.h"
#include "shadow_message.h"
#include "shadow_model.h"
#include "shadow_request.h"

#define OPS		10000
#define PATIENCE	20		/* seconds without a completion of a queue pair */
#define TRIES		3		/* because of bugs of rxe: see shadow_request.c */

/* Wait for the next completion, and keep receiving meanwhile. */
static bool wait_one(void)
{
	struct ibv_wc wc;
	int n;

	do {
		messages_poll();
		n = ibv_poll_cq(client.cq, 1, &wc);
		if (n > 0)
			request_done(wc.wr_id, wc.status);
		if (test_failed() || n > 0)
			return !test_failed() && !requests_gave_way();
	} while (!n && requests_slowest() < patience(PATIENCE));
	if (requests_stopped())
		return false;
	requests_note_queues();
	return check(false, "no completion");
}

/* Return: a random queue pair that may post, or SHADOW_QPS. */
static uint32_t pick(void)
{
	uint32_t i, qp = rng_below(SHADOW_QPS);

	for (i = 0; i < SHADOW_QPS; i++, qp = (qp + 1) % SHADOW_QPS)
		if (request_may_post(qp))
			return qp;
	return SHADOW_QPS;
}

static void drive(uint32_t ops)
{
	uint32_t qp;

	for (;;) {
		uint32_t in_flight = requests_in_flight();

		if (requests_chosen() == ops && !requests_waiting() && !in_flight)
			return;
		qp = pick();
		/* Now and then do not fill the queues, so that less is in flight. */
		if (qp < SHADOW_QPS && !(in_flight && !rng_below(8)) &&
		    (requests_chosen() < ops || request_is_waiting(qp))) {
			if (!request_post(qp))
				return;
		} else if (in_flight && !wait_one()) {
			return;
		}
	}
}

/**
 * struct link - impairment of a link
 * @netem: arguments of netem; NULL: none
 * @streams: see impair()
 * @bit: index of a counter that shows the impairment
 * @enough: number of requests after which @bit must have moved
 * @slow: rxe takes long to repair it: a quarter of the requests
 */
struct link {
	const char *netem;
	bool streams;
	size_t bit;
	uint32_t enough;
	bool slow;
};

static void report(const struct link *link, const struct xroce_stat *before,
		   double seconds, uint32_t ops)
{
	struct xroce_stat after;

	counters_read(server.stat, &after);
#define MOVED(name)	(after.name - before->name)
	note("%u requests, %llu packets, %.1f s, at most %.1f s without a queue pair's completion",
	     ops, MOVED(rx), seconds, requests_slowest());
	model_note_kinds();
	note("duplicates %llu, sequence NAKs %llu, RNR NAKs %llu, dropped: PSN %llu, ICRC %llu, busy %llu, response %llu",
	     MOVED(duplicate), MOVED(nak_seq), MOVED(nak_rnr), MOVED(drop_psn),
	     MOVED(drop_icrc), MOVED(drop_busy), MOVED(drop_response));
	check(!MOVED(nak_inv) && !MOVED(nak_acc) && !MOVED(nak_op) &&
	      !MOVED(drop_error), "a request has been refused");
#undef MOVED
	if (link->netem && ops >= link->enough)
		check(((__u64 *)&after)[link->bit] !=
		      ((const __u64 *)before)[link->bit], "nothing was impaired");
}

/* A failure must not affect the next test: drop completions, accept the file as it is. */
static void start_afresh(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(client.cq, 1, &wc) > 0)
		;
	check(pread(server.file, server.want, FILE_SIZE, 0) == FILE_SIZE,
	      "file: %s", strerror(errno));
}

/* Return: false: rxe has given way. */
static bool try(const struct link *link, const struct connection_opts *opts, uint32_t ops)
{
	struct xroce_stat before;
	double begun;
	bool done;

	if (!requests_open(opts))
		return true;
	counters_read(server.stat, &before);
	begun = clock_now();
	if (!link->netem || impair(link->netem, link->streams))
		drive(ops);
	impair_no_more();
	done = !requests_gave_way();
	if (done)
		report(link, &before, clock_now() - begun, ops);
	if (done && !test_failed()) {
		messages_finish();
		model_finish();
		connection_compare("in the end");
	}
	requests_close();
	if (!done || test_failed())
		start_afresh();
	return done;
}

/* rxe may have warned in the kernel's log: vm-complaints.sh looks for this there. */
static void note_way(void)
{
	FILE *log = fopen("/dev/kmsg", "w");

	note("rxe has given way");
	if (!check(log, "kmsg: %s", strerror(errno)))
		return;
	fprintf(log, "shadow_test: rxe has given way\n");
	fclose(log);
}

static void shadow(const struct link *link)
{
	/*
	 * 67 ms; or a second on a clean link, where a timeout only means that the machine
	 * is slow. A slow kernel gets 16 times as long: rxe loses its position in a request
	 * if its timer expires again before it could send.
	 */
	const struct connection_opts opts = {
		.timeout = patient_code(link->netem ? 14 : 18),
		.retry = 7,
		.rnr_retry = 7,
	};
	uint32_t ops = setting("XROCE_SHADOW_OPS", OPS) / (link->netem ? 5 : 1) /
		       (link->slow ? 4 : 1);
	uint64_t seed = setting("XROCE_SEED", time(NULL));
	int tries = link->netem ? TRIES : 1;

	do {
		rng_seed(seed);
		note("XROCE_SEED=%llu", (long long)seed);
		if (try(link, &opts, ops))
			return;
		note_way();
		seed++;
	} while (--tries);
	check(false, "rxe gives way each time");
}

TEST(clean, "D2 D3 D4 D5", "a clean link") { shadow(&(struct link){}); }

TEST(loss, "D2 D3 D4 D5", "1% of packets lost, in both directions")
{
	shadow(&(struct link){ "loss 1%", true, COUNTER(nak_seq), 500 });
}

TEST(loss5, "D2 D3 D4 D5", "5% of packets lost, in both directions")
{
	shadow(&(struct link){ "loss 5%", true, COUNTER(nak_seq), 200, true });
}

TEST(duplicate, "D2 D3 D4 D5", "3% of packets duplicated, in both directions")
{
	shadow(&(struct link){ "duplicate 3%", true, COUNTER(duplicate), 500 });
}

/*
 * One packet in fifty is late, except acknowledgements and responses of several packets
 * relative to each other. If an acknowledgement arrives between the responses of a READ,
 * rxe of Linux 6.12 expects the first response of that READ next; on another response it
 * completes the READ successfully, warns in the kernel log, and stops (check_psn(),
 * COMPST_UPDATE_COMP and check_ack() of rxe_comp.c).
 */
TEST(reorder, "D2 D3 D4 D5", "2% of packets late, in both directions")
{
	shadow(&(struct link){ "delay 1ms reorder 98%", false, COUNTER(nak_seq),
			       500 });
}

TEST(reorder25, "D2 D3 D4 D5", "25% of packets overtake, in both directions")
{
	shadow(&(struct link){ "delay 1ms reorder 25%", false, COUNTER(duplicate), 200, true });
}

TEST(jitter, "D2 D3 D4 D5", "a delay of 1 ms, more or less, in both directions")
{
	shadow(&(struct link){ "delay 1ms 0.5ms", false, COUNTER(duplicate), 200, true });
}

TEST(mixed, "D2 D3 D4 D5", "1% lost, 3% doubled, all late by more or less, in both directions")
{
	shadow(&(struct link){ "delay 1ms 0.5ms loss 1% duplicate 3%", false, COUNTER(duplicate),
			       200, true });
}

TEST(corrupt, "D2 D3 D4 D5", "0.1% of packets with a wrong bit, in both directions")
{
	shadow(&(struct link){ "corrupt 0.1%", true, COUNTER(drop_icrc), 10000 });
}

TEST_MAIN(connection_main);
