// SPDX-License-Identifier: GPL-2.0-only
/*
 * "xroce qp modify": its messages, and that it refuses exactly what the module refuses. The
 * comparison needs the module.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live_qp.h"
#include "names.h"
#include "qp_change.h"

#define B(word)		(1u << (word))
#define RTR_WORDS	(B(QP_SGID) | B(QP_DGID) | B(QP_MTU) | B(QP_DEST) | B(QP_PSN))
#define AV_WORDS	(B(QP_SGID) | B(QP_DGID) | B(QP_SPORT) | B(QP_TOS) | B(QP_TTL))
#define NO_STATE	~0u

static const __u32 types[] = { XROCE_QPT_RC, XROCE_QPT_UC, XROCE_QPT_UD };

static const __u32 states[] = {
	XROCE_QPS_RESET, XROCE_QPS_INIT, XROCE_QPS_RTR, XROCE_QPS_RTS,
	XROCE_QPS_SQD, XROCE_QPS_ERR,
};

/* Return: a change with valid values of the given words. */
static struct qp_change change(__u32 to, __u32 given)
{
	struct qp_change c = {
		.m = {
			.path_mtu = given & B(QP_MTU) ? XROCE_MTU_1024 : 0,
			.dest_qpn = given & B(QP_DEST) ? 0x11 : 0,
			.rq_psn = given & B(QP_PSN) ? 5 : 0,
			.access = given & B(QP_ACCESS) ? XROCE_ACCESS_REMOTE_READ : 0,
			.pkey = given & B(QP_PKEY) ? 0x8001 : 0,
			.min_rnr_timer = given & B(QP_RNR) ? 1 : 0,
			.max_dest_rd_atomic = given & B(QP_RD) ? 4 : 0,
			.sport = given & B(QP_SPORT) ? 0xc001 : 0,
			.tos = given & B(QP_TOS) ? 8 : 0,
			.ttl = given & B(QP_TTL) ? 3 : 0,
			.qkey = given & B(QP_QKEY) ? 0x1234 : 0,
		},
		.given = given,
	};

	if (to != NO_STATE) {
		c.m.mask = XROCE_QP_STATE;
		c.m.state = to;
	}
	if (given & B(QP_SGID))
		inet_pton(AF_INET6, "fd77::2", c.m.sgid);
	if (given & B(QP_DGID))
		inet_pton(AF_INET6, "fd77::1", c.m.dgid);
	return c;
}

TEST(qp_change_texts, "U1 D5", "messages about missing and unexpected words")
{
	static const struct {
		__u32 type, from, to, given;
		const char *says;
	} rows[] = {
		{ XROCE_QPT_RC, XROCE_QPS_INIT, XROCE_QPS_RTR,
		  RTR_WORDS & ~(B(QP_MTU) | B(QP_PSN)),
		  "to go from init to rtr: sgid, dgid, mtu, dest-qpn and rq-psn are needed; missing: mtu and rq-psn" },
		{ XROCE_QPT_RC, XROCE_QPS_INIT, XROCE_QPS_RTR, 0,
		  "to go from init to rtr: sgid, dgid, mtu, dest-qpn and rq-psn are needed; missing: sgid, dgid, mtu, dest-qpn and rq-psn" },
		{ XROCE_QPT_RC, XROCE_QPS_RTS, XROCE_QPS_RTR, 0,
		  "from rts to rtr: no such transition; a queue pair of type rc in rts can go to sqd, reset or err" },
		{ XROCE_QPT_RC, XROCE_QPS_RESET, XROCE_QPS_RTS, RTR_WORDS,
		  "from reset to rts: no such transition; a queue pair of type rc in reset can go to init, reset or err" },
		{ XROCE_QPT_RC, XROCE_QPS_ERR, NO_STATE, B(QP_ACCESS),
		  "access: cannot be changed in err; possible attributes: none" },
		{ XROCE_QPT_RC, XROCE_QPS_RTR, NO_STATE, B(QP_ACCESS),
		  "in rtr: no attribute can be changed; possible next states: rts, reset or err" },
		{ XROCE_QPT_RC, XROCE_QPS_RTS, NO_STATE, B(QP_DEST) | B(QP_ACCESS),
		  "dest-qpn: cannot be changed in rts; possible attributes: access and min-rnr-timer" },
		{ XROCE_QPT_RC, XROCE_QPS_RTR, XROCE_QPS_RTS, B(QP_SGID) | B(QP_MTU),
		  "sgid and mtu: cannot be given with a change to rts; possible attributes: access and min-rnr-timer" },
		{ XROCE_QPT_RC, XROCE_QPS_RTS, XROCE_QPS_ERR, B(QP_ACCESS),
		  "access: cannot be given with a change to err; possible attributes: none" },
		{ XROCE_QPT_RC, XROCE_QPS_SQD, NO_STATE, B(QP_TTL),
		  "in sqd: sgid and dgid are needed; missing: sgid and dgid" },
		{ XROCE_QPT_UC, XROCE_QPS_INIT, XROCE_QPS_RTR, RTR_WORDS | B(QP_RD),
		  "max-rd-atomic: cannot be given with a change to rtr; possible attributes: sgid, dgid, mtu, dest-qpn, rq-psn, access, pkey, sport, tos and ttl" },
		{ XROCE_QPT_UD, XROCE_QPS_INIT, XROCE_QPS_RTR, 0,
		  "to go from init to rtr: sgid is needed; missing: sgid" },
		{ XROCE_QPT_UD, XROCE_QPS_RESET, XROCE_QPS_INIT, 0,
		  "to go from reset to init: qkey is needed; missing: qkey" },
	};
	char error[QP_ERROR_MAX];
	struct qp_change c;
	size_t i;
	bool good;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		c = change(rows[i].to, rows[i].given);
		good = qp_change_check(&c, rows[i].type, rows[i].from, error);
		check(!good && !strcmp(error, rows[i].says), "\"%s\", not \"%s\"",
		      good ? "good" : error, rows[i].says);
	}
}

/* A value that is in or out of range. */
struct value {
	enum qp_word word;
	__u32 value;
	const char *gid;
	const char *says;	/* NULL: it is valid */
	bool stricter;		/* the command refuses it, the module does not */
};

static const struct value values[] = {
	{ QP_SGID, .gid = "::ffff:10.77.0.2", .says = "sgid and dgid: must both be IPv4, or both IPv6" },
	{ QP_SGID, .gid = "fe80::2" },
	{ QP_SGID, .gid = "ff02::1", .says = "sgid ff02::1: is a multicast address, not a host's" },
	{ QP_SGID, .gid = "::", .says = "sgid ::: is an unspecified address, not a host's" },
	{ QP_SGID, .gid = "::1", .says = "sgid ::1: is a loopback address, not a host's", .stricter = true },
	{ QP_DGID, .gid = "::10.77.0.1", .says = "dgid ::10.77.0.1: is IPv4 without ::ffff: before it, not a host's", .stricter = true },
	{ QP_DGID, .gid = "::ffff:224.0.0.1", .says = "dgid 224.0.0.1: is a multicast address, not a host's; sgid and dgid: must both be IPv4, or both IPv6" },
	{ QP_DGID, .gid = "::ffff:255.255.255.255", .says = "dgid 255.255.255.255: is the broadcast address, not a host's; sgid and dgid: must both be IPv4, or both IPv6" },
	{ QP_MTU, 0, .says = "mtu 0: must be 256, 512, 1024, 2048 or 4096" },
	{ QP_MTU, 6, .says = "mtu 6: must be 256, 512, 1024, 2048 or 4096" },
	{ QP_MTU, 5 },
	{ QP_DEST, 0x1000000, .says = "dest-qpn 16777216: must be 0 to 16777215" },
	{ QP_DEST, 0xffffff },
	{ QP_PSN, 0x1000000, .says = "rq-psn 16777216: must be 0 to 16777215" },
	{ QP_PSN, 0 },
	{ QP_ACCESS, XROCE_ACCESS_LOCAL_WRITE, .says = "access: a queue pair can only have remote rights" },
	{ QP_ACCESS, XROCE_ACCESS_REMOTE },
	{ QP_PKEY, 0, .says = "pkey 0: must be 1 to 65535, except 32768" },
	{ QP_PKEY, 0x8000, .says = "pkey 32768: must be 1 to 65535, except 32768" },
	{ QP_PKEY, 0x10001, .says = "pkey 65537: must be 1 to 65535, except 32768" },
	{ QP_PKEY, 1 },
	{ QP_RNR, 32, .says = "min-rnr-timer 32: must be 0 to 31" },
	{ QP_RNR, 31 },
	{ QP_RD, 129, .says = "max-rd-atomic 129: must be 0 to 128" },
	{ QP_RD, 128 },
	{ QP_SPORT, 4791, .says = "sport 4791: must be 49152 to 65535, or 0 for a port made from the queue pair numbers" },
	/* For UD the module cannot tell 0 from a value that is not given. */
	{ QP_SPORT, 0, .stricter = true }, { QP_SPORT, 0xc000 },
	{ QP_TOS, 35, .says = "tos 35: must be without ECN bits 11, which only switches set" },
	{ QP_TOS, 254 },
	{ QP_TTL, 255 }, { QP_TTL, 0, .stricter = true },
	{ QP_QKEY, ~0u },
};

static void put(struct qp_change *c, const struct value *v)
{
	struct xroce_qp_modify *m = &c->m;

	c->given |= B(v->word);
	switch (v->word) {
	case QP_SGID:
		inet_pton(AF_INET6, v->gid, m->sgid);
		break;
	case QP_DGID:
		inet_pton(AF_INET6, v->gid, m->dgid);
		break;
	case QP_MTU:
		m->path_mtu = v->value;
		break;
	case QP_DEST:
		m->dest_qpn = v->value;
		break;
	case QP_PSN:
		m->rq_psn = v->value;
		break;
	case QP_ACCESS:
		m->access = v->value;
		break;
	case QP_PKEY:
		m->pkey = v->value;
		break;
	case QP_RNR:
		m->min_rnr_timer = v->value;
		break;
	case QP_RD:
		m->max_dest_rd_atomic = v->value;
		break;
	case QP_SPORT:
		m->sport = v->value;
		break;
	case QP_TOS:
		m->tos = v->value;
		break;
	case QP_TTL:
		m->ttl = v->value;
		break;
	case QP_QKEY:
		m->qkey = v->value;
		break;
	default:
		break;
	}
}

TEST(qp_change_ranges, "U1 D5", "values out of range")
{
	char error[QP_ERROR_MAX], says[QP_ERROR_MAX];
	const struct value *v;
	struct qp_change c;
	bool good;

	for (v = values; v < values + ARRAY_SIZE(values); v++) {
		if (v->word == QP_QKEY)
			continue;
		c = change(XROCE_QPS_RTR, RTR_WORDS);
		put(&c, v);
		good = qp_change_check(&c, XROCE_QPT_RC, XROCE_QPS_INIT, error);
		snprintf(says, sizeof(says), "%s; the change is from init to rtr",
			 v->says ? : "");
		check(good == !v->says && (good || !strcmp(error, says)),
		      "%s: \"%s\"", qp_word(v->word), good ? "good" : error);
	}
	c = change(NO_STATE, 0);
	put(&c, &(struct value){ QP_RNR, 32 });
	check(!qp_change_check(&c, XROCE_QPT_RC, XROCE_QPS_RTS, error) &&
	      !strcmp(error, "min-rnr-timer 32: must be 0 to 31; the queue pair is in rts"),
	      "%s", error);
	/* Several errors at once. */
	c = change(XROCE_QPS_RTR, RTR_WORDS & ~B(QP_MTU));
	put(&c, &(struct value){ QP_RNR, 32 });
	put(&c, &(struct value){ QP_QKEY, 1 });
	check(!qp_change_check(&c, XROCE_QPT_RC, XROCE_QPS_INIT, error) &&
	      strstr(error, "missing: mtu; ") && strstr(error, "qkey: cannot be given with") &&
	      strstr(error, "min-rnr-timer 32: must"), "%s", error);
}

/* The table in the manual matches the code. */
TEST(qp_change_manual, "U1 D5", "the table in the manual")
{
	char path[PATH_MAX], line[QP_ERROR_MAX + 4], row[QP_ERROR_MAX];
	unsigned int t, i, found = 0, rows = 0;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash, *at;
	FILE *f;

	if (!check(n > 0, "/proc/self/exe"))
		return;
	path[n] = 0;
	slash = strrchr(path, '/');
	strcpy(slash, "/../../doc/man/xroce-qp.rst");
	for (t = 0; t < 2; t++) {
		/* The manual describes UC in words. */
		for (i = 0; qp_change_row(types[t * 2], i, row); i++) {
			rows++;
			f = fopen(path, "re");
			if (!check(f, "%s: %s", path, strerror(errno)))
				return;
			while (fgets(line, sizeof(line), f)) {
				at = line + strspn(line, " ");
				at[strcspn(at, "\n")] = 0;
				if (at != line && !strcmp(at, row))
					break;
			}
			check(!feof(f), "the manual has no line \"%s\"", row);
			found += !feof(f);
			fclose(f);
		}
	}
	check(rows == 16 && found == rows, "%u of %u lines", found, rows);
}

/* Compare the verdicts of command and module about one change. */
static void compare(struct xroce *x, __u32 pd, __u32 type, __u32 from,
		    __u32 *qpn, struct qp_change c, bool stricter)
{
	char error[QP_ERROR_MAX];
	bool good = qp_change_check(&c, type, from, error);
	int ret;

	if (!*qpn)
		*qpn = qp_of_type(x, pd, type, from);
	c.m.qpn = *qpn;
	ret = xroce_qp_modify(x, &c.m);
	check(ret == 0 || ret == -EINVAL, "module: %d", ret);
	check(good == !ret || (stricter && !good),
	      "type %s from %s to %s, words %#x, mask %#x: module %d, command: %s",
	      name_of_qp_type(type), name_of_qp_state(from),
	      c.m.mask & XROCE_QP_STATE ? name_of_qp_state(c.m.state) : "-",
	      c.given, c.m.mask, ret, good ? "good" : error);
	if (!ret) {
		xroce_qp_del(x, *qpn);
		*qpn = 0;
	}
}

static void compare_all(struct xroce *x, __u32 pd, __u32 type, __u32 from,
			__u32 to)
{
	static const __u32 sets[] = {
		0, RTR_WORDS, B(QP_SGID), B(QP_QKEY), B(QP_SGID) | B(QP_DGID),
		B(QP_PKEY) | B(QP_QKEY), B(QP_ACCESS) | B(QP_PKEY),
		AV_WORDS, RTR_WORDS | AV_WORDS | B(QP_ACCESS) | B(QP_PKEY),
		(1u << QP_WORDS) - 1,
	};
	const struct value *v;
	struct qp_change c;
	__u32 qpn = 0;
	size_t i;
	int word;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		compare(x, pd, type, from, &qpn, change(to, sets[i]), false);
		/* With one word less or more. */
		for (word = 0; i < 5 && word < QP_WORDS; word++)
			compare(x, pd, type, from, &qpn,
				change(to, sets[i] ^ B(word)), false);
	}
	for (v = values; v < values + ARRAY_SIZE(values); v++) {
		/* Together with the words that some transition allows. */
		for (i = 0; i < 5; i++) {
			c = change(to, sets[i]);
			put(&c, v);
			compare(x, pd, type, from, &qpn, c, v->stricter);
		}
	}
	if (qpn)
		check(!xroce_qp_del(x, qpn), "QP_DEL");
}

PD_TEST(qp_change_same_verdict, "U1 D5", "the module refuses the same changes")
{
	unsigned int t, i, j;

	for (t = 0; t < ARRAY_SIZE(types); t++)
		for (i = 0; i < ARRAY_SIZE(states); i++)
			for (j = 0; j <= ARRAY_SIZE(states) && !test_failed(); j++)
				compare_all(x, pd, types[t], states[i],
					    j < ARRAY_SIZE(states) ? states[j] :
								     NO_STATE);
}

/* On the host those that do not need the module. */
static int run_tests(int argc, char **argv)
{
	static char *native[] = { "qp_change_test", "texts", "ranges", "manual" };

	if (getenv("XROCE_NET"))
		return live_main_no_packets(argc, argv);
	return argc > 1 ? harness_main(argc, argv) : harness_main(ARRAY_SIZE(native), native);
}

TEST_MAIN(run_tests);
