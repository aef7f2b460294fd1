// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * All counters in Prometheus' text exposition format, version 0.0.4: families of samples, each
 * preceded by its HELP and TYPE lines. The texts of counters: xroce_counter.h.
 */
#include <stdio.h>
#include <string.h>

#include "counter.h"
#include "limit_reason.h"
#include "link.h"
#include "message.h"
#include "names.h"
#include "qp.h"
#include "text.h"
#include "watch/prometheus.h"
#include "watch/sample.h"

/* What the name of a metric of this type ends with. */
static const char *suffix(const char *type)
{
	return strcmp(type, "counter") ? "" : "_total";
}

static void family(const char *of, const char *name, const char *type,
		   const char *help)
{
	const char *end = suffix(type);

	printf("# HELP xroce_%s_%s%s %s\n# TYPE xroce_%s_%s%s %s\n",
	       of, name, end, help, of, name, end, type);
}

/* Print a label with its value in quotes. */
static void value(const char *label, const char *text)
{
	/* The longest is the name of a verbs device. */
	char clean[TEXT_SIZE(sizeof(((struct xroce_link_query *)0)->verbs))];
	const char *p;

	printf("%s=\"", label);
	/* Escape each backslash again, so that a reader gets the text of text_escape(). */
	for (p = text_escape(text, clean); *p; p++) {
		if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else
			putchar(*p);
	}
	putchar('"');
}

static void begin(const char *of, const char *name, const char *end,
		  const char *dev)
{
	printf("xroce_%s_%s%s{", of, name, end);
	value("dev", dev);
}

static void end(__u64 number)
{
	printf("} %llu\n", (unsigned long long)number);
}

/* Descriptions without a number: what a graph or an alert is joined with. */
static void print_info(const struct sample *s)
{
	size_t i;

	family("build", "info", "gauge", "always 1; the version of the command");
	puts("xroce_build_info{version=\"" XROCE_VERSION "\"} 1");
	family("link", "info", "gauge", "always 1; the labels describe the link");
	for (i = 0; i < s->nlinks; i++) {
		const struct xroce_link_query *q = &s->links[i].query;
		char verbs[sizeof(q->verbs) + 1];

		snprintf(verbs, sizeof(verbs), "%.*s", (int)sizeof(q->verbs), q->verbs);
		begin("link", "info", "", s->links[i].dev);
		printf(",mode=\"%s\",", link_mode(q->ifindex));
		value("verbs", verbs);
		end(1);
	}
}

#define LIMIT(name, field, used, help) \
	{ name, offsetof(struct sample_link, field), used, help }

/* Numbers of each kind of object that has limits; a limit that is not set is left out. */
static void print_limits(const struct sample *s)
{
	static const struct {
		const char *name;
		size_t offset;		/* of an array, in struct sample_link */
		bool used;		/* each number is valid: it is no limit */
		const char *help;
	} limits[] = {
		LIMIT("limit_used", limits.used, true,
		      "objects that count for the limits of the link, and bytes pinned"),
		LIMIT("limit", limits.limit, false,
		      "limit of the link; a limit that is missing is not set"),
		LIMIT("limit_user", user.limit, false, "limit of each user of the link, likewise"),
	};
	const __u64 *numbers;
	size_t i, l, of;

	for (l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
		family("link", limits[l].name, "gauge", limits[l].help);
		for (i = 0; i < s->nlinks; i++) {
			numbers = (const __u64 *)((const char *)&s->links[i] + limits[l].offset);
			for (of = 0; s->links[i].limited && of < XROCE_COUNTED; of++) {
				if (!limits[l].used && numbers[of] == XROCE_LIMIT_NONE)
					continue;
				begin("link", limits[l].name, "", s->links[i].dev);
				printf(",of=\"%s\"", limit_word(of));
				end(numbers[of]);
			}
		}
	}
}

/* What has been refused, by kind of object. */
static void print_refused(const struct sample *s)
{
	size_t i, what;

	family("link", "refused", "counter",
	       "objects and memory refused by a limit, a user's share, or a full table");
	for (i = 0; i < s->nlinks; i++) {
		for (what = 0; s->links[i].limited && what < XROCE_REFUSED; what++) {
			begin("link", "refused", "_total", s->links[i].dev);
			printf(",of=\"%s\"", limit_word(what));
			end(s->links[i].limits.refused[what]);
		}
	}
}

static void print_links(const struct sample *s)
{
	static const struct {
		const char *name;
		size_t offset;
		const char *help;
	} gauges[] = {
		{ "pds", offsetof(struct xroce_link_query, pds),
		  "protection domains" },
		{ "mrs", offsetof(struct xroce_link_query, mrs),
		  "memory regions" },
		{ "qps", offsetof(struct xroce_link_query, qps),
		  "queue pairs" },
		{ "users", offsetof(struct xroce_link_query, users),
		  "descriptors that use the link" },
		{ "mpt_entries", offsetof(struct xroce_link_query, mpt_entries),
		  "entries of the memory protection table: the most regions and windows" },
		{ "qp_entries", offsetof(struct xroce_link_query, qp_entries),
		  "entries of the queue pair table: the most queue pairs" },
	};
	size_t g, i;

	for (g = 0; g < sizeof(gauges) / sizeof(gauges[0]); g++) {
		family("link", gauges[g].name, "gauge", gauges[g].help);
		for (i = 0; i < s->nlinks; i++) {
			begin("link", gauges[g].name, "", s->links[i].dev);
			end(*(const __u32 *)((const char *)&s->links[i].query +
					     gauges[g].offset));
		}
	}
	for (g = 0; g < LINK_COUNTERS; g++) {
		family("link", xroce_link_counters[g].name, "counter",
		       xroce_link_counters[g].note);
		for (i = 0; i < s->nlinks; i++) {
			begin("link", xroce_link_counters[g].name, "_total",
			      s->links[i].dev);
			end(counter_value(&xroce_link_counters[g],
					  &s->links[i].stat));
		}
	}
}

static void begin_qp(const char *name, const char *tail,
		     const struct sample_qp *qp)
{
	begin("qp", name, tail, qp->dev);
	printf(",qpn=\"0x%06x\"", qp->query.qpn);
}

/* The packets that were dropped, by cause, and their sum. */
static void print_qp_drops(const struct sample *s)
{
	size_t c, i;

	for (c = 0; c < QP_DROPS; c++) {
		const struct counter *counter = &QP_DROP_COUNTERS[c];

		family("qp", counter->name, "counter", counter->note);
		for (i = 0; i < s->nqps; i++) {
			begin_qp(counter->name, "_total", &s->qps[i]);
			end(s->qps[i].query.drops[c]);
		}
	}
	family("qp", "drops", "counter", "packets dropped, for any cause");
	for (i = 0; i < s->nqps; i++) {
		begin_qp("drops", "_total", &s->qps[i]);
		end(qp_drops(&s->qps[i].query));
	}
}

#define PATH(name, member, help) { name, offsetof(struct xroce_qp_query, member), \
				   sizeof(((struct xroce_qp_query *)0)->member), help }

/* What requester and responder know of their path; 0: nothing. */
static void print_paths(const struct sample *s)
{
	static const struct {
		const char *name;
		size_t offset;
		size_t size;
		const char *help;
	} gauges[] = {
		PATH("sq_srtt_microseconds", sq_srtt, "smoothed round-trip time"),
		PATH("sq_outstanding", sq_outstanding,
		     "packets that have been sent and have not arrived"),
		PATH("cc_window", cc_window,
		     "packets that may be outstanding by congestion control"),
		PATH("cc_rate_bytes", cc_rate,
		     "bytes a second by congestion control; 0: as fast as the window allows"),
		PATH("read_rate_bytes", read_rate,
		     "bytes a second of responses to READs; 0: as fast as possible"),
	};
	const char *at;
	size_t g, i;

	for (g = 0; g < sizeof(gauges) / sizeof(gauges[0]); g++) {
		family("qp", gauges[g].name, "gauge", gauges[g].help);
		for (i = 0; i < s->nqps; i++) {
			begin_qp(gauges[g].name, "", &s->qps[i]);
			at = (const char *)&s->qps[i].query + gauges[g].offset;
			end(gauges[g].size == sizeof(__u64) ? *(const __u64 *)at :
							      *(const __u32 *)at);
		}
	}
}

static void print_qps(const struct sample *s)
{
	size_t c, i;

	family("qp", "info", "gauge", "always 1; the labels describe the queue pair");
	for (i = 0; i < s->nqps; i++) {
		const struct xroce_qp_query *q = &s->qps[i].query;
		char cc[sizeof(q->cc) + 1];

		begin_qp("info", "", &s->qps[i]);
		printf(",pd=\"%u\",type=\"%s\",state=\"%s\",cause=\"%s\",",
		       q->pd, name_of_qp_type(q->type),
		       name_of_qp_state(q->state),
		       q->cause ? xroce_cause_str(q->cause) : "");
		snprintf(cc, sizeof(cc), "%.*s", (int)sizeof(q->cc), q->cc);
		value("cc", cc);
		end(1);
	}
	print_paths(s);
	for (c = 0; c < QP_COUNTERS; c++) {
		family("qp", xroce_qp_counters[c].name, "counter",
		       xroce_qp_counters[c].note);
		for (i = 0; i < s->nqps; i++) {
			begin_qp(xroce_qp_counters[c].name, "_total", &s->qps[i]);
			end(counter_value(&xroce_qp_counters[c], &s->qps[i].query));
		}
	}
	print_qp_drops(s);
}

static void begin_mr(const char *name, const char *tail,
		     const struct sample_mr *mr)
{
	const struct xroce_mr_query *q = &mr->query;
	char text[XROCE_NAME_MAX + 1];

	snprintf(text, sizeof(text), "%.*s", (int)sizeof(q->name), q->name);
	begin("mr", name, tail, mr->dev);
	printf(",mr=\"0x%x\",", q->mr);
	value("name", text);
}

#define DEMAND(name, field, type, help) \
	{ { name, offsetof(struct xroce_mr_query, field), help }, type }

/* On-demand regions only. Regions that share memory have the same values. */
static void print_demand(const struct sample *s)
{
	static const struct {
		struct counter c;
		const char *type;
	} demand[] = {
		DEMAND("resident", odp_resident, "gauge", "pages that are present"),
		DEMAND("children", odp_children, "gauge", "parts of the memory"),
		DEMAND("metadata_bytes", odp_bytes, "gauge",
		       "kernel memory of the translation, in bytes"),
		DEMAND("faults", odp_faults, "counter", "faults that brought in missing pages"),
		DEMAND("faults_failed", odp_failed, "counter", "faults that failed"),
		DEMAND("fault_pages", odp_pages, "counter",
		       "pages brought in, including pages ahead of an access"),
		DEMAND("invalidated", odp_invalidated, "counter",
		       "entries that the kernel has invalidated"),
		DEMAND("prefetched", odp_prefetched, "counter",
		       "pages that mr advise brought in or found present"),
	};
	size_t c, i;

	for (c = 0; c < sizeof(demand) / sizeof(demand[0]); c++) {
		const struct counter *counter = &demand[c].c;

		family("mr", counter->name, demand[c].type, counter->note);
		for (i = 0; i < s->nmrs; i++) {
			if (!(s->mrs[i].query.access & XROCE_ACCESS_ON_DEMAND))
				continue;
			begin_mr(counter->name, suffix(demand[c].type),
				 &s->mrs[i]);
			end(counter_value(counter, &s->mrs[i].query));
		}
	}
}

static void print_mrs(const struct sample *s)
{
	size_t c, i;

	family("mr", "length_bytes", "gauge", "length of the region in bytes");
	for (i = 0; i < s->nmrs; i++) {
		begin_mr("length_bytes", "", &s->mrs[i]);
		end(s->mrs[i].query.length);
	}
	for (c = 0; c < MR_COUNTERS; c++) {
		family("mr", xroce_mr_counters[c].name, "counter",
		       xroce_mr_counters[c].note);
		for (i = 0; i < s->nmrs; i++) {
			if (!s->mrs[i].counted)
				continue;
			begin_mr(xroce_mr_counters[c].name, "_total", &s->mrs[i]);
			end(counter_value(&xroce_mr_counters[c], &s->mrs[i].stat));
		}
	}
	print_demand(s);
}

static void print_pool(void)
{
	struct xroce_mtt_query q = {};

	/* Omitted without CAP_NET_ADMIN, which only this query needs. */
	if (xroce_mtt_query(&q))
		return;
	family("mtt", "entries", "gauge",
	       "entries of the pool of translation tables");
	printf("xroce_mtt_entries %llu\n", (unsigned long long)q.entries);
	family("mtt", "used_entries", "gauge", "entries of the pool that are in use");
	printf("xroce_mtt_used_entries %llu\n", (unsigned long long)q.used);
	family("mtt", "largest_entries", "gauge", "entries of the longest free run in the pool");
	printf("xroce_mtt_largest_entries %llu\n",
	       (unsigned long long)q.largest);
}

int prometheus_print(const char *netdev)
{
	struct sample s;
	int status = sample_take(netdev, &s);

	if (status)
		return status;
	print_info(&s);
	print_links(&s);
	print_limits(&s);
	print_refused(&s);
	print_qps(&s);
	print_mrs(&s);
	print_pool();
	sample_free(&s);
	return EXIT_OK;
}
