// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the frequency of this host's time stamp counter in kHz, for vm.sh: that of an emulated
 * machine is the same. Prints nothing where there is none. Uses nothing of this tree.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>

#define SAMPLES	1000

struct point {
	uint64_t ticks;
	uint64_t ns;
};

/* A time by both clocks. Of several samples the one that was interrupted least. */
static struct point now(void)
{
	uint64_t before, after, least = UINT64_MAX;
	struct point p = {};
	struct timespec t;
	int i;

	for (i = 0; i < SAMPLES; i++) {
		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC, &t);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		p.ticks = before + least / 2;
		p.ns = t.tv_sec * 1000000000ull + t.tv_nsec;
	}
	return p;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	struct point a = now(), b;

	nanosleep(&pause, NULL);
	b = now();
	printf("%.0f\n", (b.ticks - a.ticks) * 1e6 / (b.ns - a.ns));
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
