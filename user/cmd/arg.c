// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The words after a verb: "name value" pairs and flags. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arg.h"
#include "message.h"
#include "uapi/xroce.h"

/* By bit. Bits without a name are unused. */
const char *const access_names[ACCESS_BITS] = {
	"local-write", "remote-write", "remote-read", "remote-atomic",
	"mw-bind", [6] = "on-demand", [8] = "flush-global", "flush-persistent",
};

const char *arg_number_at(const char *text, __u64 most, __u64 *value)
{
	int base = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2) ? 16 : 10;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*value = strtoull(text, &end, base);
	if (errno || *value > most)
		return NULL;
	return end;
}

static bool whole_number(const char *text, __u64 most, __u64 *value)
{
	const char *end = arg_number_at(text, most, value);

	return end && !*end;
}

static bool parse_text(const char *text, void *to)
{
	*(const char **)to = text;
	return *text;
}

static bool parse_number(const char *text, void *to)
{
	__u64 value;

	if (!whole_number(text, 0xffffffff, &value))
		return false;
	*(__u32 *)to = value;
	return true;
}

static bool parse_count(const char *text, void *to)
{
	return parse_number(text, to) && *(__u32 *)to;
}

static bool parse_24bit(const char *text, void *to)
{
	__u64 value;

	if (!whole_number(text, 0xffffff, &value))
		return false;
	*(__u32 *)to = value;
	return true;
}

static bool parse_short(const char *text, void *to)
{
	__u64 value;

	if (!whole_number(text, 0xffff, &value))
		return false;
	*(__u16 *)to = value;
	return true;
}

static bool parse_up_to(const char *text, __u64 most, void *to)
{
	__u64 value;

	if (!whole_number(text, most, &value))
		return false;
	*(__u8 *)to = value;
	return true;
}

static bool parse_byte(const char *text, void *to)
{
	return parse_up_to(text, 0xff, to);
}

static bool parse_rnr_timer(const char *text, void *to)
{
	return parse_up_to(text, 31, to);
}

static bool parse_rd_atomic(const char *text, void *to)
{
	return parse_up_to(text, 128, to);
}

static bool parse_address(const char *text, void *to)
{
	return whole_number(text, ~0ull, to);
}

static bool parse_size(const char *text, void *to)
{
	static const char units[] = "KMGT";
	__u64 *size = to;
	const char *unit, *end;
	int shift;

	end = arg_number_at(text, ~0ull, size);
	if (!end)
		return false;
	if (!*end)
		return true;
	unit = strchr(units, toupper((unsigned char)*end));
	if (!unit || end[1])
		return false;
	shift = 10 * (unit - units + 1);
	if (*size > ~0ull >> shift)
		return false;
	*size <<= shift;
	return true;
}

static bool parse_access(const char *text, void *to)
{
	__u32 *access = to;
	size_t len;
	int i;

	*access = 0;
	if (!strcmp(text, "none"))
		return true;
	for (;; text += len + 1) {
		len = strcspn(text, ",");
		for (i = 0; i < ACCESS_BITS; i++)
			if (access_names[i] && strlen(access_names[i]) == len &&
			    !strncmp(text, access_names[i], len))
				break;
		if (i == ACCESS_BITS)
			return false;
		*access |= 1u << i;
		if (!text[len])
			return true;
	}
}

static bool parse_gid(const char *text, void *to)
{
	__u8 *gid = to;

	if (inet_pton(AF_INET6, text, gid) == 1)
		return true;
	if (inet_pton(AF_INET, text, gid + 12) != 1)
		return false;
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	return true;
}

static bool parse_mtu(const char *text, void *to)
{
	__u64 bytes;
	__u32 mtu;

	if (!whole_number(text, 4096, &bytes))
		return false;
	for (mtu = XROCE_MTU_256; mtu <= XROCE_MTU_4096; mtu++) {
		if (bytes == 128u << mtu) {
			*(__u32 *)to = mtu;
			return true;
		}
	}
	return false;
}

const struct arg_type arg_flag = { NULL, NULL };
const struct arg_type arg_text = { "a text", parse_text };
const struct arg_type arg_number = { "a number from 0 to 4294967295", parse_number };
const struct arg_type arg_count = {
	"a number from 1 to 4294967295", parse_count
};
const struct arg_type arg_byte = { "a number from 0 to 255", parse_byte };
const struct arg_type arg_rnr_timer = { "a number from 0 to 31", parse_rnr_timer };
const struct arg_type arg_rd_atomic = { "a number from 0 to 128", parse_rd_atomic };
const struct arg_type arg_pkey = { "1 to 65535, except 32768", parse_short };
const struct arg_type arg_sport = {
	"49152 to 65535, or 0 for a port made from the queue pair numbers", parse_short
};
const struct arg_type arg_24bit = { "a number from 0 to 16777215", parse_24bit };
const struct arg_type arg_address = { "a number from 0 to 2^64-1", parse_address };
const struct arg_type arg_size = {
	"a number of bytes, or a number with K, M, G or T", parse_size
};
const struct arg_type arg_access = {
	"none, or a list of local-write,remote-write,remote-read,remote-atomic,mw-bind,on-demand,flush-global",
	parse_access
};
const struct arg_type arg_gid = { "an IPv4 or IPv6 address", parse_gid };
const struct arg_type arg_mtu = {
	"256, 512, 1024, 2048 or 4096", parse_mtu
};

static struct arg *find(struct arg *table, const char *word)
{
	struct arg *arg;

	for (arg = table; arg->name; arg++)
		if (!strcmp(arg->name, word))
			return arg;
	return NULL;
}

/* The argument whose value may stand without its name, or NULL. */
static struct arg *find_bare(struct arg *table)
{
	struct arg *arg;

	for (arg = table; arg->name; arg++)
		if (arg->state & ARG_BARE)
			return arg;
	return NULL;
}

/* Take a value without a name. Return: an exit status. */
static int take_bare(struct arg *table, const char *word)
{
	struct arg *arg = find_bare(table);

	if (!arg)
		return usage("%s: no such argument", word);
	if (arg->state & ARG_SEEN)
		return usage("%s: no such argument, and %s is already given", word,
			     arg->name);
	if (!arg->type->parse(word, arg->to))
		return usage("%s: no such argument, and not a valid %s, which must be %s",
			     word, arg->name, arg->type->want);
	arg->state |= ARG_SEEN;
	return EXIT_OK;
}

int arg_parse(struct arg *table, int argc, char **argv)
{
	struct arg *arg;
	int status, i;

	for (i = 0; i < argc; i++) {
		arg = find(table, argv[i]);
		if (!arg) {
			status = take_bare(table, argv[i]);
			if (status)
				return status;
			continue;
		}
		if (arg->state & ARG_SEEN)
			return usage("%s: given twice", arg->name);
		arg->state |= ARG_SEEN;
		if (!arg->type->parse) {
			*(bool *)arg->to = true;
			continue;
		}
		if (++i == argc)
			return usage("%s: a value must follow: %s", arg->name,
				     arg->type->want);
		if (!arg->type->parse(argv[i], arg->to))
			return usage("%s \"%s\": must be %s", arg->name, argv[i],
				     arg->type->want);
	}
	for (arg = table; arg->name; arg++)
		if (arg->state & ARG_NEEDED && !(arg->state & ARG_SEEN))
			return usage("%s is missing", arg->name);
	return EXIT_OK;
}
