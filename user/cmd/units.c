// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Numbers with units, for output. arg.c parses sizes. */
#include <stdio.h>

#include "units.h"

static const char *const units[] = { "", "K", "M", "G", "T", "P" };

#define UNITS	(sizeof(units) / sizeof(units[0]))

char *units_exact(__u64 value, char text[UNITS_MAX])
{
	size_t unit = 0;

	while (value && !(value % 1024) && unit < 4) {
		value /= 1024;
		unit++;
	}
	snprintf(text, UNITS_MAX, "%llu%s", (unsigned long long)value,
		 units[unit]);
	return text;
}

char *units_short(double value, char text[UNITS_MAX])
{
	size_t unit = 0;

	/* From 999.5 on, the number would be rounded to 1000. */
	while (value >= 999.5 && unit < UNITS - 1) {
		value /= 1000;
		unit++;
	}
	snprintf(text, UNITS_MAX, "%.*f%s", unit && value < 9.995 ? 2 :
		 unit && value < 99.95 ? 1 : 0, value, units[unit]);
	return text;
}
