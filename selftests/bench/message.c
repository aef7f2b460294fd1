// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "message.h"

void message_fill(char *at, size_t size, unsigned int number)
{
	unsigned int *word = (unsigned int *)at;
	size_t i;

	for (i = 0; i < size / sizeof(*word); i++)
		word[i] = number * 0x9e3779b1u + i;
}

void message_compare(const char *at, size_t size, unsigned int number)
{
	const unsigned int *word = (const unsigned int *)at;
	size_t i;

	for (i = 0; i < size / sizeof(*word); i++) {
		if (word[i] == number * 0x9e3779b1u + i)
			continue;
		fprintf(stderr, "bench: message %u, byte %zu: 0x%08x\n", number,
			i * sizeof(*word), word[i]);
		exit(1);
	}
}
