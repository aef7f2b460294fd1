// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare dashboard and alerts of examples/ with the metrics that the command prints. The
 * command's own functions print a sample that is made here; metrics.py compares.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counter.h"
#include "harness.h"
#include "watch/prometheus.h"
#include "watch/sample.h"

int __wrap_sample_take(const char *netdev, struct sample *s);
int __wrap_xroce_mtt_query_sized(struct xroce_mtt_query *q, size_t size);

/* Each kind of object has been refused one more time than the one before. */
static void limit(struct sample_link *link)
{
	int of;

	link->limited = true;
	for (of = 0; of < XROCE_COUNTED; of++) {
		link->limits.used[of] = 500 + of;
		link->limits.limit[of] = XROCE_LIMIT_NONE;
		link->user.limit[of] = XROCE_LIMIT_NONE;
	}
	link->limits.limit[XROCE_COUNT_MR] = 1001;
	link->limits.limit[XROCE_COUNT_PINNED] = 1006;
	link->user.limit[XROCE_COUNT_QP] = 100;
	for (of = 0; of < XROCE_REFUSED; of++)
		link->limits.refused[of] = of;
}

/* Linked instead of the functions that ask the module: one object of each kind, two links. */
int __wrap_sample_take(const char *netdev, struct sample *s)
{
	(void)netdev;
	*s = (struct sample){
		.links = calloc(2, sizeof(*s->links)),
		.qps = calloc(1, sizeof(*s->qps)),
		.mrs = calloc(1, sizeof(*s->mrs)),
		.nlinks = 2,
		.nqps = 1,
		.nmrs = 1,
	};
	strcpy(s->links->dev, "x0");
	strcpy(s->links->query.verbs, "xr0");
	limit(s->links);
	strcpy(s->links[1].dev, "x1");
	s->qps->dev = s->links->dev;
	s->qps->query.sq_srtt = 250;
	s->qps->query.sq_outstanding = 11;
	s->qps->query.cc_window = 12;
	s->qps->query.cc_rate = 5000000000;
	s->qps->query.read_rate = 6000000000;
	s->qps->query.req_cnps = 13;
	strcpy(s->qps->query.cc, "delay");
	s->mrs->dev = s->links->dev;
	s->mrs->counted = true;
	return 0;
}

int __wrap_xroce_mtt_query_sized(struct xroce_mtt_query *q, size_t size)
{
	memset(q, 0, size);
	q->entries = 1;
	return 0;
}

static char top[PATH_MAX];		/* of the source tree */
static char printed[] = "/tmp/xroce-metrics-XXXXXX";

/* Print all metrics into the file @printed. */
static bool print_all(void)
{
	int out = dup(STDOUT_FILENO), fd = mkstemp(printed);
	int status;

	fflush(stdout);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return false;
	status = prometheus_print(NULL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(fd);
	return !status;
}

/* Return: exit status of the shell command, or -1. */
static int run(const char *command)
{
	int status;

	fflush(stdout);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* metrics.py exits with @want for an example that @sed has changed. */
static void judged(const char *example, const char *sed, int want)
{
	const char *suffix = strrchr(example, '.');
	char command[3 * PATH_MAX];
	int status;

	snprintf(command, sizeof(command),
		 "sed '%s' %s/examples/%s >%s%s && %s/selftests/command/metrics.py %s %s%s >%s.said; "
		 "status=$?; [ $status = %d ] || cat %s.said; rm -f %s%s %s.said; exit $status",
		 sed, top, example, printed, suffix, top, printed, printed, suffix, printed,
		 want, printed, printed, suffix, printed);
	status = run(command);
	check(status == want, "%s, %s: %d, not %d", example, sed, status, want);
}

#define DASHBOARD	"grafana/xroce.json"
#define ALERTS		"prometheus/alerts.yml"

TEST(metrics_examples, "U1 D6", "dashboard and alerts use metrics that the command prints")
{
	judged(DASHBOARD, "", 0);
	judged(ALERTS, "", 0);
}

/* metrics.py detects mistakes. */
TEST(metrics_mistakes, "U1 D6", "a metric that the command does not print is detected")
{
	judged(DASHBOARD, "s/xroce_link_rx_total/xroce_link_received_total/", 1);
	judged(DASHBOARD, "s/xroce_link_users/xroce_link_programs/", 1);
	judged(DASHBOARD, "s/by (instance, dev, qpn)/by (instance, dev, number)/", 1);
	judged(DASHBOARD, "s/{{qpn}}/{{number}}/", 1);
	judged(DASHBOARD, "s/\"expr\"/\"query\"/", 1);
	judged(ALERTS, "s/link_acc_pd_total/link_acc_domain_total/", 1);
	judged(ALERTS, "s/node_textfile_mtime_seconds/node_textfile_time/", 1);
	judged(ALERTS, "s/xroce_qp_info{state=/xroce_qp_info{status=/", 1);
	judged(ALERTS, "s/labels.cause/labels.why/", 1);
	judged(ALERTS, "s/drop_tx_total\\[10m\\]/drop_tx_total/", 1);
	judged(ALERTS, "s/expr:/expression:/", 1);
	judged(ALERTS, "s/link_limit_used/link_limit_in_use/", 1);
	judged(DASHBOARD, "s/xroce_link_req_timeout_total/xroce_link_timeout_total/", 1);
	judged(DASHBOARD, "s/dev, of)/dev, kind)/", 1);
	judged(ALERTS, "s/link_drop_peer_total/link_drop_stranger_total/", 1);
	judged(ALERTS, "s/link_own_refused_total/link_own_total/", 1);
	judged(ALERTS, "s/link_peer_refused_total/link_peer_total/", 1);
	judged(ALERTS, "s/link_refused_total/link_limited_total/", 1);
	judged(ALERTS, "s/qp_req_cnps_total/qp_cnps_total/", 1);
	judged(DASHBOARD, "s/qp_sq_srtt_microseconds/qp_srtt/", 1);
}

static void on_dashboard(const char *name)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "grep -q '(xroce_link_%s_total{' %s/examples/%s", name,
		 top, DASHBOARD);
	check(!run(command), "%s is in no panel", name);
}

TEST(metrics_panels, "U1 D6", "each counter of a link is in a panel of the dashboard")
{
	size_t c;

	for (c = 0; c < LINK_COUNTERS; c++)
		on_dashboard(xroce_link_counters[c].name);
	on_dashboard("refused");
}

/* grep finds @lines lines of what is printed. */
static void has(const char *pattern, int lines)
{
	char command[2 * PATH_MAX];
	int status;

	snprintf(command, sizeof(command), "[ $(grep -cE '%s' %s) = %d ]", pattern, printed, lines);
	status = run(command);
	check(!status, "not %d times: %s", lines, pattern);
}

TEST(metrics_info, "U1 D6", "version, mode and verbs device of a link")
{
	has("^xroce_build_info\\{version=\"[^\"]+\"\\} 1$", 1);
	has("^xroce_link_info\\{dev=\"x0\",mode=\"[a-z]+\",verbs=\"xr0\"\\} 1$", 1);
	has("^xroce_link_qp_entries\\{dev=\"x0\"\\} [0-9]+$", 1);
}

TEST(metrics_path, "U1 V7 D6", "round-trip time and congestion control of a queue pair")
{
	has("^xroce_qp_info\\{.*,cc=\"delay\"\\} 1$", 1);
	has("^xroce_qp_sq_srtt_microseconds\\{.*\\} 250$", 1);
	has("^xroce_qp_sq_outstanding\\{.*\\} 11$", 1);
	has("^xroce_qp_cc_window\\{.*\\} 12$", 1);
	has("^xroce_qp_cc_rate_bytes\\{.*\\} 5000000000$", 1);
	has("^xroce_qp_read_rate_bytes\\{.*\\} 6000000000$", 1);
	has("^xroce_qp_req_cnps_total\\{.*\\} 13$", 1);
}

/* Kinds of objects without a limit have no sample, nor have links whose limits are not known. */
TEST(metrics_limits, "U1 D6", "limits of links and users, present use, what is refused")
{
	has("^xroce_link_limit_used\\{dev=\"x0\",of=\"[a-z]+\"\\} 50[0-9]$", XROCE_COUNTED);
	has("^xroce_link_limit\\{dev=\"x0\",of=\"(mr|pinned)\"\\} 100[16]$", 2);
	has("^xroce_link_limit\\{", 2);
	has("^xroce_link_limit_user\\{dev=\"x0\",of=\"qp\"\\} 100$", 1);
	has("^xroce_link_limit_user\\{", 1);
	has("^xroce_link_refused_total\\{dev=\"x0\",of=\"[a-z]+\"\\} [0-9]+$", XROCE_REFUSED);
	has("^xroce_link_refused_total\\{dev=\"x0\",of=\"memlock\"\\} 11$", 1);
	has("^xroce_link_(limit.*|refused_total)\\{dev=\"x1\"", 0);
}

static int run_tests(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", top, sizeof(top) - 1);
	int i, status;

	/* The program is build/selftests/prometheus_test. */
	for (i = 0; n > 0 && i < 3; i++)
		*strrchr(top, '/') = 0;
	if (n <= 0 || !print_all()) {
		printf("Bail out! nothing is printed\n");
		return 1;
	}
	status = harness_main(argc, argv);
	unlink(printed);
	return status;
}

TEST_MAIN(run_tests);
