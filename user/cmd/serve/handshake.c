// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * The handshake in JSON as text: parses and checks the client's line, writes the reply. What is
 * done for the client is in session_json.c.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "arg.h"
#include "names.h"
#include "netaddr.h"
#include "serve/handshake.h"
#include "text.h"

#define VERSION		1
#define DEPTH		3	/* maximum nesting: an object, whose values should be plain */

/* The members of a client's line. */
enum member { XROCE, QPN, PSN, GID, MTU, REGION, MEMBERS };

static const char *const names[MEMBERS] = {
	[XROCE] = "xroce", [QPN] = "qpn", [PSN] = "psn", [GID] = "gid",
	[MTU] = "mtu", [REGION] = "region",
};

static const bool needed[MEMBERS] = {
	[XROCE] = true, [QPN] = true, [PSN] = true, [GID] = true,
};

#define VALUE_COLUMNS	40	/* maximum columns of a value in an error */

/* Write an error that a member's value is not valid. Return: false. */
static bool wrong(char *error, const char *name, const char *want,
		  struct json_object *value)
{
	const char *text = json_object_to_json_string_ext(value,
			JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	char is[TEXT_SIZE(VALUE_COLUMNS)];
	bool cut;

	/* json-c replaces an integer beyond 64 bits by one of these, so do not print it. */
	if (json_object_is_type(value, json_type_int) &&
	    (json_object_get_int64(value) == INT64_MAX ||
	     json_object_get_int64(value) == INT64_MIN)) {
		snprintf(error, HANDSHAKE_ERROR_MAX, "%s: must be %s", name, want);
		return false;
	}
	snprintf(is, sizeof(is), "%s", text);
	text_cut(is, VALUE_COLUMNS);
	cut = strlen(is) < strlen(text);
	snprintf(error, HANDSHAKE_ERROR_MAX, "%s: must be %s, not %s%s", name,
		 want, is, cut ? "..." : "");
	return false;
}

/* Take an integer. Return: false if the value is not an integer from 0 to @most. */
static bool take_number(struct json_object *value, __u32 most, __u32 *to)
{
	int64_t number;

	if (!json_object_is_type(value, json_type_int))
		return false;
	/* An integer that does not fit 64 bits becomes the nearest one that does. */
	number = json_object_get_int64(value);
	if (number < 0 || number > most)
		return false;
	*to = number;
	return true;
}

/* Take a string without NUL, of less than @size bytes. Return: the string, or NULL. */
static const char *take_text(struct json_object *value, size_t size)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	if (strlen(text) != (size_t)json_object_get_string_len(value) ||
	    strlen(text) >= size)
		return NULL;
	return text;
}

/* Take an address that a host can have. */
static bool take_gid(struct json_object *value, __u8 gid[16], char *error)
{
	const char *text = take_text(value, INET6_ADDRSTRLEN);
	char want[64];
	const char *is;

	if (!text || !arg_gid.parse(text, gid))
		return wrong(error, "gid", arg_gid.want, value);
	is = netaddr_gid_error(gid);
	if (!is)
		return true;
	snprintf(want, sizeof(want), "a host's address (this is %s)", is);
	return wrong(error, "gid", want, value);
}

static bool take_mtu(struct json_object *value, __u32 *mtu)
{
	__u32 bytes;

	if (!take_number(value, 4096, &bytes))
		return false;
	for (*mtu = XROCE_MTU_256; *mtu <= XROCE_MTU_4096; ++*mtu)
		if (bytes == 128u << *mtu)
			return true;
	return false;
}

static bool take_member(enum member member, struct json_object *value,
			struct handshake *h, char *error)
{
	static const char number24[] = "a number from 0 to 16777215";
	const char *text;
	__u32 version;

	switch (member) {
	case XROCE:
		return (take_number(value, ~0u, &version) && version == VERSION) ||
		       wrong(error, "xroce", "1", value);
	case QPN:
		return take_number(value, 0xffffff, &h->qpn) ||
		       wrong(error, "qpn", number24, value);
	case PSN:
		return take_number(value, 0xffffff, &h->psn) ||
		       wrong(error, "psn", number24, value);
	case GID:
		return take_gid(value, h->gid, error);
	case MTU:
		return take_mtu(value, &h->mtu) ||
		       wrong(error, "mtu", arg_mtu.want, value);
	case REGION:
		text = take_text(value, sizeof(h->region));
		if (!text || !*text)
			return wrong(error, "region", "a text of 1 to 31 bytes",
				     value);
		strcpy(h->region, text);
		return true;
	default:
		break;
	}
	return false;
}

/* Write an error such as "qpn, psn: missing". Return: whether a needed member is missing. */
static bool missing(char *error, const bool *seen)
{
	bool any = false;
	int i;

	*error = 0;
	for (i = 0; i < MEMBERS; i++) {
		if (!needed[i] || seen[i])
			continue;
		strcat(error, any ? ", " : "");
		strcat(error, names[i]);
		any = true;
	}
	if (any)
		strcat(error, ": missing");
	return any;
}

static bool unknown(char *error, const char *name)
{
	char text[TEXT_SIZE(VALUE_COLUMNS)];

	snprintf(text, sizeof(text), "%s", name);
	text_cut(text, VALUE_COLUMNS);
	snprintf(error, HANDSHAKE_ERROR_MAX,
		 "\"%s\"%s: no such member; the members are xroce, qpn, psn, gid, mtu and region",
		 text, strlen(text) < strlen(name) ? "..." : "");
	return false;
}

static bool take_members(struct json_object *object, struct handshake *h,
			 char *error)
{
	bool seen[MEMBERS] = {};
	int i;

	json_object_object_foreach(object, name, value) {
		for (i = 0; i < MEMBERS; i++)
			if (!strcmp(name, names[i]))
				break;
		if (i == MEMBERS)
			return unknown(error, name);
		seen[i] = true;
		if (!take_member(i, value, h, error))
			return false;
	}
	return !missing(error, seen);
}

/* From 0.18 on, the parser of json-c refuses integers that do not fit 64 bits. */
static const char *not_parsed(enum json_tokener_error err)
{
	return err == json_tokener_error_parse_number ?
	       "a number is malformed or too large" :
	       "not a JSON object in one line";
}

bool handshake_parse(const char *line, size_t len, struct handshake *h,
		     char *error)
{
	struct json_tokener *tok = json_tokener_new_ex(DEPTH);
	struct json_object *object;
	bool good;

	memset(h, 0, sizeof(*h));
	if (!tok) {
		strcpy(error, "no memory");
		return false;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT |
				    JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tok, line, len);
	if (json_tokener_get_error(tok) != json_tokener_success ||
	    json_tokener_get_parse_end(tok) != len ||
	    !json_object_is_type(object, json_type_object)) {
		strcpy(error, not_parsed(json_tokener_get_error(tok)));
		good = false;
	} else {
		good = take_members(object, h, error);
	}
	json_object_put(object);
	json_tokener_free(tok);
	return good;
}

static void add(struct json_object *object, const char *name,
		struct json_object *value)
{
	json_object_object_add(object, name, value);
}

static struct json_object *new_access(__u32 access)
{
	struct json_object *list = json_object_new_array();
	int i;

	for (i = 0; i < ACCESS_BITS; i++)
		if (access_names[i] && access & 1u << i)
			json_object_array_add(list,
				json_object_new_string(access_names[i]));
	return list;
}

static struct json_object *new_region(const struct handshake_region *r)
{
	struct json_object *region = json_object_new_object();

	add(region, "name", json_object_new_string(r->name));
	add(region, "iova", json_object_new_uint64(r->iova));
	add(region, "length", json_object_new_uint64(r->length));
	add(region, "rkey", json_object_new_int64(r->rkey));
	add(region, "access", new_access(r->access));
	return region;
}

/* Text of an object with a newline, allocated; NULL: no memory. Releases the object. */
static char *to_line(struct json_object *object)
{
	const char *text = json_object_to_json_string_ext(object,
			JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	char *line = malloc(TEXT_JSON_SIZE(strlen(text)) + 1);

	if (line)
		strcat(text_json(text, line), "\n");
	json_object_put(object);
	return line;
}

char *handshake_accept(const struct handshake_response *response)
{
	struct json_object *object = json_object_new_object();
	struct json_object *regions = json_object_new_array();
	char gid[INET6_ADDRSTRLEN];
	size_t i;

	name_of_gid(response->gid, gid);
	add(object, "xroce", json_object_new_int(VERSION));
	add(object, "qpn", json_object_new_int(response->qpn));
	add(object, "psn", json_object_new_int(response->psn));
	add(object, "gid", json_object_new_string(gid));
	add(object, "mtu", json_object_new_int(128 << response->mtu));
	add(object, "max_rd_atomic", json_object_new_int(response->max_rd_atomic));
	for (i = 0; i < response->n; i++)
		json_object_array_add(regions, new_region(&response->regions[i]));
	add(object, "regions", regions);
	return to_line(object);
}

char *handshake_refuse(const char *error)
{
	struct json_object *object = json_object_new_object();
	char *clean = malloc(TEXT_SIZE(strlen(error)));

	/* The error may quote the client. */
	add(object, "xroce", json_object_new_int(VERSION));
	add(object, "error", json_object_new_string(clean ?
			     text_utf8(error, clean) : "no memory"));
	free(clean);
	return to_line(object);
}
