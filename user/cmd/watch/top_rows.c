// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The rows of "xroce top": rates between two samples, sorted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "names.h"
#include "qp.h"
#include "text.h"
#include "units.h"
#include "watch/top.h"

const char *const top_sort_names[TOP_SORTS] = {
	[TOP_BYTES] = "bytes", [TOP_PACKETS] = "packets",
	[TOP_ERRORS] = "errors", [TOP_ID] = "id",
};

const char *const top_rate_names[TOP_TABLES][TOP_RATES + 1] = {
	[TOP_LINKS] = { "rx", "rx_bytes", "tx", "tx_bytes", "duplicates", "naks",
			"drops" },
	[TOP_QPS] = { "packets", "bytes", "tx", "tx_bytes", "duplicates", "naks",
		      "drops" },
	[TOP_MRS] = { "requests", "in_bytes", "out_bytes", "atomics",
		      "refused" },
};

/* Rate of a counter, which may have been reset to zero since @before. */
static double rate(__u64 now, __u64 before, double interval)
{
	return (now >= before ? now - before : now) / interval;
}

static __u64 naks(const struct xroce_stat *s)
{
	return s->nak_seq + s->nak_inv + s->nak_acc + s->nak_op + s->nak_rnr;
}

/* Number of dropped packets, for all causes. */
static __u64 drops(const struct xroce_stat *s)
{
	const __u64 *first = &s->drop_length, *last = &s->drop_tx;
	__u64 sum = 0;

	while (first <= last)
		sum += *first++;
	return sum;
}

static void link_row(const struct sample_link *now,
		     const struct sample_link *before, double interval,
		     struct top_row *r)
{
	static const struct xroce_stat zeros;
	const struct xroce_stat *n = &now->stat;
	const struct xroce_stat *b = before ? &before->stat : &zeros;

	r->dev = now->dev;
	r->id = now->query.link;
	r->state = link_mode(now->query.ifindex);
	r->rates[0] = rate(n->rx, b->rx, interval);
	r->rates[1] = rate(n->rx_bytes, b->rx_bytes, interval);
	r->rates[2] = rate(n->tx, b->tx, interval);
	r->rates[3] = rate(n->tx_more, b->tx_more, interval);
	r->rates[4] = rate(n->duplicate, b->duplicate, interval);
	r->rates[5] = rate(naks(n), naks(b), interval);
	r->rates[6] = rate(drops(n), drops(b), interval);
	r->key[TOP_BYTES] = r->rates[1] + r->rates[3];
	r->key[TOP_PACKETS] = r->rates[0] + r->rates[2];
	r->key[TOP_ERRORS] = r->rates[5] + r->rates[6];
	r->bad = r->key[TOP_ERRORS] > 0;
}

static void qp_row(const struct sample_qp *now, const struct sample_qp *before,
		   double interval, struct top_row *r)
{
	static const struct xroce_qp_query zeros;
	const struct xroce_qp_query *n = &now->query;
	const struct xroce_qp_query *b = before ? &before->query : &zeros;

	r->dev = now->dev;
	r->id = n->qpn;
	r->state = name_of_qp_state(n->state);
	r->cause = n->cause ? xroce_cause_str(n->cause) : "";
	if (n->path_mtu)
		name_of_gid(n->dgid, r->name);
	r->rates[0] = rate(n->packets, b->packets, interval);
	r->rates[1] = rate(n->bytes, b->bytes, interval);
	r->rates[2] = rate(n->tx, b->tx, interval);
	r->rates[3] = rate(n->tx_bytes, b->tx_bytes, interval);
	r->rates[4] = rate(n->duplicates, b->duplicates, interval);
	r->rates[5] = rate(n->naks, b->naks, interval);
	r->rates[6] = rate(qp_drops(n), qp_drops(b), interval);
	r->key[TOP_BYTES] = r->rates[1] + r->rates[3];
	r->key[TOP_PACKETS] = r->rates[0] + r->rates[2];
	r->key[TOP_ERRORS] = r->rates[4] + r->rates[5] + r->rates[6];
	r->bad = r->rates[5] + r->rates[6] > 0 || n->state == XROCE_QPS_ERR;
}

static void mr_row(const struct sample_mr *now, const struct sample_mr *before,
		   double interval, struct top_row *r)
{
	static const struct xroce_mr_stat zeros;
	const struct xroce_mr_stat *n = &now->stat;
	const struct xroce_mr_stat *b = before ? &before->stat : &zeros;

	r->dev = now->dev;
	r->id = now->query.mr;
	r->length = now->query.length;
	snprintf(r->name, sizeof(r->name), "%.*s",
		 (int)sizeof(now->query.name), now->query.name);
	r->state = now->counted ? "" : "not counted";
	r->rates[0] = rate(n->in_requests + n->out_requests,
			   b->in_requests + b->out_requests, interval);
	r->rates[1] = rate(n->in_bytes, b->in_bytes, interval);
	r->rates[2] = rate(n->out_bytes, b->out_bytes, interval);
	r->rates[3] = rate(n->atomics, b->atomics, interval);
	r->rates[4] = rate(n->refused, b->refused, interval);
	r->key[TOP_BYTES] = r->rates[1] + r->rates[2];
	r->key[TOP_PACKETS] = rate(n->in_packets + n->out_packets + n->atomics,
				   b->in_packets + b->out_packets + b->atomics,
				   interval);
	r->key[TOP_ERRORS] = r->rates[4];
	r->bad = r->rates[4] > 0;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct top_row *r = a, *s = b;
	const enum top_sort sort = *(enum top_sort *)arg;

	/* Largest first; rows with equal keys are in the order of device and number. */
	if (sort != TOP_ID && r->key[sort] != s->key[sort])
		return r->key[sort] < s->key[sort] ? 1 : -1;
	if (strcmp(r->dev, s->dev))
		return strcmp(r->dev, s->dev);
	return (r->id > s->id) - (r->id < s->id);
}

int top_make(const struct sample *before, const struct sample *now,
	     enum top_sort sort, struct top_rows tables[TOP_TABLES])
{
	const double interval = now->time > before->time ?
				now->time - before->time : 1;
	const size_t counts[TOP_TABLES] = { now->nlinks, now->nqps, now->nmrs };
	size_t i;
	int t;

	memset(tables, 0, TOP_TABLES * sizeof(*tables));
	for (t = 0; t < TOP_TABLES; t++) {
		tables[t].rows = calloc(counts[t] ? : 1,
					sizeof(*tables[t].rows));
		if (!tables[t].rows) {
			top_free(tables);
			return -ENOMEM;
		}
		tables[t].count = counts[t];
	}
	for (i = 0; i < now->nlinks; i++)
		link_row(&now->links[i], sample_find_link(before, &now->links[i]),
			 interval, &tables[TOP_LINKS].rows[i]);
	for (i = 0; i < now->nqps; i++)
		qp_row(&now->qps[i], sample_find_qp(before, &now->qps[i]),
		       interval, &tables[TOP_QPS].rows[i]);
	for (i = 0; i < now->nmrs; i++)
		mr_row(&now->mrs[i], sample_find_mr(before, &now->mrs[i]),
		       interval, &tables[TOP_MRS].rows[i]);
	for (t = 0; t < TOP_TABLES; t++)
		qsort_r(tables[t].rows, tables[t].count,
			sizeof(*tables[t].rows), compare, &sort);
	return 0;
}

void top_free(struct top_rows tables[TOP_TABLES])
{
	int t;

	for (t = 0; t < TOP_TABLES; t++)
		free(tables[t].rows);
	memset(tables, 0, TOP_TABLES * sizeof(*tables));
}

/* Escape @text, and cut or pad it to @width columns. @to has CELL_SIZE() bytes. */
#define CELL_SIZE(n)	(TEXT_SIZE(n) + 16)
static void cell(char *to, const char *text, int width)
{
	int n = text_cut(text_escape(text, to), width);

	sprintf(to + strlen(to), "%*s", width - n, "");
}

/* Print the columns before the rates. Return: number of bytes. */
static int line_begin(enum top_table table, const struct top_row *r, char *line)
{
	char name[CELL_SIZE(sizeof(r->name))], dev[CELL_SIZE(IF_NAMESIZE)];
	char bytes[UNITS_MAX];

	if (r) {
		cell(dev, r->dev, 15);
		cell(name, r->name, 14);
	}
	switch (table) {
	case TOP_LINKS:
		return r ? sprintf(line, "%s %-8s", dev, r->state) :
			   sprintf(line, "%-15s %-8s", "LINK", "MODE");
	case TOP_QPS:
		return r ? sprintf(line, "0x%06llx %s %-5s %-15.39s",
				   (unsigned long long)r->id, dev, r->state,
				   r->name) :
			   sprintf(line, "%-8s %-15s %-5s %-15s", "QP", "DEV",
				   "STATE", "PEER");
	default:
		return r ? sprintf(line, "0x%-6llx %s %s %6s",
				   (unsigned long long)r->id, dev, name,
				   units_exact(r->length, bytes)) :
			   sprintf(line, "%-8s %-15s %-14s %6s", "REGION",
				   "DEV", "NAME", "LENGTH");
	}
}

void top_line(enum top_table table, const struct top_row *row,
	      char line[TOP_LINE_MAX])
{
	static const char *const heads[TOP_TABLES][TOP_RATES] = {
		[TOP_LINKS] = { "RX/s", "RX B/s", "TX/s", "TX B/s", "DUP/s",
				"NAK/s", "DROP/s" },
		[TOP_QPS] = { "PKT/s", "B/s", "TX/s", "TX B/s", "DUP/s",
			      "NAK/s", "DROP/s" },
		[TOP_MRS] = { "REQ/s", "IN B/s", "OUT B/s", "ATOM/s",
			      "REFUSED/s" },
	};
	char number[UNITS_MAX];
	int n = line_begin(table, row, line), i;

	for (i = 0; top_rate_names[table][i]; i++)
		n += sprintf(line + n, " %8s", row ?
			     units_short(row->rates[i], number) :
			     heads[table][i]);
	if (table == TOP_QPS)
		sprintf(line + n, " %s", row ? row->cause : "CAUSE");
	else if (table == TOP_MRS && row)
		sprintf(line + n, " %s", row->state);
}
