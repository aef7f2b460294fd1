// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of the verdict on this machine, in nanoseconds: "make bench-native".
 *
 *   native [-o FILE]
 *
 * The program is loaded as for the native tests, without its module: it accepts every ICRC
 * and copies no payload; everything else is real. BPF_PROG_TEST_RUN repeats a program that
 * writes the next request into the frame and calls either xroce's program or one that
 * returns at once. "verdict" is the difference. A figure is the median of 15 interleaved
 * rounds of 100,000.
 *
 * The last table is for two CPUs at the same time, each with its own queue pair: their
 * throughput relative to one CPU.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <json-c/json.h>
#include <linux/bpf.h>
#include <linux/in.h>

#include "again.h"
#include "harness.h"
#include "median.h"
#include "scene.h"
#include "xdp.h"

#define ROUNDS		15
#define REPEAT		100000
#define CPUS		2
#define OTHER_QPN	0x000011u	/* in the range of rxe, not of xroce */

enum { EMPTY, XROCE, WHO };

static const struct row {
	const char *name;
	bool ours;
	uint8_t opcode;		/* used if @ours */
} rows[] = {
	{ "WRITE 64", true, XROCE_RC_WRITE_ONLY },
	{ "READ 64", true, XROCE_RC_READ_REQUEST },
	{ "FETCH_ADD 8", true, XROCE_RC_FETCH_ADD },
	{ "another's RoCEv2", false },
	{ "another's UDP", false },
	{ "another's TCP", false },
};

/* One for each CPU; the second is used by the last table only. */
static struct lane {
	struct xdp xdp[WHO];
	struct again request;
	double ns;
	bool ok;
} lanes[CPUS];

static struct scene scene;

static bool fail(const char *what, int err)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(err));
	return false;
}

static int fd_of(const struct xdp *xdp, const char *map)
{
	return bpf_object__find_map_fd_by_name(xdp->object, map);
}

static bool lane_open(struct lane *l)
{
	struct bpf_program *empty;
	uint32_t zero = 0;
	int who, fd;

	for (who = 0; who < WHO; who++) {
		if (!xdp_load(&l->xdp[who], "again.bpf.o"))
			return false;
		empty = bpf_object__find_program_by_name(l->xdp[who].object,
							 "empty");
		fd = who == EMPTY ? bpf_program__fd(empty) : native_prog();
		if (bpf_map_update_elem(fd_of(&l->xdp[who], "next"), &zero, &fd,
					BPF_ANY))
			return fail("the next program", errno);
	}
	return true;
}

/* Set up queue pair and request of lane @n, without touching the other lanes. */
static void stage(const struct row *row, int n)
{
	struct again *a = &lanes[n].request;
	struct frame f;

	scene.qp.qpn = SCENE_QPN + n;
	if (row->ours)
		scene_request(&scene, row->opcode);
	else
		scene_put(&scene);
	if (row->opcode == XROCE_RC_WRITE_ONLY)
		scene_payload(&scene, 64);
	scene.req.dqpn = SCENE_QPN + n;
	if (!row->ours) {
		scene.req.dqpn = OTHER_QPN;
		if (strstr(row->name, "UDP"))
			scene.req.dport = 12345;
		if (strstr(row->name, "TCP"))
			scene.req.proto = IPPROTO_TCP;
	}
	packet_build(&scene.req, &f);
	*a = (struct again){
		.len = f.len,
		.psn_at = f.bth + 8,
		.psn = 0x80000000u | scene.req.psn,	/* bit 31 is AckReq */
	};
	memcpy(a->bytes, f.bytes, f.len);
}

/* Return: nanoseconds of one run, or 0 after a message. */
static double run(const struct lane *l, int who)
{
	uint32_t zero = 0;
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		.data_in = l->request.bytes,
		.data_size_in = l->request.len,
		.repeat = REPEAT,
	);
	struct bpf_program *again;
	int err;

	again = bpf_object__find_program_by_name(l->xdp[who].object, "again");
	err = bpf_map_update_elem(fd_of(&l->xdp[who], "request"), &zero,
				  &l->request, BPF_ANY);
	if (!err)
		err = bpf_prog_test_run_opts(bpf_program__fd(again), &opts);
	if (err || opts.retval == XDP_ABORTED) {
		fail("test run", err ? errno : EIO);
		return 0;
	}
	return opts.duration;
}

static uint64_t executed(void)
{
	struct xroce_stat stat;

	native_get_stat(&stat);
	return stat.write + stat.read + stat.atomic;
}

static bool measure(const struct row *row, json_object *all)
{
	double ns[WHO][ROUNDS], empty, xroce;
	json_object *o = json_object_new_object();
	uint64_t before;
	int i, who;

	if (!scene_init(&scene))
		return false;
	for (i = 0; i < ROUNDS; i++) {
		for (who = 0; who < WHO; who++) {
			stage(row, 0);
			before = executed();
			ns[who][i] = run(&lanes[0], who);
			if (!ns[who][i])
				return false;
			if (executed() - before !=
			    (who == XROCE && row->ours ? REPEAT : 0))
				return fail(row->name, EPROTO);
		}
	}
	empty = median(ns[EMPTY], ROUNDS);
	xroce = median(ns[XROCE], ROUNDS);
	printf("%-18s %8.0f %8.0f %8.0f\n", row->name, empty, xroce,
	       xroce - empty);
	json_object_object_add(o, "row", json_object_new_string(row->name));
	json_object_object_add(o, "empty_ns", json_object_new_double(empty));
	json_object_object_add(o, "xroce_ns", json_object_new_double(xroce));
	json_object_object_add(o, "verdict_ns",
			       json_object_new_double(xroce - empty));
	json_object_array_add(all, o);
	return true;
}

static void *on_cpu(void *arg)
{
	struct lane *l = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(l - lanes, &set);
	l->ok = !sched_setaffinity(0, sizeof(set), &set);
	l->ns = l->ok ? run(l, XROCE) : 0;
	return NULL;
}

/* Run on CPUs @first to @last at the same time. Return: runs in a nanosecond, or 0. */
static double rate(const struct row *row, int first, int last)
{
	pthread_t threads[CPUS];
	double sum = 0;
	int n;

	for (n = first; n <= last; n++)
		stage(row, n);
	for (n = first; n <= last; n++)
		if (pthread_create(&threads[n], NULL, on_cpu, &lanes[n]))
			return 0;
	for (n = first; n <= last; n++) {
		pthread_join(threads[n], NULL);
		if (!lanes[n].ns)
			return 0;
		sum += 1 / lanes[n].ns;
	}
	return sum;
}

static bool two_cpus(const struct row *row, json_object *all)
{
	json_object *o = json_object_new_object();
	double ratio[ROUNDS], a, b, both, m;
	int i;

	if (!scene_init(&scene))
		return false;
	for (i = 0; i < ROUNDS; i++) {
		a = rate(row, 0, 0);
		b = rate(row, 1, 1);
		both = rate(row, 0, 1);
		if (!a || !b || !both)
			return fail(row->name, EIO);
		ratio[i] = both / ((a + b) / 2);
	}
	m = median(ratio, ROUNDS);
	printf("%-18s %8.2f\n", row->name, m);
	json_object_object_add(o, "row", json_object_new_string(row->name));
	json_object_object_add(o, "two_cpus", json_object_new_double(m));
	json_object_array_add(all, o);
	return true;
}

int main(int argc, char **argv)
{
	json_object *all = json_object_new_array();
	const char *out = NULL;
	bool ok = true;
	size_t i;

	if (argc == 3 && !strcmp(argv[1], "-o"))
		out = argv[2];
	else if (argc > 1) {
		fprintf(stderr, "usage: native [-o FILE]\n");
		return 2;
	}
	if (!native_open())
		return 1;
	for (i = 0; i < CPUS; i++)
		ok = ok && lane_open(&lanes[i]);
	if (ok)
		printf("%-18s %8s %8s %8s\n", "nanoseconds", "empty", "xroce",
		       "verdict");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		ok = ok && measure(&rows[i], all);
	if (ok && sysconf(_SC_NPROCESSORS_ONLN) >= CPUS) {
		printf("\n%-18s %8s\n", "", "two CPUs");
		for (i = 0; i < ARRAY_SIZE(rows); i++)
			ok = ok && (!rows[i].ours || two_cpus(&rows[i], all));
	}
	for (i = 0; i < CPUS; i++) {
		xdp_detach(&lanes[i].xdp[EMPTY]);
		xdp_detach(&lanes[i].xdp[XROCE]);
	}
	if (out && json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY))
		ok = fail(out, errno);
	json_object_put(all);
	return !ok;
}
