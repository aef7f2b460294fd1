// SPDX-License-Identifier: GPL-2.0-only
/*
 * What clients may send to "xroce serve": whole conversations, most of them corrupted, each
 * sent at once because nothing in it depends on a response. Some are perftest's, others
 * begin with one of handshake_lines. The server's part is built with the compiler's
 * sanitizers.
 *
 * Without the module, everything before the queue pair is made is exercised.
 *
 * Environment: XROCE_FUZZ_CLIENTS is the number of clients, XROCE_SEED the seed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <json-c/json.h>

#include "fuzz.h"
#include "handshake.h"
#include "handshake_lines.h"
#include "live.h"
#include "peer.h"
#include "perftest.h"
#include "session.h"
#include "setting.h"

#define CLIENTS		800ul
#define QPS		4u
#define STREAM		8192u
#define REGIONS		2u

static uint8_t stream[STREAM];
static uint32_t length;
static bool live;
static struct server server = {
	.netdev = LIVE_DEV,
	.size = 4096,
	.file = -1,
	.mtu = XROCE_MTU_4096,
	.step_ms = 5,
	.idle_ms = 5,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};
static unsigned long done, refused, connected, lent;
static bool json;

static void say(const void *bytes, uint32_t len)
{
	if (length + len > STREAM)
		return;
	memcpy(stream + length, bytes, len);
	length += len;
}

static void say_key(const struct perftest_key *key)
{
	char text[PERFTEST_KEY_SIZE];

	perftest_key_format(key, text);
	say(text, sizeof(text));
}

static void make_key(struct perftest_key *key, bool ipv6)
{
	static const uint8_t v4[16] = { [10] = 0xff, 0xff, 10, 77, 0, 1 };
	static const uint8_t v6[16] = { 0xfd, 0x77, [15] = 1 };

	*key = (struct perftest_key){
		.out_reads = rng_below(32),
		.qpn = rng_below(1 << 24),
		.psn = rng_below(1 << 24),
		.rkey = rng_below(-1u),
		.va = (uint64_t)rng_below(-1u) << 32 | rng_below(-1u),
	};
	memcpy(key->gid, ipv6 ? v6 : v4, 16);
}

/* Everything that a well-behaved perftest client sends. */
static void make_stream(void)
{
	static const char *const versions[] = { "6.06", "5.70", "6.28", "12.0" };
	static const char *const mtus[] = { "1", "3", "5" };
	uint32_t qps = 1 + rng_below(QPS), round, i;
	char version[PERFTEST_VERSION_SIZE] = {};
	uint32_t number = htonl(rng_below(-1u));
	struct perftest_key keys[QPS];

	length = 0;
	strcpy(version, versions[rng_below(ARRAY_SIZE(versions))]);
	say(version, sizeof(version));
	say(&number, sizeof(number));
	say(&number, sizeof(number));
	say(mtus[rng_below(ARRAY_SIZE(mtus))], PERFTEST_MTU_SIZE);
	for (i = 0; i < qps; i++)
		make_key(&keys[i], server.gid[0]);
	for (round = 0; round < 2; round++)
		for (i = 0; i < qps; i++)
			say_key(&keys[i]);
	say_key(&keys[0]);
	/* The end, in one of the possible ways. */
	for (i = rng_below(3); i; i--)
		say("\0\0\0\0\0\0\0\1", PERFTEST_REPORT_SIZE);
	for (i = 0; i < qps; i++)
		say_key(&keys[i]);
	if (fuzz_once_in(2))
		say("done", 5);
}

/* Half of the lines are valid, and half of these name an existing region. */
static void make_line(void)
{
	static const char good[] = ",\"region\":\"buffer\"}";
	bool any = fuzz_once_in(2);
	const struct handshake_line *l;

	do
		l = handshake_lines + rng_below(handshake_lines_count);
	while (l->error && !any);
	length = 0;
	say(l->text, strlen(l->text));
	if (!l->error && !strstr(l->text, "region") && fuzz_once_in(2)) {
		length = strrchr(l->text, '}') - l->text;
		say(good, sizeof(good) - 1);
	}
	say("\n", 1);
}

/* Return: a place to corrupt, often the start of a message, with a length in @len. */
static uint32_t some_place(uint32_t *len)
{
	uint32_t at = rng_below(length);

	if (fuzz_once_in(2) && at > 26)
		at = 26 + (at - 26) / PERFTEST_KEY_SIZE * PERFTEST_KEY_SIZE;
	*len = fuzz_once_in(2) ? PERFTEST_KEY_SIZE : 1 + rng_below(64);
	if (*len > length - at)
		*len = length - at;
	return at;
}

static void damage(void)
{
	uint32_t n = 1 + rng_below(3), at, len, to;

	for (; n && length; n--) {
		at = some_place(&len);
		switch (rng_below(6)) {
		case 0:
			stream[at] ^= 1u << rng_below(8);
			break;
		case 1:
			memset(stream + at, "0fF:g \xff{[\"\\,}]1\n"[rng_below(17)],
			       len);
			break;
		case 2:
			length = at;
			break;
		case 3:
			memmove(stream + at, stream + at + len,
				length - at - len);
			length -= len;
			break;
		case 4:
			if (length + len > STREAM)
				break;
			memmove(stream + at + len, stream + at, length - at);
			length += len;
			break;
		case 5:
			to = some_place(&len);
			if (at + len <= length)
				memmove(stream + to, stream + at, len);
			break;
		}
	}
}

/* All objects made for the client are deleted; the server's own are left. */
static void check_nothing_left(void)
{
	struct xroce_link_query q;

	if (live && check(!xroce_link_find(LIVE_DEV, &q), "no link"))
		check(!q.qps && q.mrs == REGIONS && q.pds == 1,
		      "%u queue pairs, %u regions, %u domains left", q.qps,
		      q.mrs, q.pds);
}

/*
 * A client whose first byte is "{" gets one line of JSON with its region or with an error,
 * and then the connection ends.
 */
static void check_answer(int fd, const char *result)
{
	char text[HANDSHAKE_LINE_MAX] = {};
	int n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	struct json_object *o, *error = NULL, *regions = NULL;

	if (!check(n > 0 && text[n - 1] == '\n', "no answer: %d, %s", n, text))
		return;
	/* A client that sends more after it has been served gets a second line. */
	*strchr(text, '\n') = 0;
	o = json_tokener_parse(text);
	if (!check(json_object_is_type(o, json_type_object), "%s", text))
		return;
	json_object_object_get_ex(o, "error", &error);
	json_object_object_get_ex(o, "regions", &regions);
	check(!error ^ !regions, "%s", text);
	if (error)
		check(!strcmp(json_object_get_string(error), result), "%s: %s",
		      text, result);
	lent += !!regions;
	json_object_put(o);
}

static void one(bool damaged)
{
	struct session_report report;
	int pair[2];

	if (!check(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair),
		   "%s", strerror(errno)))
		return;
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	check(send(pair[1], stream, length, 0) == (ssize_t)length, "send");
	shutdown(pair[1], SHUT_WR);
	check_is(session_serve(&server, pair[0], NULL, &report), 0, "session_serve");
	check(*report.result && strnlen(report.result, sizeof(report.result)) <
				sizeof(report.result), "no result");
	check(report.qps <= server.max_qps, "%u queue pairs", report.qps);
	connected += !!report.qps;
	if (!strcmp(report.result, "done"))
		done++;
	else
		refused++;
	check(damaged || json || !live || !strcmp(report.result, "done"),
	      "a good client: %s", report.result);
	close(pair[0]);
	if (length && stream[0] == HANDSHAKE_BEGINS)
		check_answer(pair[1], report.result);
	close(pair[1]);
}

static void print_stream(void)
{
	uint32_t i;

	for (i = 0; i < length; i++)
		printf("%s%02x", i % 36 ? " " : "\n# ", stream[i]);
	printf("\n");
}

static bool set_up(void)
{
	static char words[][40] = {
		"region", "buffer", "size", "64K",
		"region", "b", "size", "4097", "odp", "access", "remote-read",
	};
	char *argv[ARRAY_SIZE(words)];
	size_t i;
	__u32 pd;

	if (!live)
		return true;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		argv[i] = words[i];
	server.max_qps = QPS;
	check(!system("ip addr add 10.77.0.2/24 dev " LIVE_DEV
		      " && ip addr add fd77::2/64 dev " LIVE_DEV " nodad"),
	      "addresses");
	server.x = live_open();
	return server.x && check(!xroce_pd_add(server.x, 0, &pd), "PD") &&
	       check(!regions_parse(&server.regions, ARRAY_SIZE(words), argv) &&
		     server.regions.n == REGIONS &&
		     !regions_open(&server.regions, server.x, pd), "regions");
}

TEST(fuzz_serve, "U4", "random conversations with clients: no crash, nothing left")
{
	unsigned long clients = setting("XROCE_FUZZ_CLIENTS", CLIENTS), n;
	bool damaged;

	fuzz_begin();
	if (!set_up())
		return;
	for (n = 0; n < clients && !test_failed(); n++) {
		damaged = !fuzz_once_in(8);
		json = fuzz_once_in(2);
		if (json)
			make_line();
		else
			make_stream();
		if (damaged)
			damage();
		one(damaged);
		if (n % 64 == 0)
			check_nothing_left();
	}
	if (test_failed())
		print_stream();
	note("%lu done, %lu refused, %lu with a queue pair, %lu with regions",
	     done, refused, connected, lent);
	check(refused && (!live || (done && connected && lent)),
	      "always the same");
	check_nothing_left();
	if (live)
		live_close(server.x);
	check(!regions_close(&server.regions), "regions");
}

/* Read by the sanitizers before main(). */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static int run_tests(int argc, char **argv)
{
	live = getenv("XROCE_NET");
	return live ? live_main_no_packets(argc, argv) :
		      harness_main(argc, argv);
}

TEST_MAIN(run_tests);
