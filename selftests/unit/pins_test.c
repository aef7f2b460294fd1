// SPDX-License-Identifier: GPL-2.0-only
/* Names of the directories of pins. */
#include <string.h>

#include "harness.h"
#include "libxroce.h"

struct name {
	const char *netdev;
	const char *dir;
};

static const struct name names[] = {
	{ "x0", "x0" },
	{ "x0.5", "x0%2e5" },
	{ "x0%2e5", "x0%252e5" },
	{ "a%b", "a%25b" },
	{ "...", "%2e%2e%2e" },
	{ ".a", "%2ea" },
	{ "...............",
	  "%2e%2e%2e%2e%2e%2e%2e%2e%2e%2e%2e%2e%2e%2e%2e" },
	{ "-\\\"'*?[~\x01\x7f\xff", "-\\\"'*?[~\x01\x7f\xff" },
	/* Names that no device can have. */
	{ "", "" },
	{ ".", "" },
	{ "..", "" },
	{ "a/b", "" },
	{ "/", "" },
	{ "sixteen.letters.", "" },
	{ "a name that is longer than any device's can be, and than any directory's", "" },
};

TEST(pins_escaped, "U1 D1", "the name of the directory of a device's pins")
{
	char dir[XROCE_PIN_DIR_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		memset(dir, 'x', sizeof(dir));
		xroce_pin_dir(names[i].netdev, 0, dir);
		check(!strcmp(dir, names[i].dir), "\"%s\": \"%.*s\", not \"%s\"",
		      names[i].netdev, (int)sizeof(dir), dir, names[i].dir);
	}
}

#define LETTERS	".%2e"
#define NAMES	(4 + 16 + 64 + 256)

/* No two names of up to four of these letters have the same directory. */
TEST(pins_unique, "U1 D1", "no two devices have the same directory of pins")
{
	static char dirs[NAMES][XROCE_PIN_DIR_MAX];
	int i, j, length, rest, same = 0;
	char name[5];

	for (i = 0; i < NAMES; i++) {
		/* First the 4 names of one letter, then the 16 of two, and so on. */
		for (length = 1, rest = i; rest >= 1 << 2 * length; length++)
			rest -= 1 << 2 * length;
		memset(name, 0, sizeof(name));
		for (j = 0; j < length; j++, rest /= 4)
			name[j] = LETTERS[rest % 4];
		xroce_pin_dir(name, 0, dirs[i]);
		for (j = 0; j < i; j++)
			same += *dirs[i] && !strcmp(dirs[i], dirs[j]);
	}
	check(!same, "%d pairs of names have the same directory", same);
}

TEST_MAIN(harness_main);
