// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random requests of several queue pairs, compared with a model: what each of
 * them finds, which messages arrive, and what memory holds in the end; on a clean
 * link and on impaired ones. Run by shadow.sh.
 *
 * XROCE_SHADOW_OPS: requests on the clean link; an impaired one gets a fifth of
 * them. XROCE_SEED: of the random numbers.
 */
#include <errno.h>
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
#define PATIENCE	20		/* seconds without a queue pair's completion */

/* The next completion; the server goes on receiving meanwhile. */
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
			return !test_failed();
	} while (!n && requests_slowest() < patience(PATIENCE));
	requests_note_queues();
	return check(false, "no completion");
}

/* A queue pair that may post, beginning with any; or SHADOW_QPS. */
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
		/* Now and then less than could be is in flight. */
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
 * struct link - what is done to packets
 * @netem: arguments of netem, NULL: nothing
 * @streams: to READ responses of several packets, and to acknowledgements, too
 * @bit: counter that says that it was
 * @enough: requests for that to be certain
 */
struct link {
	const char *netem;
	bool streams;
	size_t bit;
	uint32_t enough;
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

/* The next test is not to suffer from this one's failure. */
static void start_afresh(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(client.cq, 1, &wc) > 0)
		;
	check(pread(server.file, server.want, FILE_SIZE, 0) == FILE_SIZE,
	      "file: %s", strerror(errno));
}

static void shadow(const struct link *link)
{
	/*
	 * 67 ms; or on a clean link, where it only shows that the machine is
	 * slow, a second. A slow kernel has 16 times that: rxe loses its place in
	 * a request when its timer ends once more before it could send again.
	 */
	const struct connection_opts opts = {
		.timeout = (link->netem ? 14 : 18) +
			   (setting("XROCE_SLOW", 1) > 1 ? 4 : 0),
		.retry = 7,
		.rnr_retry = 7,
	};
	uint32_t ops = setting("XROCE_SHADOW_OPS", OPS) / (link->netem ? 5 : 1);
	uint64_t seed = setting("XROCE_SEED", time(NULL));
	struct xroce_stat before;
	double begun;

	rng_seed(seed);
	note("XROCE_SEED=%llu", (long long)seed);
	if (!requests_open(&opts))
		return;
	counters_read(server.stat, &before);
	begun = clock_now();
	if (!link->netem || impair(link->netem, link->streams))
		drive(ops);
	impair_no_more();
	report(link, &before, clock_now() - begun, ops);
	if (!test_failed()) {
		messages_finish();
		model_finish();
		connection_compare("in the end");
	}
	requests_close();
	if (test_failed())
		start_afresh();
}

static void clean(void)
{
	shadow(&(struct link){});
}

static void loss(void)
{
	shadow(&(struct link){ "loss 1%", true, COUNTER(nak_seq), 500 });
}

static void duplicate(void)
{
	shadow(&(struct link){ "duplicate 1%", true, COUNTER(duplicate), 500 });
}

/*
 * One in fifty is late. Acknowledgements and parts of long answers are not, with
 * regard to each other: rxe of Linux 6.12 takes an acknowledgement that comes
 * between the responses of a READ for a reason to expect the READ's first
 * response next. When it is another one, it says that the READ was successful,
 * warns in the kernel's log, and breaks off (check_psn(), COMPST_UPDATE_COMP and
 * check_ack() of rxe_comp.c).
 */
static void reorder(void)
{
	shadow(&(struct link){ "delay 1ms reorder 98%", false, COUNTER(nak_seq),
			       500 });
}

static void corrupt(void)
{
	shadow(&(struct link){ "corrupt 0.1%", true, COUNTER(drop_icrc), 10000 });
}

static const struct test tests[] = {
	{ "clean", "D2 D3 D4 D5", "all as in the model", clean },
	{ "loss", "D2 D3 D4 D5", "1% lost, both ways", loss },
	{ "duplicate", "D2 D3 D4 D5", "1% twice, both ways", duplicate },
	{ "reorder", "D2 D3 D4 D5", "2% late, both ways", reorder },
	{ "corrupt", "D2 D3 D4 D5", "0.1% with a wrong bit, both ways", corrupt },
};

int main(int argc, char **argv)
{
	return connection_main(argc, argv, tests, ARRAY_SIZE(tests));
}
