// SPDX-License-Identifier: GPL-2.0-only
/*
 * The JSON handshake of "xroce serve": which lines are accepted, and the answers.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "handshake.h"
#include "handshake_lines.h"
#include "harness.h"

/* Parse a copy of exactly that size, so that the sanitizer sees overruns. */
static bool parse(const char *text, size_t len, struct handshake *h, char *error)
{
	char *copy = malloc(len ? len : 1);
	bool good;

	memcpy(copy, text, len);
	*error = 0;
	good = handshake_parse(copy, len, h, error);
	free(copy);
	return good;
}

TEST(handshake_lines, "U4", "valid lines are accepted, others are refused with the reason")
{
	char error[HANDSHAKE_ERROR_MAX], text[HANDSHAKE_LINE_MAX];
	const struct handshake_line *l = handshake_lines;
	struct handshake h;
	bool good;

	for (; l < handshake_lines + handshake_lines_count; l++) {
		strcpy(text, l->text);
		strcat(text, "\n");
		good = parse(text, strlen(text), &h, error);
		if (l->error)
			check(!good && !strcmp(error, l->error),
			      "%s: \"%s\", not \"%s\"", l->text,
			      good ? "taken" : error, l->error);
		else
			check(good, "%s: %s", l->text, error);
	}
}

TEST(handshake_values, "U4", "all values of a line are parsed")
{
	static const char text[] =
		"{\"xroce\":1,\"qpn\":16777215,\"psn\":0,\"gid\":\"fd77::1\",\"mtu\":2048,\"region\":\"a.b\"}\n";
	static const __u8 v6[16] = { 0xfd, 0x77, [15] = 1 };
	static const __u8 v4[16] = { [10] = 0xff, 0xff, 10, 77, 0, 1 };
	char error[HANDSHAKE_ERROR_MAX];
	struct handshake h;

	check(parse(text, strlen(text), &h, error), "%s", error);
	check(h.qpn == 0xffffff && !h.psn && h.mtu == XROCE_MTU_2048 &&
	      !strcmp(h.region, "a.b") && !memcmp(h.gid, v6, 16),
	      "qpn %u psn %u mtu %u region %s", h.qpn, h.psn, h.mtu, h.region);
	check(parse(handshake_lines[0].text, strlen(handshake_lines[0].text),
		    &h, error), "%s", error);
	check(h.qpn == 17 && h.psn == 5 && !h.mtu && !*h.region &&
	      !memcmp(h.gid, v4, 16), "qpn %u psn %u mtu %u region %s",
	      h.qpn, h.psn, h.mtu, h.region);
}

/* A truncated line is refused, even if the rest follows it in memory. */
TEST(handshake_cut_short, "U4", "no beginning of a line is accepted")
{
	const char *text = handshake_lines[2].text;
	char error[HANDSHAKE_ERROR_MAX];
	struct handshake h;
	size_t len;

	for (len = 0; len < strlen(text); len++)
		check(!parse(text, len, &h, error), "%.*s", (int)len, text);
	check(parse(text, len, &h, error), "%s", error);
}

TEST(handshake_nul, "U4", "a NUL does not end a line")
{
	char text[256], error[HANDSHAKE_ERROR_MAX];
	struct handshake h;
	size_t len;

	len = strlen(strcpy(text, handshake_lines[0].text));
	check(!parse(text, len + 1, &h, error), "NUL after the line");
	memcpy(text + len, "\0{}\n", 4);
	check(!parse(text, len + 4, &h, error), "NUL and more after the line");
	text[3] = 0;
	check(!parse(text, len, &h, error), "NUL in a name");
}

static struct json_object *member(struct json_object *o, const char *name)
{
	struct json_object *value = NULL;

	check(json_object_object_get_ex(o, name, &value), "no %s", name);
	return value;
}

static __u64 number(struct json_object *o, const char *name)
{
	return json_object_get_uint64(member(o, name));
}

static const char *text_of(struct json_object *o, const char *name)
{
	return json_object_get_string(member(o, name));
}

/* Parse a line that must be exactly one JSON object. */
static struct json_object *read_line(char *line)
{
	size_t len = line ? strlen(line) : 0;

	if (!check(len && strchr(line, '\n') == line + len - 1, "not a line: %s",
		   line ? line : "none"))
		return NULL;
	return json_tokener_parse(line);
}

TEST(handshake_accepts, "U4", "the answer has all members, exactly")
{
	static const struct handshake_region regions[] = {
		{ "one", 0, 1ull << 40, 0xfffffffe, XROCE_ACCESS_REMOTE_READ },
		{ "two", ~0ull - 4096, 4096, 0x100,
		  XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_REMOTE_WRITE },
	};
	struct handshake_response a = {
		.qpn = 0xffffff, .psn = 0xabcdef,
		.gid = { [10] = 0xff, 0xff, 10, 77, 0, 2 },
		.mtu = XROCE_MTU_4096, .max_rd_atomic = 16,
		.regions = regions, .n = 2,
	};
	char *line = handshake_accept(&a);
	struct json_object *o = read_line(line), *list, *r;

	if (check(o, "not JSON: %s", line)) {
		check(number(o, "xroce") == 1 && number(o, "qpn") == 0xffffff &&
		      number(o, "psn") == 0xabcdef && number(o, "mtu") == 4096 &&
		      number(o, "max_rd_atomic") == 16 &&
		      !strcmp(text_of(o, "gid"), "10.77.0.2"), "%s", line);
		list = member(o, "regions");
		check(json_object_array_length(list) == 2, "%s", line);
		r = json_object_array_get_idx(list, 0);
		check(!number(r, "iova") && number(r, "length") == 1ull << 40 &&
		      number(r, "rkey") == 0xfffffffe &&
		      !strcmp(text_of(r, "name"), "one"), "%s", line);
		r = json_object_array_get_idx(list, 1);
		check(number(r, "iova") == ~0ull - 4096 &&
		      !strcmp(text_of(r, "access"),
			      "[ \"remote-write\", \"remote-read\" ]"),
		      "%s", text_of(r, "access"));
	}
	json_object_put(o);
	free(line);
}

TEST(handshake_refuses, "U4", "a refusal is a line of JSON, whatever the message contains")
{
	char *line = handshake_refuse("a \"reason\"\n\x01");
	struct json_object *o = read_line(line);

	if (check(o, "not JSON: %s", line))
		check(number(o, "xroce") == 1 &&
		      !strcmp(text_of(o, "error"), "a \"reason\"\n\x01"), "%s", line);
	json_object_put(o);
	free(line);
}

TEST_MAIN(harness_main);
