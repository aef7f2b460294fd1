// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <linux/time64.h>

#include "xroce_cc.h"

#include "../../kmod/send/cc_list.h"

#include "harness.h"
#include "spec.h"

/* Suffixes of numbers. */
static const struct {
	const char *text;
	u64 factor;
} units[] = {
	{ "", 1 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 },
	{ "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC },
};

static const struct {
	const char *name;
	size_t at;
	const char *about;
} numbers[] = {
	{ "flows", offsetof(struct spec, flows), "connections that send as much as they may" },
	{ "join", offsetof(struct spec, join), "of these so many begin after a third" },
	{ "tcp", offsetof(struct spec, tcp), "connections of TCP beside them" },
	{ "mice", offsetof(struct spec, mice), "connections with one short message at a time" },
	{ "mice_size", offsetof(struct spec, mice_size), "bytes of these" },
	{ "rate", offsetof(struct spec, rate), "of ports, bits a second: 100G" },
	{ "nic", offsetof(struct spec, nic), "of hosts" },
	{ "rtt", offsetof(struct spec, rtt), "round-trip time: 20us" },
	{ "jitter", offsetof(struct spec, jitter), "of the way of data" },
	{ "limit", offsetof(struct spec, limit), "bytes that a port's queue holds" },
	{ "burst", offsetof(struct spec, burst), "bytes of a token bucket, for net=one" },
	{ "red_min", offsetof(struct spec, red.min), "bytes from which it marks" },
	{ "red_max", offsetof(struct spec, red.max), "bytes from which it marks all; 0: off" },
	{ "time", offsetof(struct spec, time), "of the run" },
	{ "warm", offsetof(struct spec, warm), "before figures are taken; 0: a third" },
	{ "spread", offsetof(struct spec, spread), "in which connections begin" },
	{ "size", offsetof(struct spec, size), "bytes of a message" },
	{ "depth", offsetof(struct spec, depth), "messages outstanding" },
	{ "mtu", offsetof(struct spec, mtu), "path MTU" },
	{ "leaves", offsetof(struct spec, leaves), "switches with hosts" },
	{ "spines", offsetof(struct spec, spines), "switches above them" },
	{ "hosts", offsetof(struct spec, hosts), "hosts of a leaf" },
	{ "seed", offsetof(struct spec, seed), "of random numbers" },
	{ "step", offsetof(struct spec, step), "time between lines of the trace" },
};

static const struct xroce_cc_ops *const algorithms[] = {
	&xr_cc_none, &xr_cc_delay, &xr_cc_dcqcn,
};

static const char *const nets[] = {
	[SPEC_ONE] = "one", [SPEC_TREE] = "tree", [SPEC_INCAST] = "incast",
};

void spec_default(struct spec *s)
{
	*s = (struct spec){
		.cc = &xr_cc_none,
		.flows = 2,
		.mice_size = 64,
		.rate = 100000000,
		.nic = 10000000000,
		.rtt = NSEC_PER_MSEC,
		.limit = 200000,
		.red.percent = 100,
		.time = 2 * NSEC_PER_SEC,
		.spread = NSEC_PER_MSEC,
		.size = 65536,
		.depth = 16,
		.mtu = 4096,
		.leaves = 4,
		.spines = 4,
		.hosts = 16,
		.seed = 1,
		.step = NSEC_PER_MSEC,
	};
}

static bool number(const char *text, u64 *value)
{
	size_t i;
	char *end;
	double d = strtod(text, &end);

	for (i = 0; i < ARRAY_SIZE(units) && end != text && d >= 0; i++) {
		if (strcmp(end, units[i].text))
			continue;
		*value = d * units[i].factor + .5;
		return true;
	}
	return false;
}

static bool algorithm(struct spec *s, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(algorithms); i++) {
		if (strcmp(algorithms[i]->name, name))
			continue;
		s->cc = algorithms[i];
		return true;
	}
	return false;
}

static bool net(struct spec *s, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nets); i++) {
		if (strcmp(nets[i], name))
			continue;
		s->net = i;
		return true;
	}
	return false;
}

bool spec_word(struct spec *s, const char *word)
{
	const char *value = strchr(word, '=');
	size_t length, i;
	u64 percent;

	if (!value)
		return false;
	length = value++ - word;
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (strlen(numbers[i].name) == length && !strncmp(numbers[i].name, word, length))
			return number(value, (u64 *)((char *)s + numbers[i].at));
	if (!strncmp(word, "cc=", 3))
		return algorithm(s, value);
	if (!strncmp(word, "net=", 4))
		return net(s, value);
	if (!strncmp(word, "op=", 3)) {
		s->read = !strcmp(value, "READ");
		return s->read || !strcmp(value, "WRITE");
	}
	if (!strncmp(word, "red_percent=", 12) && number(value, &percent)) {
		s->red.percent = percent;
		return percent <= 100;
	}
	return false;
}

void spec_words(struct spec *s, const char *words)
{
	char copy[512], *at = copy, *word;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&at, " "))) {
		if (!*word || spec_word(s, word))
			continue;
		fprintf(stderr, "sim: what is %s?\n", word);
		exit(2);
	}
}

void spec_help(FILE *to)
{
	size_t i;

	fprintf(to, "  %-10s none, delay, dcqcn\n", "cc");
	fprintf(to, "  %-10s one: all send to one host; tree: leaves and spines; incast: to one there\n",
		"net");
	fprintf(to, "  %-10s WRITE, READ\n", "op");
	fprintf(to, "  %-10s probability of a mark just below red_max\n", "red_percent");
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		fprintf(to, "  %-10s %s\n", numbers[i].name, numbers[i].about);
}
