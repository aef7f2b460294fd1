// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Colours of values if options.color is set. They are those of ip(8). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "options.h"

/* rxvt and other terminals set COLORFGBG to "foreground;background", by number. */
static bool background_is_dark(void)
{
	const char *p = getenv("COLORFGBG");
	int background;

	p = p ? strrchr(p, ';') : NULL;
	if (!p || sscanf(p + 1, "%d", &background) != 1)
		return false;
	return (background >= 0 && background <= 6) || background == 8;
}

void color_begin(enum color color)
{
	static const char *const codes[] = {
		[COLOR_DEV] = "36", [COLOR_INET] = "35", [COLOR_INET6] = "34",
		[COLOR_GOOD] = "32", [COLOR_BAD] = "31",
	};

	if (options.color && color)
		printf("\033[%s%sm", background_is_dark() ? "1;" : "",
		       codes[color]);
}

void color_end(enum color color)
{
	if (options.color && color)
		fputs("\033[0m", stdout);
}
