// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of binding and revoking a memory window, compared with rxe, and with registering a
 * region, the other way to grant access. Run by bench.sh.
 *
 *   windows [-o FILE]
 *
 * "posted": work requests are written into the ring, and one system call of xroce applies
 * 64 of them: little more than the cost to a packet that finds them. "alone": each is
 * applied by its own system call and its completion is polled; rxe has no other way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>
#include <sys/mman.h>

#include "harness.h"
#include "windows.h"

#define ROUNDS		9	/* the median is reported; one more to warm up */

void *mw_memory;
static bool failed;

bool mw_done(int err, const char *what)
{
	if (err) {
		fprintf(stderr, "bench: %s: %s\n", what,
			strerror(err < 0 ? -err : err));
		failed = true;
	}
	return !err;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/**
 * struct row - what is measured
 * @name: for readers and in JSON
 * @own: do it @n times with xroce
 * @rxe: the same with rxe; NULL: not supported
 * @n: repetitions
 */
static const struct row {
	const char *name;
	void (*own)(uint32_t n);
	void (*rxe)(uint32_t n);
	uint32_t n;
} rows[] = {
	{ "bind type 1, posted", own_one_posted, NULL, MW_BATCH },
	{ "bind/invalidate type 2, posted", own_two_posted, NULL, MW_BATCH },
	{ "bind type 1, alone", own_one_alone, rxe_one, MW_BATCH },
	{ "bind/invalidate type 2, alone", own_two_alone, rxe_two, MW_BATCH },
	{ "register and deregister 1 MiB", own_register, rxe_register, 4 },
	{ "re-register 1 MiB, memory", own_reregister, NULL, 4 },
	{ "re-register 1 MiB, rights only", own_rights, NULL, 4 },
};

static int compare(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

static double cost(void (*fn)(uint32_t n), uint32_t n)
{
	double v[ROUNDS], start;
	int i;

	fn(n);
	for (i = 0; i < ROUNDS; i++) {
		start = now();
		fn(n);
		v[i] = (now() - start) / n;
	}
	qsort(v, ROUNDS, sizeof(v[0]), compare);
	return v[ROUNDS / 2];
}

static void measure(json_object *all)
{
	json_object *o;
	double c;
	size_t i;

	printf("%-32s %10s %10s\n", "instructions", "xroce", "rxe");
	for (i = 0; i < ARRAY_SIZE(rows) && !failed; i++) {
		o = json_object_new_object();
		json_object_object_add(o, "what",
				       json_object_new_string(rows[i].name));
		c = cost(rows[i].own, rows[i].n);
		json_object_object_add(o, "xroce", json_object_new_int64(c));
		printf("%-32s %10.0f", rows[i].name, c);
		if (rows[i].rxe) {
			c = cost(rows[i].rxe, rows[i].n);
			json_object_object_add(o, "rxe",
					       json_object_new_int64(c));
			printf(" %10.0f\n", c);
		} else {
			printf(" %10s\n", "-");
		}
		fflush(stdout);
		json_object_array_add(all, o);
	}
}

int main(int argc, char **argv)
{
	json_object *all = json_object_new_array();
	const char *out = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "o:")) != -1) {
		if (opt != 'o')
			return 2;
		out = optarg;
	}
	mw_memory = mmap(NULL, MW_LENGTH, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mw_memory == MAP_FAILED)
		return 1;
	/* Small pages, resident. */
	madvise(mw_memory, MW_LENGTH, MADV_NOHUGEPAGE);
	memset(mw_memory, 1, MW_LENGTH);
	if (!own_open())
		return 1;
	if (rxe_open())
		measure(all);
	else
		failed = true;
	if (out && !failed &&
	    json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY)) {
		fprintf(stderr, "bench: %s: cannot be written\n", out);
		failed = true;
	}
	json_object_put(all);
	own_close();
	return failed;
}
