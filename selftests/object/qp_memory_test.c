// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that packets make a queue pair allocate is charged to the control group of the
 * process that made the queue pair, although it is allocated in softirq.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "group.h"
#include "wire.h"

#define QPS		60u
#define RESPONSES		10240u	/* bytes that a queue pair's response queue takes */

/* A READ that is long enough for the module to send the responses. */
static bool read_long(struct wire *w)
{
	struct packet got;

	w->req.opcode = XROCE_RC_READ_REQUEST;
	w->req.dmalen = WIRE_BYTES;
	w->req.payload = 0;
	return wire_send(w) &&
	       check(wire_take(w, WIRE_MS, &got, NULL) &&
		     got.opcode == XROCE_RC_READ_RESPONSE_FIRST, "no answer");
}

static void in_group(void)
{
	static struct wire first, qp[QPS];
	struct wire_opts opts = {};
	unsigned long long before, after;
	__u32 i, n;

	if (!wire_open(&first, &opts) || !read_long(&first))
		return;
	opts.with = &first;
	for (n = 0; n < QPS; n++) {
		opts.peer = WIRE_QPN + 1 + n;
		if (!wire_open(&qp[n], &opts))
			break;
	}
	before = group_used();
	for (i = 0; i < n && read_long(&qp[i]); i++)
		;
	after = group_used();
	note("%llu bytes before, %llu after", before, after);
	/* The kernel accounts in batches of 64 pages on each CPU. */
	check(after >= before + QPS * RESPONSES / 2, "%lld bytes for %u queue pairs",
	      (long long)(after - before), QPS);
	while (n)
		wire_close(&qp[--n]);
	wire_close(&first);
}

TEST(qp_memory_charged, "P2 U2",
     "memory of queued responses is charged to the maker's control group")
{
	int status;
	pid_t pid;

	if (!group_open("memory"))
		return;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (check(group_join(0), "join"))
			in_group();
		fflush(NULL);
		_exit(test_failed());
	}
	check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	      !WEXITSTATUS(status), "status %#x", status);
	group_close();
}

TEST_MAIN(live_main);
