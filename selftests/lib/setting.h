/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from the environment variables XROCE_*, which vm.sh passes on. */
#ifndef XROCE_SETTING_H
#define XROCE_SETTING_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* A number of rounds: the second one in "make check-long", otherwise the first. */
static inline uint64_t amount(uint64_t usual, uint64_t longer)
{
	return setting("XROCE_LONG", 0) ? longer : usual;
}

/* A timeout in seconds, multiplied by $XROCE_SLOW for slow kernels. */
static inline uint64_t patience(uint64_t seconds)
{
	return seconds * setting("XROCE_SLOW", 1);
}

/* The code of a local ACK timeout: 16 times as long on slow kernels. */
static inline uint8_t patient_code(uint8_t code)
{
	return code + (setting("XROCE_SLOW", 1) > 1 ? 4 : 0);
}

#endif /* XROCE_SETTING_H */
