// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prolongs two moments: after a queue of responses has been sent, while the CPU is still
 * in the module; and after a response has been queued, before the poll continues.
 */
#include <stdbool.h>

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "stall.h"

#define TURNS		(1 << 23)
#define PATIENCE_NS	5000000000ull	/* limit of a stalled run */
#define WHILE_NS	100000000ull	/* time in which another run may end */

/* The test and the other CPU write it at the same time. */
volatile struct stall stall;

struct until {
	__u64 ns;
	__u32 step;
};

static long turn(__u32 i, struct until *until)
{
	return stall.step != until->step || stall.runs ||
	       bpf_ktime_get_ns() > until->ns;
}

/* Wait while the step is @step and no run has ended, at most @ns nanoseconds. */
static void stay(__u32 step, __u64 ns)
{
	struct until until = { .ns = bpf_ktime_get_ns() + ns, .step = step };

	bpf_loop(TURNS, turn, &until, 0);
}

SEC("fexit")
int run_ended(void *ctx)
{
	switch (stall.step) {
	case STALL_RUN:
		stall.step = STALL_STALLED;
		stay(STALL_STALLED, PATIENCE_NS);
		break;
	case STALL_POLL:
		stall.runs = 1;
		break;
	}
	return 0;
}

SEC("fexit")
int response_queued(void *ctx)
{
	if (stall.step == STALL_STALLED) {
		stall.step = STALL_POLL;
		stay(STALL_POLL, WHILE_NS);
		stall.step = STALL_DONE;
	}
	return 0;
}

char _license[] SEC("license") = "GPL";
