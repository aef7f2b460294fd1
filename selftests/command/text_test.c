// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text from elsewhere: its form on a terminal and in JSON, and valid names.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "harness.h"
#include "libxroce.h"
#include "text.h"

/* Run @fn with a buffer of exactly that size, so that the sanitizer sees overruns. */
static char *apply(char *(*fn)(const char *, char *), const char *text,
		   size_t size)
{
	char *copy = strdup(text), *to = malloc(size);

	fn(copy, to);
	free(copy);
	return to;
}

TEST(text_escapes, "U1", "control characters and text direction overrides are escaped")
{
	static const struct {
		const char *text, *escaped;
	} rows[] = {
		{ "", "" },
		{ "plain text, \"quoted\" \\ and all", "plain text, \"quoted\" \\ and all" },
		{ "a\nb\tc", "a\\nb\\tc" },
		{ "\x1b[31m", "\\x1b[31m" },
		{ "\x01\x1f\x7f", "\\x01\\x1f\\x7f" },
		/* C1: CSI, as UTF-8 and as a single byte */
		{ "\xc2\x9b" "31m", "\\xc2\\x9b31m" },
		{ "\x9b" "31m", "\\x9b31m" },
		{ "\xc2\xa0|\xc3\xa4|\xe6\x97\xa5|\xf0\x9f\x98\x80",
		  "\xc2\xa0|\xc3\xa4|\xe6\x97\xa5|\xf0\x9f\x98\x80" },
		/* right-to-left override and isolate, byte order mark, line separator */
		{ "a\xe2\x80\xae" "b", "a\\xe2\\x80\\xaeb" },
		{ "a\xe2\x81\xa6" "b", "a\\xe2\\x81\\xa6b" },
		{ "\xef\xbb\xbf", "\\xef\\xbb\\xbf" },
		{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8" },
		/* overlong, surrogate, too large, truncated */
		{ "\xc0\xaf", "\\xc0\\xaf" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xe6\x97", "\\xe6\\x97" },
		{ "\xff\xfe", "\\xff\\xfe" },
	};
	size_t i;
	char *to;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		to = apply(text_escape, rows[i].text,
			   TEXT_SIZE(strlen(rows[i].text)));
		check(!strcmp(to, rows[i].escaped), "%s, not %s", to,
		      rows[i].escaped);
		free(to);
	}
}

/* With the strict parser; that of json-c 0.18 takes only ASCII. */
static struct json_object *parse(const char *text)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT |
				  JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, text, strlen(text));
	json_tokener_free(t);
	return o;
}

/* Through json-c and back. */
TEST(text_json, "U1", "JSON is ASCII with the same content")
{
	static const struct {
		const char *text, *json;
	} rows[] = {
		{ "a", "\"a\"" },
		{ "\xc3\xa4\xe6\x97\xa5", "\"\\u00e4\\u65e5\"" },
		{ "\xf0\x9f\x98\x80", "\"\\ud83d\\ude00\"" },
		{ "\xf4\x8f\xbf\xbf", "\"\\udbff\\udfff\"" },
		{ "\x1b\x7f\xc2\x9b", "\"\\u001b\\u007f\\u009b\"" },
		{ "a\xff" "b\xe6\x97", "\"a\\ufffdb\\ufffd\\ufffd\"" },
	};
	struct json_object *o;
	const char *text;
	char *to, *clean;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		clean = apply(text_utf8, rows[i].text,
			      TEXT_SIZE(strlen(rows[i].text)));
		o = json_object_new_string(clean);
		text = json_object_to_json_string(o);
		to = apply(text_json, text, TEXT_JSON_SIZE(strlen(text)));
		check(!strcmp(to, rows[i].json), "%s, not %s", to, rows[i].json);
		json_object_put(o);
		o = parse(to);
		check(o && !strcmp(json_object_get_string(o), clean), "%s", to);
		json_object_put(o);
		free(to);
		free(clean);
	}
	/* Invalid UTF-8 is replaced. */
	to = apply(text_json, "\"\xff\"", TEXT_JSON_SIZE(3));
	check(!strcmp(to, "\"\\ufffd\""), "%s", to);
	free(to);
}

TEST(text_columns, "U1", "width on a terminal, and truncation")
{
	static const struct {
		const char *text;
		int all, most, cut;
		size_t bytes;
	} rows[] = {
		{ "", 0, 3, 0, 0 },
		{ "abc", 3, 3, 3, 3 },
		{ "abc", 3, 2, 2, 2 },
		{ "\xc3\xa4\xc3\xb6", 2, 1, 1, 2 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4, 4, 4, 6 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 4, 3, 2, 3 },
		/* a combining accent belongs to its letter */
		{ "e\xcc\x81x", 2, 1, 1, 3 },
	};
	char text[32];
	size_t i;
	int n;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(text, rows[i].text);
		n = text_columns(text);
		check(n == rows[i].all, "%s: %d columns, not %d", text, n,
		      rows[i].all);
		n = text_cut(text, rows[i].most);
		check(n == rows[i].cut && strlen(text) == rows[i].bytes,
		      "row %zu: cut to %d columns, %zu bytes", i, n, strlen(text));
	}
}

TEST(text_names, "U1 R2", "valid names of regions")
{
	static const char *const good[] = {
		"", "a", "buffer-1", "two words", "q\"\\", "\xc3\xa4",
		"\xe6\x97\xa5\xe6\x9c\xac", "0x", "1.5", "-1", "0xg", "12a",
		"123456789012345678901234567890x", " 1", "x1f",
	};
	static const struct {
		const char *name, *says;
	} bad[] = {
		{ "12345678901234567890123456789012", "31 bytes" },
		{ "1234567890123456789012345678901\xc3\xa4", "31 bytes" },
		{ "a\xff", "UTF-8" }, { "\xc3", "UTF-8" },
		{ "\xed\xa0\x80", "UTF-8" }, { "\xc0\x80", "UTF-8" },
		{ "a\nb", "control" }, { "\x1b[31m", "control" },
		{ "\x7f", "control" }, { "a\xc2\x9b" "b", "control" },
		{ "a\xe2\x80\xae" "b", "control" },
		{ "0", "number" }, { "17", "number" }, { "0x1f", "number" },
		{ "0XFF", "number" }, { "99999999999999999999", "number" },
	};
	const char *error;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		error = xroce_mr_name_error(good[i]);
		check(!error, "%s: %s", good[i], error);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		error = xroce_mr_name_error(bad[i].name);
		check(error && strstr(error, bad[i].says), "%s: %s", bad[i].name,
		      error ? : "taken");
	}
}

TEST_MAIN(harness_main);
