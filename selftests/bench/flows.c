// SPDX-License-Identifier: GPL-2.0-only
/*
 * How flows share a bottleneck. Run by flows.sh.
 *
 *   flows [-t MS] [-b DEV] [-j MBIT] GROUP...
 *
 * GROUP is COUNT,OP,SIZE,DEPTH,CLIENT-DEV,CLIENT-IP,SERVER-DEV,SERVER-IP: that many connections,
 * each with DEPTH messages of SIZE bytes outstanding. OP is WRITE, or READ, in which the server
 * sends. If CLIENT-DEV is "tcp", it is TCP, without DEPTH: a stream, or if SIZE is less than 4096,
 * messages that are answered one by one.
 *
 * All send for MS milliseconds; if the program does not end thereafter, it is killed. With -j the
 * last flow begins after a third of the time, and ends after two thirds. DEV has the bottleneck: a
 * discipline in class 1:1, and in that, in class 2:1, another one, perhaps RED. It prints one line
 * of NAME=VALUE:
 *
 *   mbit     payload of all flows in Mbit/s
 *   jain     Jain's index of the flows' goodputs, 1 if all are the same
 *   drop     packets that the bottleneck dropped, in per cent of those that came
 *   sent     packets that left the bottleneck
 *   queue    packets in its queue, mean
 *   marked   packets that it marked
 *   ended    connections that ended with an error
 *   p50 p99  latency of the messages of the first group, in microseconds
 *   join     -j: round-trip times of 1 ms from when the last flow begins until the first 100 ms in
 *            which its goodput is within 20% of a fair share, which is MBIT among all flows; "-":
 *            it never is
 *   leave    -j: from when it ends until the first 100 ms in which the others have 95% of MBIT
 *   each     goodput of each flow; with -j, this and jain are those of the middle third
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "clock.h"
#include "flow.h"
#include "latency.h"
#include "qdisc.h"

#define FLOWS		32
#define SAMPLE_NS	20000000ll
#define MORE_SECONDS	10	/* to close everything */
#define WINDOW		10	/* bins of FLOW_BIN_NS */
#define BIN_RTTS	10	/* round-trip times of 1 ms in one */
#define MBIT(bytes, bins)	((bytes) * 8e3 / ((bins) * (double)FLOW_BIN_NS))

static struct flow flow[FLOWS];
static unsigned int flows, bins = 200;
static const char *bottleneck;
static double joins;		/* Mbit/s; 0: none does */
static uint64_t queue_sum, queue_samples;

static void sample(void)
{
	struct qdisc_stats q;

	qdisc_read(bottleneck, 0x10001, &q);
	queue_sum += q.queued;
	queue_samples++;
}

/* Wait for events, and handle them. */
static void events(void)
{
	struct pollfd fds[FLOWS * FLOW_FDS];
	unsigned int i;
	int n;

	for (i = 0; i < flows; i++)
		flow_wants(&flow[i], &fds[i * FLOW_FDS]);
	n = poll(fds, flows * FLOW_FDS, SAMPLE_NS / 1000000);
	needs(n >= 0, "poll");
	for (i = 0; i < flows; i++)
		flow_ready(&flow[i], &fds[i * FLOW_FDS]);
}

static void run_until(int64_t end)
{
	static int64_t next;

	while (clock_ns() < end) {
		events();
		if (!bottleneck || clock_ns() < next)
			continue;
		sample();
		next = clock_ns() + SAMPLE_NS;
	}
}

static void run(void)
{
	unsigned int i, first = joins ? flows - 1 : flows;
	int64_t begin = clock_ns(), third = bins / 3 * FLOW_BIN_NS;

	for (i = 0; i < first; i++)
		flow_start(&flow[i], begin);
	if (joins) {
		run_until(begin + third);
		flow_start(&flow[first], begin);
		run_until(begin + 2 * third);
		flow_stop(&flow[first]);
	}
	run_until(begin + bins * FLOW_BIN_NS);
}

/* Mbit/s of flows @first to before @last, in a window that begins with bin @at */
static double in_window(unsigned int first, unsigned int last, unsigned int at)
{
	uint64_t sum = 0;

	while (first < last)
		sum += flow_bytes(&flow[first++], at, at + WINDOW);
	return MBIT(sum, WINDOW);
}

/* Print round-trip times from bin @from to a window before bin @to that has at least that. */
static void until(const char *name, unsigned int first, unsigned int last, unsigned int from,
		  unsigned int to, double least, double most)
{
	unsigned int at;
	double mbit;

	for (at = from; at + WINDOW <= to; at++) {
		mbit = in_window(first, last, at);
		if (mbit < least || mbit > most)
			continue;
		printf(" %s=%u", name, (at - from) * BIN_RTTS);
		return;
	}
	printf(" %s=-", name);
}

static void print_bottleneck(void)
{
	struct qdisc_stats link, red;
	double came;

	qdisc_read(bottleneck, 0x10001, &link);
	qdisc_read(bottleneck, 0x20001, &red);
	came = link.sent + link.dropped;
	printf(" drop=%.2f sent=%u queue=%.1f marked=%u", came ? 100 * link.dropped / came : 0,
	       link.sent, queue_samples ? (double)queue_sum / queue_samples : 0, red.marked);
}

/* Goodput of each, of bins from @from to before @to, and how fair it is. */
static void print_each(unsigned int from, unsigned int to)
{
	double mbit[FLOWS] = {}, sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < flows; i++) {
		mbit[i] = MBIT(flow_bytes(&flow[i], from, to), to - from);
		sum += mbit[i];
		squares += mbit[i] * mbit[i];
	}
	printf(" jain=%.3f each=", squares ? sum * sum / squares / flows : 0);
	for (i = 0; i < flows; i++)
		printf("%s%.1f", i ? "," : "", mbit[i]);
}

static void report(void)
{
	unsigned int i, ended = 0, third = bins / 3;
	uint64_t bytes = 0;

	for (i = 0; i < flows; i++) {
		bytes += flow_bytes(&flow[i], 0, bins);
		ended += flow[i].failed;
	}
	printf("mbit=%.1f", MBIT(bytes, bins));
	if (bottleneck)
		print_bottleneck();
	printf(" ended=%u", ended);
	if (latency_sort())
		printf(" p50=%u p99=%u", latency_at(50), latency_at(99));
	if (joins) {
		until("join", flows - 1, flows, third, 2 * third, .8 * joins / flows,
		      1.2 * joins / flows);
		until("leave", 0, flows - 1, 2 * third, bins, .95 * joins, 1e9);
	}
	print_each(joins ? third : 0, joins ? 2 * third : bins);
	printf("\n");
	fflush(stdout);
}

static void open_group(const char *text, bool timed)
{
	struct flow_kind kind;
	unsigned int count;

	errno = EINVAL;
	needs(sscanf(text, "%u,%7[^,],%zu,%u,%15[^,],%15[^,],%15[^,],%15s", &count, kind.op,
		     &kind.size, &kind.depth, kind.client, kind.client_ip, kind.server,
		     kind.server_ip) == 8 && count <= FLOWS - flows, text);
	while (count--) {
		flow[flows].timed = timed;
		flow_open(&flow[flows++], &kind);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;
	int option;

	while ((option = getopt(argc, argv, "t:b:j:")) != -1) {
		if (option == 't')
			bins = atoi(optarg) / (FLOW_BIN_NS / 1000000);
		else if (option == 'b')
			bottleneck = optarg;
		else if (option == 'j')
			joins = atof(optarg);
		else
			return 2;
	}
	if (optind == argc || !bins || bins > FLOW_BINS) {
		fprintf(stderr, "usage: flows [-t MS] [-b DEV] [-j MBIT] GROUP...\n");
		return 2;
	}
	for (i = optind; i < (unsigned int)argc; i++)
		open_group(argv[i], i == (unsigned int)optind);
	/* While a page comes from the host, the clock of "vm.sh --icount" runs on. */
	needs(!mlockall(MCL_CURRENT), "mlockall");
	alarm(bins * FLOW_BIN_NS / 1000000000 + MORE_SECONDS);
	run();
	report();
	for (i = 0; i < flows; i++)
		flow_close(&flow[i]);
	return 0;
}
