// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Checks of a change of a queue pair, as given by the words of "qp modify", before the module is
 * asked: it would only return -EINVAL. xroce_transition.h, which the module also uses, lists the
 * attributes of each transition.
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arg.h"
#include "names.h"
#include "netaddr.h"
#include "qp_change.h"
#include "xroce_transition.h"
#include "xroce_wire.h"

#define RC	(1u << XROCE_QPT_RC)
#define UC	(1u << XROCE_QPT_UC)
#define UD	(1u << XROCE_QPT_UD)
#define ALL	(RC | UC | UD)

/**
 * struct word - a word of "qp modify"
 * @name: the word
 * @mask: the attribute to which it belongs, XROCE_QP_*
 * @types: the types that have it, 1 << enum xroce_qp_type
 * @value: text of the default; NULL: there is none, so the word must be given if the attribute
 *	is required
 */
static const struct word {
	const char *name;
	__u32 mask;
	__u32 types;
	const char *value;
} words[QP_WORDS] = {
	[QP_SGID] = { "sgid", XROCE_QP_AV, ALL },
	[QP_DGID] = { "dgid", XROCE_QP_AV, RC | UC },
	[QP_MTU] = { "mtu", XROCE_QP_PATH_MTU, RC | UC },
	[QP_DEST] = { "dest-qpn", XROCE_QP_DEST_QPN, RC | UC },
	[QP_PSN] = { "rq-psn", XROCE_QP_RQ_PSN, RC | UC },
	[QP_ACCESS] = { "access", XROCE_QP_ACCESS, RC | UC, "none" },
	[QP_PKEY] = { "pkey", XROCE_QP_PKEY, ALL, "0xffff" },
	[QP_RNR] = { "min-rnr-timer", XROCE_QP_MIN_RNR_TIMER, RC, "12" },
	[QP_RD] = { "max-rd-atomic", XROCE_QP_MAX_DEST_RD_ATOMIC, RC, "16" },
	[QP_SPORT] = { "sport", XROCE_QP_AV, RC | UC, "0" },
	[QP_TOS] = { "tos", XROCE_QP_AV, RC | UC, "0" },
	[QP_TTL] = { "ttl", XROCE_QP_AV, RC | UC, "64" },
	[QP_QKEY] = { "qkey", XROCE_QP_QKEY, UD },
};

const char *qp_word(enum qp_word word)
{
	return words[word].name;
}

/* A text to which more is appended, up to QP_ERROR_MAX bytes. */
struct text {
	char *at;
	size_t len;
};

static void add(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *fmt, ...)
{
	size_t left = QP_ERROR_MAX - t->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->at + t->len, left, fmt, args);
	va_end(args);
	t->len += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left - 1;
}

/* Append the names of a set of words: "a, b and c". */
static void add_words(struct text *t, __u32 set)
{
	const char *joint = "";
	int i;

	for (i = 0; i < QP_WORDS; i++) {
		if (!(set & 1u << i))
			continue;
		set &= ~(1u << i);
		add(t, "%s%s", *joint && !set ? " and " : joint, words[i].name);
		joint = ", ";
	}
}

/* Set of the words that belong to attributes @mask. @must: only those without a default. */
static __u32 words_of(__u32 type, __u32 mask, bool must)
{
	__u32 set = 0;
	int i;

	for (i = 0; i < QP_WORDS; i++)
		if (words[i].mask & mask && words[i].types & 1u << type &&
		    !(must && words[i].value))
			set |= 1u << i;
	return set;
}

/* Begin an error. A semicolon separates it from the previous one. */
static void next(struct text *t)
{
	if (t->len)
		add(t, "; ");
}

/* Add an error: the value of @word is not in @range. */
static void out_of_range(struct text *t, enum qp_word word, __u32 value, const char *range)
{
	next(t);
	add(t, "%s %u: must be %s", words[word].name, value, range);
}

static void check_gid(struct text *t, enum qp_word word, const __u8 *gid)
{
	const char *wrong = netaddr_gid_error(gid);
	char name[INET6_ADDRSTRLEN];

	if (!wrong)
		return;
	next(t);
	add(t, "%s %s: is %s, not a host's", words[word].name, name_of_gid(gid, name),
	    wrong);
}

static bool given(const struct qp_change *c, enum qp_word word)
{
	return c->given & 1u << word;
}

/* Check the given numbers. */
static void check_numbers(struct text *t, const struct qp_change *c)
{
	const struct xroce_qp_modify *m = &c->m;

	if (given(c, QP_MTU) && (m->path_mtu < XROCE_MTU_256 || m->path_mtu > XROCE_MTU_4096))
		out_of_range(t, QP_MTU, m->path_mtu, "256, 512, 1024, 2048 or 4096");
	if (given(c, QP_DEST) && m->dest_qpn > XROCE_QPN_MASK)
		out_of_range(t, QP_DEST, m->dest_qpn, "0 to 16777215");
	if (given(c, QP_PSN) && m->rq_psn > XROCE_PSN_MASK)
		out_of_range(t, QP_PSN, m->rq_psn, "0 to 16777215");
	if (given(c, QP_PKEY) && (m->pkey > 0xffff || !(m->pkey & 0x7fff)))
		out_of_range(t, QP_PKEY, m->pkey, arg_pkey.want);
	if (given(c, QP_RNR) && m->min_rnr_timer > 31)
		out_of_range(t, QP_RNR, m->min_rnr_timer, "0 to 31");
	if (given(c, QP_RD) && m->max_dest_rd_atomic > 128)
		out_of_range(t, QP_RD, m->max_dest_rd_atomic, "0 to 128");
	if (given(c, QP_SPORT) && m->sport && m->sport < 0xc000)
		out_of_range(t, QP_SPORT, m->sport, arg_sport.want);
	if (given(c, QP_TOS) && (m->tos & XROCE_ECN_MASK) == XROCE_ECN_CE)
		out_of_range(t, QP_TOS, m->tos, "without ECN bits 11, which only switches set");
}

/* Check the given values. */
static void check_values(struct text *t, const struct qp_change *c)
{
	const struct xroce_qp_modify *m = &c->m;
	const __u32 both = 1u << QP_SGID | 1u << QP_DGID;

	if (given(c, QP_SGID))
		check_gid(t, QP_SGID, m->sgid);
	if (given(c, QP_DGID))
		check_gid(t, QP_DGID, m->dgid);
	if ((c->given & both) == both &&
	    netaddr_is_ipv4(m->sgid) != netaddr_is_ipv4(m->dgid)) {
		next(t);
		add(t, "sgid and dgid: must both be IPv4, or both IPv6");
	}
	if (given(c, QP_ACCESS) && m->access & ~XROCE_ACCESS_REMOTE) {
		next(t);
		add(t, "access: a queue pair can only have remote rights");
	}
	check_numbers(t, c);
}

/* Append the states that can follow @from. */
static void add_ways(struct text *t, __u32 type, __u32 from)
{
	size_t i;

	for (i = 0; i < XROCE_TRANSITIONS; i++)
		if (xroce_transitions[i].type == type &&
		    xroce_transitions[i].from == from &&
		    xroce_transitions[i].to != from)
			add(t, "%s, ", name_of_qp_state(xroce_transitions[i].to));
	add(t, "reset or err");
}

/* Compare the given words with those of the transition. */
static void check_words(struct text *t, const struct qp_change *c, __u32 type,
			__u32 from, __u32 to)
{
	const struct xroce_transition *way = xroce_transition(type, from, to);
	__u32 needed, takes, extra;

	if (!way && from == to) {
		next(t);
		add(t, "in %s: no attribute can be changed; possible next states: ",
		    name_of_qp_state(from));
		add_ways(t, type, from);
		return;
	}
	if (!way) {
		next(t);
		add(t, "from %s to %s: no such transition; a queue pair of type %s in %s can go to ",
		    name_of_qp_state(from), name_of_qp_state(to),
		    name_of_qp_type(type), name_of_qp_state(from));
		add_ways(t, type, from);
		return;
	}
	needed = words_of(type, way->required, true);
	/* If any word of an optional address is given, its words without default are needed. */
	if (c->given & words_of(type, XROCE_QP_AV & way->optional, false))
		needed |= words_of(type, XROCE_QP_AV, true);
	takes = words_of(type, way->required | way->optional, false);
	extra = c->given & ~takes;
	if (needed & ~c->given) {
		next(t);
		if (from == to)
			add(t, "in %s: ", name_of_qp_state(from));
		else
			add(t, "to go from %s to %s: ", name_of_qp_state(from),
			    name_of_qp_state(to));
		add_words(t, needed);
		add(t, " %s needed; missing: ", needed & (needed - 1) ? "are" : "is");
		add_words(t, needed & ~c->given);
	}
	if (extra) {
		next(t);
		add_words(t, extra);
		add(t, from == to ? ": cannot be changed in %s" :
				    ": cannot be given with a change to %s",
		    name_of_qp_state(to));
		if (takes) {
			add(t, "; possible attributes: ");
			add_words(t, takes);
		} else {
			add(t, "; possible attributes: none");
		}
	}
}

/* Fill in the mask, and defaults of words that are not given. */
static void complete(struct qp_change *c, __u32 type, __u32 from, __u32 to)
{
	const struct xroce_transition *way = xroce_transition(type, from, to);
	struct xroce_qp_modify *m = &c->m;
	int i;

	for (i = 0; i < QP_WORDS; i++)
		if (c->given & 1u << i)
			m->mask |= words[i].mask;
	if (!way)
		return;
	for (i = 0; i < QP_WORDS; i++)
		if (words[i].value && words[i].mask != XROCE_QP_AV)
			m->mask |= words[i].mask & way->required;
	if (!(c->given & 1u << QP_PKEY))
		m->pkey = 0xffff;
	if (!(c->given & 1u << QP_RNR))
		m->min_rnr_timer = 12;
	if (!(c->given & 1u << QP_RD))
		m->max_dest_rd_atomic = 16;
}

bool qp_change_check(struct qp_change *c, __u32 type, __u32 from, char *error)
{
	__u32 to = c->m.mask & XROCE_QP_STATE ? c->m.state : from;
	struct text t = { .at = error };
	bool named;

	*error = 0;
	check_words(&t, c, type, from, to);
	/* An error about the words names the change. */
	named = t.len;
	check_values(&t, c);
	complete(c, type, from, to);
	if (!t.len)
		return true;
	if (!named && from == to)
		add(&t, "; the queue pair is in %s", name_of_qp_state(from));
	else if (!named)
		add(&t, "; the change is from %s to %s", name_of_qp_state(from),
		    name_of_qp_state(to));
	return false;
}

bool qp_change_row(__u32 type, unsigned int i, char *row)
{
	const struct xroce_transition *way = xroce_transitions;
	struct text t = { .at = row };
	__u32 must;

	for (; way < xroce_transitions + XROCE_TRANSITIONS; way++)
		if (way->type == type && !i--)
			break;
	if (way == xroce_transitions + XROCE_TRANSITIONS)
		return false;
	must = words_of(type, way->required, true);
	add(&t, "%-5s  %-5s  ", name_of_qp_state(way->from),
	    name_of_qp_state(way->to));
	if (must)
		add_words(&t, must);
	else
		add(&t, "-");
	add(&t, "; ");
	must = words_of(type, way->required | way->optional, false) & ~must;
	if (must)
		add_words(&t, must);
	else
		add(&t, "-");
	return true;
}
